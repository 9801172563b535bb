"""Aside: what the program has tracer do is in no row of a profile that is enabled meanwhile.

The functions of tracer's own files are left out of every profile by the extension. What they call
is not, unless nothing is recorded while they run: that is what is here for.
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
    """The function, in which nothing is recorded."""

    def run_aside(*args: P.args, **names: P.kwargs) -> T:
        with unrecorded:
            return function(*args, **names)

    # What functools.wraps() does, but that takes as long to import as all of tracer.
    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(run_aside, name, getattr(function, name))
    run_aside.__wrapped__ = function  # type: ignore[attr-defined]
    return run_aside


def all_aside(kind: type[T]) -> type[T]:
    """The class, of which every public method and property is aside, the inherited ones too."""
    for name in dir(kind):
        value: Any = getattr(kind, name)
        if name.startswith("_") and name not in LOOKS:
            continue
        function = value.fget if isinstance(value, property) else value
        if type(function) is not type(aside) or hasattr(function, "__wrapped__"):
            continue  # no function, or aside already, as what is inherited of such a class
        seen = aside(function)
        setattr(kind, name, property(seen, doc=value.__doc__) if function is not value else seen)
    return kind
