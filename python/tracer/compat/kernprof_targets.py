"""Finds the code that kernprof's -p means (the targets), and adds it to a LineProfiler.

A target is a file, a folder, or a dotted name of a module, a function or a class. The program's own
functions come from its code. Targets imports other modules before the program starts, or adds them
when the program imports them.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_NEWLOCALS, CO_OPTIMIZED
from types import CodeType, ModuleType
from typing import Any

from tracer.api.line_profiler import LineProfiler
from tracer.launch.output import say
from tracer.launch.program import Program


class Targets:
    """The targets of one run: a context manager that profiles them."""

    def __init__(
        self,
        profile: LineProfiler,
        program: Program,
        code: CodeType,
        package: str | None,
        options: dict[str, Any],
    ) -> None:
        self.profile = profile
        self.eager: bool = options["preimports"]
        self.import_module: Callable[..., Any] = builtins.__import__
        self.seen: set[int] = set()
        targets = list(dict.fromkeys(options["prof-mod"]))
        own = [target for target in targets if is_program(target, program, code, options.get("m"))]
        # A package that is run is more than its __main__: its other modules wait.
        self.waiting: list[Any] = [
            target for target in targets if target not in own or target == package
        ]
        self.imported: list[str] = (
            imports_of(code, package) if own and options["prof-imports"] else []
        )
        self.looking: bool = False
        if own or code.co_filename.startswith("<"):  # -p cannot name code that is in no file
            for function in functions_in(code):
                profile.add_code(function)

    def __enter__(self) -> None:
        """Start to profile the targets, and watch imports for those that are not imported yet."""
        if self.eager and self.waiting:
            missing = [target for target in self.waiting if not self.add(target, True)]
            self.waiting = []
            if missing:
                many = f"{len(missing)} profiling target{'s' * (len(missing) != 1)}"
                say(f"{many} cannot be found: {missing}; check what follows -p")
        if self.waiting or self.imported:
            builtins.__import__ = self.import_and_look
        self.profile.enable_by_count()

    def __exit__(self, *error: object) -> None:
        self.profile.disable_by_count()
        if builtins.__import__ == self.import_and_look:
            builtins.__import__ = self.import_module

    def import_and_look(self, *args: Any, **names: Any) -> Any:
        module = self.import_module(*args, **names)
        if not self.looking:  # looking may import, too
            self.looking = True
            try:
                # A target is added without the code that it imports itself.
                self.waiting = [n for n in self.waiting if not self.add(n, scope="children")]
                self.imported = [name for name in self.imported if not self.add(name)]
            finally:
                self.looking = False
        return module

    def add(self, target: str, importing: bool = False, scope: str | None = None) -> bool:
        """Profile a target; with `importing`, also all modules of a package. Returns False if the
        target cannot be found, or is not imported yet."""
        name, folder = module_name(target)
        with path_with(folder):
            found = find(name, importing)
            if found is None:
                return False
            self.add_object(found, scope)
            if importing and isinstance(found, ModuleType) and not target.endswith(".__init__"):
                for path in getattr(found, "__path__", ()):
                    for info in pkgutil.walk_packages([path], f"{found.__name__}."):
                        below = None if info.name.endswith(".__main__") else find(info.name, True)
                        if below is not None:
                            self.add_object(below, scope)
        return True

    def add_object(self, found: Any, scope: str | None) -> None:
        if id(found) in self.seen:
            return
        self.seen.add(id(found))
        if isinstance(found, ModuleType):
            scopes = None if scope is None else {"func": scope, "class": scope, "module": "exact"}
            self.profile.add_module(found, scoping_policy=scopes)
        elif isinstance(found, type):
            self.profile.add_class(found, scoping_policy=scope)
        else:
            try:
                self.profile.add_callable(found)
            except TypeError:
                return  # a constant


def is_program(target: str, program: Program, code: CodeType, module: str | None) -> bool:
    """Whether a target is the program itself."""
    if module is not None and target in (module, f"{module}.__main__"):
        return True
    try:
        return os.path.samefile(target, program.path or code.co_filename)
    except (OSError, ValueError):
        return False


def functions_in(code: CodeType) -> Iterator[CodeType]:
    """The code of the functions that a module defines, also within classes and functions."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            is_function = constant.co_flags & (CO_NEWLOCALS | CO_OPTIMIZED) == (
                CO_NEWLOCALS | CO_OPTIMIZED
            )
            if is_function and not constant.co_name.startswith("<"):
                yield constant
            yield from functions_in(constant)


def imports_of(code: CodeType, package: str | None) -> list[str]:
    """The dotted names that a module's top-level statements import."""
    import linecache

    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    names = []
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
            try:
                module = importlib.util.resolve_name(module, package)
            except ImportError:
                continue
            names += [f"{module}.{alias.name}" for alias in statement.names]
    return names


def module_name(target: str) -> tuple[str, str | None]:
    """The dotted name of a target; and for a path, the folder from which that name is imported."""
    is_path = os.sep in target or target.endswith(".py") or os.path.exists(target)
    if not is_path:
        return target.removesuffix(".__init__"), None
    folder, name = os.path.split(os.path.realpath(target))
    parts = [name.removesuffix(".py")]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts), folder


@contextmanager
def path_with(folder: str | None) -> Iterator[None]:
    """Within it, imports look into `folder`, too."""
    path = sys.path[:]
    if folder is not None and folder not in sys.path:
        sys.path.append(folder)
    try:
        yield
    finally:
        if folder is not None and folder not in path and folder in sys.path:
            sys.path.remove(folder)


def find(name: str, importing: bool) -> Any:
    """The object that a dotted name means; None if there is none, or it is not imported yet. Raises
    what the module raises."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return None
    for end in range(len(parts), 0, -1):
        module = ".".join(parts[:end])
        found = module_named(module, importing)
        if found is None:
            continue
        for part in parts[end:]:
            found = getattr(found, part, None)
        return found
    return None


def module_named(module: str, importing: bool) -> Any:
    found = sys.modules.get(module)
    if found is not None:
        spec = getattr(found, "__spec__", None)
        return None if getattr(spec, "_initializing", False) else found
    if not importing:
        return None
    try:
        if importlib.util.find_spec(module) is None:
            return None
    except (ImportError, ValueError, AttributeError):
        return None
    __import__(module)  # import_module() would show in the traceback
    return sys.modules.get(module)
