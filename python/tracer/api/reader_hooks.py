"""Finds the reader of a loop by the rules of the phase `load`, and times it for a StepClock.

A rule names a function, such as the one by which a DataLoader gives its next batch. Where its
module is imported, a wrapper takes the function's place, which tells a StepClock how long each call
took. No profile is needed for that.
"""

from __future__ import annotations

import sys
from os.path import basename
from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any

    from tracer._core import StepClock


class ReaderHooks:
    """names: functions by module and qualified name. Those with a `*` name no function to wrap."""

    def __init__(self, clock: StepClock, names: Iterable[str]) -> None:
        self.clock = clock
        self.names: list[str] = [name for name in names if "*" not in name]
        self.replaced: list[tuple[object, str, FunctionType, object]] = []

    def install(self) -> None:
        """Wrap each function whose module is imported."""
        for name in self.names:
            found = find(name)
            if found is not None:
                owner, attribute, function = found
                wrapper = timed(self.clock._read, function)
                setattr(owner, attribute, wrapper)
                self.replaced.append((owner, attribute, function, wrapper))

    def remove(self) -> None:
        """Put the functions back, but for those that somebody else has replaced meanwhile."""
        while self.replaced:
            owner, attribute, function, wrapper = self.replaced.pop()
            if vars(owner).get(attribute) is wrapper:
                setattr(owner, attribute, function)


def find(name: str) -> tuple[object, str, FunctionType] | None:
    """(class or module, attribute, function) of a name whose module is imported; None where there
    is no such function written in Python."""
    words = name.split(".")
    for count in range(len(words) - 1, 0, -1):
        owner: Any = module_of(".".join(words[:count]))
        if owner is not None:
            break
    else:
        return None
    for word in words[count:-1]:
        owner = vars(owner).get(word)
        if not isinstance(owner, type):
            return None
    function = vars(owner).get(words[-1])
    return (owner, words[-1], function) if isinstance(function, FunctionType) else None


def module_of(name: str) -> ModuleType | None:
    """The module of this name, if it is imported; the program's own, which is imported as __main__,
    also by the name that other modules would import it by, or the last parts of that."""
    if name in sys.modules:
        return sys.modules[name]
    program = sys.modules.get("__main__")
    spec, file = getattr(program, "__spec__", None), getattr(program, "__file__", None)
    known = spec.name if spec is not None else basename(file or "").removesuffix(".py")
    return program if f".{known}".endswith(f".{name}") else None


def timed(read: Callable[..., Any], function: FunctionType) -> Callable[..., Any]:
    import functools

    @functools.wraps(function)
    def call(*args: Any, **names: Any) -> Any:
        return read(function, *args, **names)

    return call
