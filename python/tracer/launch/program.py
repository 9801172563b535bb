"""Finds the program to run, and makes the process what plain `python` would make it.

find_program() leaves the process as it is. prepare() sets sys.argv, sys.path, sys.modules and a
fresh __main__, and returns the code to run there. profiled_run.py runs that code.
"""

from __future__ import annotations

import builtins
import os
import sys

# importlib.machinery has these classes from here. On Python 3.15 it would import more modules.
from _frozen_importlib import BuiltinImporter
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader, SourcelessFileLoader
from types import CodeType, ModuleType

from tracer._core import compile_program
from tracer.launch.errors import UsageError
from tracer.runtime.folders import current_folder, resolved
from tracer.source.file_kinds import is_of_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from typing import Any, TypeVar

    T = TypeVar("T")
    # Calls a builtin with these arguments, and records what the builtin calls.
    RecordCall = Callable[..., object]


# A dict, as marshal writes it; a pickle.
STARTS_OF_PROFILES = (b"{", b"\xfb", b"\x80")
MAGIC_OF_ZIP = b"PK\x03\x04"

# The modules after -m that run this code.
OWN_MODULES = ("tracer", "tracer.compat.kernprof")


def find_program(words: list[str], is_module: bool) -> Program:
    """The program that these words of the command line start. Raises UsageError if there is
    none."""
    name, arguments = words[0], words[1:]
    if is_module:
        return ModuleProgram(name, arguments)
    if name == "-":
        return StandardInput(name, arguments)
    path = find_script(name)
    # As the interpreter does it: not normalised, and relative where the folder was removed.
    absolute = os.path.join(current_folder() or "", path)
    importer = find_importer(absolute)
    if importer is not None:
        return ContainerProgram(path, arguments, absolute, importer)
    return ScriptProgram(path, arguments, absolute, path != name)


def find_importer(path: str) -> Any:
    """The importer of a folder or a zip file; None if `path` is neither."""
    for hook in sys.path_hooks:
        try:
            return hook(path)
        except ImportError:
            continue
        except OSError:  # a folder is searched by its absolute path
            raise UsageError(
                f"cannot run {path!r}: the current folder was removed; give an absolute path"
            ) from None
    return None


