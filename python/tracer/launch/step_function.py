"""Finds the function that --step-function names, and puts a wrapper in its place.

A function of the program's own file gets a decorator where it is defined, of which no line tells: a
constant of the code. A function of a module is replaced when the module has been imported.
"""

from __future__ import annotations

import sys
from types import CodeType, ModuleType

from tracer._core import follow
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast
    from collections.abc import Callable, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from typing import Any

OPTION = "--step-function"
MAIN = "__main__"
IS_CLASS = "is a class; name one of its methods"
# Stands in the code for the decorator, which no source can name.
PLACE = "\0tracer: the decorator of --step-function\0"


class StepFunction:
    """The function that is named. wrap: makes the wrapper of a function."""

    def __init__(self, name: str) -> None:
        """Raises UsageError."""
        self.name = name
        self.wrap: Callable[[Any], Any] = lambda function: function
        self.was_found: bool = False
        self.problem: str = ""  # why what was found cannot be wrapped: what follows its name
        words = name.split(".")
        named = [word for word in words if word != "<locals>"]
        if not all(word.isidentifier() for word in named):
            raise UsageError(
                f"{OPTION} {name!r} is no name of a function; give MODULE.FUNCTION, "
                "MODULE.CLASS.METHOD, or FUNCTION for one of the program's own file"
            )
        self.is_of_main: bool = words[0] == MAIN and len(words) > 1
        self.path: list[str] = words[1:] if self.is_of_main else words  # within the program's file
        # The modules that it may be of, and what is to be looked for in each.
        self.modules: dict[str, list[str]] = {}
        if not self.is_of_main:
            self.modules = {".".join(words[:n]): words[n:] for n in range(1, len(words))}

    def replace(self, function: Any) -> Any:
        """What stands in the place of `function`."""
        inner = getattr(function, "__func__", function)  # of a static or class method
        if isinstance(inner, type) or not callable(inner):
            kind = type(inner).__name__
            self.problem = IS_CLASS if isinstance(inner, type) else f"is no function, but {kind!r}"
            return function
        self.was_found = True
        return self.wrap(function)

    # -- In the program's own file -----------------------------------------------------------------

    def put_into(
        self, code: CodeType, source: bytes | str | None, file: str, module: str
    ) -> CodeType:
        """The program's code, with a decorator at each definition of the function. `source`: None
        if there is none. module: by which name the program itself could be imported. Raises
        UsageError where only the program can have the function, and has not."""
        import warnings

        paths = [self.path, *([self.modules[module]] if module in self.modules else [])]
        try:
            with warnings.catch_warnings():  # they were given when `code` was made
                warnings.simplefilter("ignore")
                tree: Any = source and compile(source, file, "exec", 0x400, dont_inherit=True)
                bodies = [tree.body] if tree else []
                found = [it for body in bodies for path in paths for it in definitions(body, path)]
                for definition in found:
                    decorate(definition)
                if found:
                    self.stop()
                    made = compile(tree, file, "exec", dont_inherit=True)
                    return with_constant(made, PLACE, self.replace)
        except (RecursionError, MemoryError) as error:
            raise UsageError(
                f"{OPTION} cannot find a place in {file}: {error}; put the function into a module, "
                f"and name MODULE.{self.path[-1]}"
            ) from None
        if not self.modules:
            raise self.not_in_program(tree, file)
        return code

    def not_in_program(self, tree: _ast.Module | None, file: str) -> UsageError:
        name = ".".join(self.path)
        if tree is None:
            return UsageError(
                f"{OPTION} {self.name!r} needs the source of {file}, and there is none: run the "
                f"source, or put the function into a module, and name MODULE.{name}"
            )
        origin = imported_from(tree, self.path[0])
        remedy = f"MODULE.{name}" if origin is None else ".".join([origin, *self.path[1:]])
        return UsageError(
            f"{OPTION} {self.name!r}: {file} defines no such function; one that is imported is "
            f"named with its module: {remedy}"
        )

    # -- In a module -------------------------------------------------------------------------------

    def watch_imports(self) -> None:
        """Replace the function where its module is imported already, and when it will be."""
        for name in self.modules:
            if isinstance(sys.modules.get(name), ModuleType):
                self.look_into(sys.modules[name])
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the other finders find. Each import asks this one first."""
        if name not in self.modules:
            return None
        for finder in sys.meta_path[:]:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self.watch(spec.loader)
                return spec
        return None

    def watch(self, loader: Any) -> None:
        """Look into the module when this loader has run its code. There is no frame of tracer's
        meanwhile, which a traceback would show."""
        if isinstance(loader, type) or not hasattr(loader, "exec_module"):
            return  # it has built-in modules, or those of an older kind
        try:
            loader.exec_module = follow(loader.exec_module, self.look_into)
        except (AttributeError, TypeError):
            return  # with no room for it; what was not found is told at the end

    def look_into(self, module: ModuleType) -> None:
        """Replace the function, if the module has it."""
        loader = getattr(module, "__loader__", None)
        if not isinstance(loader, type) and hasattr(loader, "__dict__"):
            vars(loader).pop("exec_module", None)
        path = self.modules.get(module.__name__, ["?"])
        owner: Any = module
        for word in path[:-1]:
            owner = vars(owner).get(word)
            if not isinstance(owner, type):
                return
        holders = owner.__mro__ if isinstance(owner, type) else (owner,)  # it may be inherited
        name = path[-1]
        found = next((vars(it)[name] for it in holders if name in vars(it)), self)
        if found is self or isinstance(found, ModuleType):
            return
        try:
            setattr(owner, name, self.replace(found))
        except (AttributeError, TypeError) as error:
            self.was_found, self.problem = False, f"cannot be replaced: {error}"


# -- Syntax trees ----------------------------------------------------------------------------------


def definitions(body: Sequence[_ast.stmt], path: Sequence[str]) -> Iterator[Any]:
    """The definitions of a function with this qualified name, at any depth of `if`, `try` and other
    statements."""
    first, rest = path[0], path[1:]
    for statement in body:
        kind = type(statement).__name__
        is_function = kind in ("FunctionDef", "AsyncFunctionDef")
        if is_function or kind == "ClassDef":
            if statement.name != first:  # type: ignore[attr-defined]
                continue
            within = rest[1:] if is_function and rest[:1] == ["<locals>"] else rest
            if rest and (is_function == (rest[0] == "<locals>")) and within:
                yield from definitions(statement.body, within)  # type: ignore[attr-defined]
            elif is_function and not rest:
                yield statement
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from definitions(getattr(statement, name, None) or (), path)
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from definitions(part.body, path)


def decorate(definition: Any) -> None:
    """Add the outermost decorator, on the line where the definition begins."""
    import _ast

    at = definition.decorator_list[0] if definition.decorator_list else definition
    place = _ast.Constant(
        value=PLACE,
        lineno=at.lineno,
        col_offset=at.col_offset,
        end_lineno=at.lineno,
        end_col_offset=at.col_offset + 1,
    )
    definition.decorator_list.insert(0, place)


def with_constant(code: CodeType, placeholder: str, value: object) -> CodeType:
    """The same code, and all code in it, with `value` for a constant."""

    def made_of(constant: object) -> object:
        if isinstance(constant, CodeType):
            return with_constant(constant, placeholder, value)
        return value if type(constant) is str and constant == placeholder else constant

    return code.replace(co_consts=tuple(map(made_of, code.co_consts)))


def imported_from(tree: _ast.Module, name: str) -> str | None:
    """The dotted name of what a `from` statement at the program's top imports under this name."""
    for statement in tree.body:
        if type(statement).__name__ == "ImportFrom" and not statement.level:  # type: ignore[attr-defined]
            for alias in statement.names:  # type: ignore[attr-defined]
                if (alias.asname or alias.name) == name:
                    return f"{statement.module}.{alias.name}"  # type: ignore[attr-defined]
    return None
