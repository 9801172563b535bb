"""why(): the shortest path of references that keeps an object alive."""

from __future__ import annotations

from typing import NamedTuple

from tracer._core import find_path, unrecorded
from tracer.analysis.memory.object_path import start_of, steps_of
from tracer.api.heap import Found
from tracer.report.objects import no_path_text, path_text


class Step(NamedTuple):
    """One reference of a path."""

    text: str  # as Python writes it: .orders, ['key'], [3]
    kind: str  # the name of the type of the object that it leads to; of a function, which


class Path(NamedTuple):
    """Why an object is alive. As text it says the path."""

    kind: str  # the name of the object's type
    start: str | None  # a module, or a variable of a running function; None: no path was found
    expression: str | None  # the whole path, as Python would write it
    steps: tuple[Step, ...]

    @property
    def is_found(self) -> bool:
        return self.start is not None

    def __repr__(self) -> str:
        if self.start is None or self.expression is None:
            return no_path_text(self.kind)
        return path_text(self.kind, self.start, self.expression, self.steps)


def why(object: object, /) -> Path:
    """Find the shortest path of references to an object from a module or from a variable of a
    running function. The caller's own variables count only if no other path leads to the object.

    No code of the program runs. The names of instance attributes are looked up as vars() does.
    Returns a Path(kind, start, expression, steps). Without a path the object is garbage, or C code
    holds it: then start and expression are None. Raises MemoryError.
    """
    with unrecorded:
        kind, path = find_path(object, Found)
        if path is None:
            return Path(kind, None, None, ())
        expression, start = start_of(path[0])
        steps = tuple(Step(*step) for step in steps_of(path[1]))
        return Path(kind, start, expression + "".join(step.text for step in steps), steps)