class Program:
    """What all programs share: the words that name one, and how the process is made ready."""

    path = ""  # the file that holds the program, if it is found by its path
    text: tuple[str, bytes] | None = None  # name and source of code that is in no file
    folder: str | None = None  # the one that plain python puts in front of sys.path
    # Whether it is a script like pytest: the user's own code is in the current folder instead.
    is_installed = False
    is_like_profile = False  # whether it may be a profile, by its first bytes
    is_elsewhere = False  # whether it is installed, or a script that was found on PATH

    def __init__(self, name: str, arguments: list[str]) -> None:
        # The words after `python` that start the program without tracer.
        self.words: list[str] = [name, *arguments]
        self.argv: list[str] = [name, *arguments]  # sys.argv at the start

    def home(self) -> str | None:
        """The folder (or archive) that holds the user's own code; None if it was removed."""
        return current_folder() if self.is_elsewhere else self.folder or current_folder()

    def own_files(self) -> list[str]:
        """The paths that belong to the program wherever they lie. Call this within search()."""
        return [self.path] if self.path and not self.is_installed else []

    def prepare(self, record_call: RecordCall) -> tuple[CodeType, dict[str, Any]]:
        """Make the process plain python's for this program. Returns its code and its globals.

        Raises UsageError when there is nothing to run. Also raises what the program's own code
        raises: syntax errors, and errors of packages that are imported to find a module.
        """
        raise NotImplementedError

    def source_text(self, namespace: dict[str, Any]) -> bytes | str | None:
        """The source of what prepare() returned, with its globals; None if there is none."""
        spec = namespace["__spec__"]
        try:
            return spec.loader.get_source(spec.name)  # type: ignore[no-any-return]
        except (AttributeError, ImportError):
            return None

    def flush(self) -> None:
        """What the interpreter does to the standard streams as soon as this program's code has run.
        Other programs' are flushed when the interpreter ends."""

    def leave(self) -> None:
        """What the interpreter takes back when it has reported an exception, or there was none."""

    def also(self) -> str:
        """The folder that a script like pytest may put first or last in sys.path, or leave out; ""
        for a program whose sys.path is known."""
        here = self.is_elsewhere and not sys.flags.safe_path
        return (current_folder() or "") if here else ""

    def search(self, find: Callable[[], T]) -> T:
        """The result of `find`, which looks for modules where the program will look for them.
        Afterwards sys.path and sys.path_importer_cache are as before."""
        path, cache = sys.path[:], sys.path_importer_cache.copy()
        if self.folder is not None:
            sys.path.insert(0, self.folder)
        if self.also():
            sys.path.append(self.also())
        try:
            return find()
        finally:
            sys.path[:] = path
            for place in sys.path_importer_cache.keys() - cache:
                del sys.path_importer_cache[place]

    def enter(self, loader: object) -> dict[str, Any]:
        """Set sys.argv and sys.path, put an empty __main__ in place and return its namespace."""
        sys.orig_argv = [*interpreter_words(), *self.words]
        sys.argv = self.argv
        if self.folder is not None:
            sys.path.insert(0, self.folder)
        # The names in a fresh __main__ differ between versions. tracer's own __main__ has them.
        names = vars(sys.modules["__main__"])
        main = ModuleType("__main__")
        main.__loader__ = loader  # type: ignore[assignment]
        if "__annotations__" in names:
            main.__annotations__ = {}
        namespace = vars(main)
        namespace["__builtins__"] = builtins
        namespace["__file__"] = None
        if "__cached__" in names:
            namespace["__cached__"] = None
        sys.modules["__main__"] = main
        return namespace


def interpreter_words() -> list[str]:
    """The words of the command line before tracer's own: the interpreter and its options."""
    words = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    last = words.pop() if words else ""
    if last in OWN_MODULES and words and words[-1].startswith("-"):
        last = words.pop()  # `-m tracer`, or other options before the m: `-Im tracer`
        return [*words, last[:-1]] if len(last) > 2 else words
    for module in OWN_MODULES:
        if last.startswith("-") and last.endswith(f"m{module}"):
            last = last.removesuffix(f"m{module}")
            return [*words, last] if len(last) > 1 else words
    return words


class FileProgram(Program):
    """A program that the interpreter reads from a file, and not from a module."""

    def enter(self, loader: object) -> dict[str, Any]:
        self.namespace: dict[str, Any] = super().enter(loader)
        return self.namespace

    def flush(self) -> None:
        for name in ("stderr", "stdout"):
            try:
                getattr(sys, name).flush()
            except BaseException:  # the interpreter drops whatever that is, too
                continue
        if sys.version_info >= (3, 14):  # ... takes the names back before it reports an exception
            self.leave()

    def leave(self) -> None:
        for name in ("__file__", "__cached__"):
            self.namespace.pop(name, None)


class ScriptProgram(FileProgram):
    """A file of source, or of compiled code."""

    def __init__(
        self, name: str, arguments: list[str], path: str, found_on_path: bool = False
    ) -> None:
        super().__init__(name, arguments)
        self.path = path
        self.is_installed: bool = is_installed_script(path)
        self.is_elsewhere: bool = self.is_installed or found_on_path
        self.folder: str | None = None if sys.flags.safe_path else os.path.dirname(resolved(path))
        try:
            with open(path, "rb") as file:
                self.data: bytes = file.read()
        except OSError as error:
            raise UsageError(f"cannot read {name!r}: {error.strerror}") from None
        self.is_like_profile: bool = self.data[:1] in STARTS_OF_PROFILES and b"\0" in self.data

    def home(self) -> str | None:
        return current_folder() if self.is_elsewhere else os.path.dirname(resolved(self.path))

    def source_text(self, namespace: dict[str, Any]) -> bytes | None:
        return self.data if isinstance(namespace["__loader__"], SourceFileLoader) else None

    def prepare(self, record_call: RecordCall) -> tuple[CodeType, dict[str, Any]]:
        compiled = self.path.endswith(".pyc") or self.data[:4] == MAGIC_NUMBER
        loader = (SourcelessFileLoader if compiled else SourceFileLoader)("__main__", self.path)
        sys.path_importer_cache.setdefault(self.path, None)
        namespace = self.enter(loader)
        namespace["__file__"] = self.path
        if not compiled:
            return code_of(self.data, self.path), namespace
        try:
            code = loader.get_code("__main__")
            assert code is not None
            return code, namespace
        except (ImportError, EOFError, ValueError, TypeError) as error:
            raise UsageError(
                f"{self.path!r} cannot be run by this Python: {error}; run its source instead"
            ) from None


