"""Keeps the work of tracer's own functions out of the profiles that are enabled meanwhile.

The extension leaves the functions of tracer's files out of every profile, but not their callees.
aside() stops recording while such a function runs, so its callees are in no row either.
"""

from __future__ import annotations

from tracer._core import unrecorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

LOOKS = ("__getitem__", "__init__", "__repr__", "_repr_html_")


def aside(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, with nothing recorded while it runs."""

    def run_aside(*args: P.args, **names: P.kwargs) -> T:
        with unrecorded:
            return function(*args, **names)

    # As functools.wraps() does. To import functools takes as long as to import all of tracer.
    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(run_aside, name, getattr(function, name))
    run_aside.__wrapped__ = function  # type: ignore[attr-defined]
    return run_aside


def all_aside(kind: type[T]) -> type[T]:
    """The same class, with aside() around every public method and property, inherited ones too."""
    for name in dir(kind):
        value: Any = getattr(kind, name)
        if name.startswith("_") and name not in LOOKS:
            continue
        function = value.fget if isinstance(value, property) else value
        if type(function) is not type(aside) or hasattr(function, "__wrapped__"):
            continue  # no function, or already aside: inherited from such a class
        seen = aside(function)
        setattr(kind, name, property(seen, doc=value.__doc__) if function is not value else seen)
    return kind