class StandardInput(FileProgram):
    """`-`: all of standard input is the source."""

    folder: str | None = None if sys.flags.safe_path else ""

    def source_text(self, namespace: dict[str, Any]) -> bytes | None:
        return None if self.text is None else self.text[1]

    def prepare(self, record_call: RecordCall) -> tuple[CodeType, dict[str, Any]]:
        if sys.stdin is None:
            raise UsageError("cannot read the program: standard input is closed")
        data = sys.stdin.buffer.read()
        namespace = self.enter(BuiltinImporter)
        namespace["__file__"] = "<stdin>"
        self.text: tuple[str, bytes] | None = "<stdin>", data
        return code_of(data, "<stdin>"), namespace


class ModuleProgram(Program):
    """-m NAME: a module, or a package that has a module __main__."""

    def __init__(self, name: str, arguments: list[str]) -> None:
        super().__init__(name, arguments)
        self.name = name
        self.words: list[str] = ["-m", name, *arguments]
        # What packages see that are imported to find the module.
        self.argv: list[str] = ["-m", *arguments]
        self.folder: str | None = None if sys.flags.safe_path else current_folder()

    def own_files(self) -> list[str]:
        from tracer.recording.focus import paths_of

        try:
            return list(paths_of(self.name.partition(".")[0], "-m"))
        except ValueError:
            return []  # runpy will say what is wrong with the name

    def prepare(self, record_call: RecordCall) -> tuple[CodeType, dict[str, Any]]:
        import runpy

        namespace = self.enter(BuiltinImporter)
        try:
            self.import_packages(record_call)
            details = runpy._get_module_details(  # type: ignore[attr-defined]
                self.name, UsageError
            )
        except UsageError as error:
            raise UsageError(f"cannot run -m {self.name}: {error}") from None
        _, spec, code = details
        fill_from_spec(namespace, spec)
        sys.argv[0] = spec.origin
        return code, namespace

    def import_packages(self, record_call: RecordCall) -> None:
        """Import the packages that runpy would import to find the module: they are parts of the
        program. runpy reports those that cannot be found."""
        from importlib.util import find_spec

        package = self.name.rpartition(".")[0]
        if package and not imports(package, record_call):
            return
        try:
            spec = find_spec(self.name)
        except (ImportError, AttributeError, TypeError, ValueError):
            return
        if spec is not None and spec.submodule_search_locations is not None:
            imports(self.name, record_call)


def code_of(source: bytes, name: str) -> CodeType:
    """The code object of a program's source. Raises what compile() raises."""
    if b"\0" in source:
        try:
            return compile(source, name, "exec", dont_inherit=True)  # raises the right error
        except ValueError:
            # The first versions of 3.11, whose error this is, run such a file: of a line with a
            # zero byte they read what is before that, and the next line goes on there.
            source = b"".join(line.partition(b"\0")[0] for line in source.splitlines(True))
    return compile_program(source, name)


def imports(package: str, record_call: RecordCall) -> bool:
    """Import a package. Returns False when there is none of that name."""
    try:
        record_call(__import__, package)
    except ImportError as error:
        missing = error.name
        if missing is None or not f"{package}.".startswith(f"{missing}."):
            raise
        return False
    return True


class ContainerProgram(Program):
    """A folder or a zip file that holds a module __main__."""

    def __init__(self, name: str, arguments: list[str], path: str, importer: Any) -> None:
        super().__init__(name, arguments)
        self.path: str = path
        self.folder: str = path
        self.importer = importer

    def prepare(self, record_call: RecordCall) -> tuple[CodeType, dict[str, Any]]:
        import runpy

        sys.path_importer_cache.setdefault(self.path, self.importer)
        namespace = self.enter(BuiltinImporter)
        try:
            details = runpy._get_main_module_details(UsageError)  # type: ignore[attr-defined]
        except UsageError as error:
            raise UsageError(f"cannot run {self.words[0]!r}: {error}") from None
        _, spec, code = details
        fill_from_spec(namespace, spec)
        return code, namespace


def fill_from_spec(namespace: dict[str, Any], spec: ModuleSpec) -> None:
    namespace.update(
        __file__=spec.origin,
        __loader__=spec.loader,
        __package__=spec.parent,
        __spec__=spec,
    )
    if "__cached__" in namespace:
        namespace["__cached__"] = spec.cached


# -- Finding a script ------------------------------------------------------------------------------


def find_script(name: str) -> str:
    """The path of the script that `name` means. Raises UsageError, with the remedy, if there is
    none."""
    runnable = not os.path.isdir(name) or os.path.exists(os.path.join(name, "__main__.py"))
    if os.path.exists(name) and runnable:
        if is_named_as_interpreter(name) and not os.path.isdir(name) and not is_python_script(name):
            raise interpreter_named(name, name)
        return name
    others = []
    if name and os.sep not in name:
        for folder in os.get_exec_path():
            path = os.path.join(folder or os.curdir, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                if is_python_script(path):
                    return path
                others.append(path)
    if others and is_named_as_interpreter(name):
        raise interpreter_named(name, others[0])
    if os.path.isdir(name):
        raise UsageError(f"cannot run the folder {name!r}: it has no __main__.py")
    if others:
        raise UsageError(
            f"{others[0]} is no Python script; give the path of one, or a module after -m"
        )
    where = "" if os.sep in name else ", neither here nor on PATH"
    raise UsageError(f"no script {name!r}{where}; give a path that exists, or a module after -m")


def is_named_as_interpreter(name: str) -> bool:
    """Whether a word is `python`, `python3`, `python3.11` or the path of a file of such a name."""
    base = os.path.basename(name)
    return base.startswith("python") and not base.removeprefix("python").strip("0123456789.")


def interpreter_named(name: str, path: str) -> UsageError:
    """The error that the word `name` stands for the interpreter at `path`."""
    return UsageError(
        f"{path} is no Python script, but an interpreter; leave {name!r} out, tracer starts the "
        "program itself"
    )


def is_installed_script(path: str) -> bool:
    """Whether a script lies in the `bin` of an environment or installation. Installers write
    scripts there that only start code elsewhere."""
    folder = os.path.dirname(resolved(path))
    try:
        libraries = os.listdir(os.path.join(os.path.dirname(folder), "lib"))
    except OSError:
        return False
    named = os.path.basename(folder) == "bin"
    return named and any(map(is_of_python, libraries))


def is_python_script(path: str) -> bool:
    """Whether a program on PATH is a Python script, by its first bytes or its ending."""
    try:
        with open(path, "rb") as file:
            start = file.read(4096)
    except OSError:
        return False
    if start.startswith(MAGIC_OF_ZIP) or path.endswith((".py", ".pyc", ".pyz")):
        return True
    first, _, rest = start.partition(b"\n")
    if not first.startswith(b"#!"):
        return False
    # If the interpreter's path is too long for #!, installers write a script of two languages: sh
    # starts the interpreter, which reads the lines for sh as a string.
    return b"python" in first or (b"sh" in first and rest.startswith(b"'''exec'"))
