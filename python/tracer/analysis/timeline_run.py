"""The timeline of one run, with the names of its functions: what is told of moments begins here.

A *node* is a calling context, by its number in a thread's timeline; a *row* is a function, by its
number in the outline. Moments are ticks, as in the file.
"""

from __future__ import annotations

from array import array
from functools import cached_property

from tracer.analysis.call_tree import Row, paths_of
from tracer.analysis.outline import Outline
from tracer.analysis.program_texts import ProgramTexts
from tracer.data.records import NO_ROW, NODE
from tracer.source.origin import BUILTIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.data.capture import Capture
    from tracer.data.profile_set import ProfileSet
    from tracer.data.timeline import ThreadTimeline, Timeline

END = 2**62  # ticks: no moment is later


class TimedRun:
    """A run and its timeline. first, last: the part that is wanted. threads: those wanted."""

    def __init__(
        self,
        profiles: ProfileSet,
        capture: Capture,
        *,
        begin: float | None = None,
        end: float | None = None,
        outline: Outline | None = None,
    ) -> None:
        """begin, end: seconds since the start. outline: that of the profiles, where it is made."""
        timeline = capture.timeline
        assert timeline is not None
        self.timeline: Timeline = timeline
        self.capture = capture
        self.profiles = profiles
        self.tick: float = timeline.seconds_per_tick
        self.least: int = round(timeline.least / self.tick)  # ticks: what is shorter is not drawn
        self.first: int = 0 if begin is None else round(begin / self.tick)
        self.last: int = END if end is None else round(end / self.tick)
        if outline is not None:
            self.outline = outline
        wanted = set(map(id, capture.threads))
        self.threads: tuple[ThreadTimeline, ...] = tuple(
            it for it in timeline.threads if id(it.thread) in wanted
        )

    @cached_property
    def outline(self) -> Outline:
        return Outline(paths_of(self.profiles), ProgramTexts(self.profiles).of)

    @cached_property
    def rows(self) -> list[int]:
        """The row of each function of the capture; NO_ROW for one that is in no row."""
        numbers = {row: number for number, row in enumerate(self.outline.paths.rows)}
        stripped = any(part.stripped for part in self.profiles.parts)
        labels = (function.label("qualname", stripped) for function in self.capture.functions)
        return [numbers.get(Row(*label), NO_ROW) for label in labels]

    def rows_of(self, thread: ThreadTimeline) -> array[int]:
        """The row of each node of a thread."""
        rows = self.rows
        functions = thread.rows()
        return array("I", (rows[it] if it < len(rows) else NO_ROW for it in functions))

    def name(self, row: int) -> str:
        return self.outline.rows[row].name

    def is_own(self, row: int) -> bool:
        return row != NO_ROW and self.outline.is_own(row)

    def is_builtin(self, row: int) -> bool:
        return row != NO_ROW and self.outline.paths.modules[row].kind == BUILTIN

    def is_resumed(self, row: int) -> bool:
        """Whether a call of this function may be told in stretches, for it is a generator or a
        coroutine that went on."""
        figures = self.outline.paths.figures.get(row)
        return figures is not None and figures.resumes > 0

    def is_within(self, start: int, end: int) -> bool:
        return start <= self.last and end >= self.first

    @property
    def end(self) -> int:
        """The latest moment of the part that is wanted."""
        return min(self.last, max((it.ended for it in self.threads), default=0))


def runs_of(
    profiles: ProfileSet, begin: float | None = None, end: float | None = None
) -> list[TimedRun]:
    """The runs that have a timeline."""
    captures = (capture for capture in profiles.captures if capture.timeline is not None)
    return [TimedRun(profiles, capture, begin=begin, end=end) for capture in captures]


def parents_of(thread: ThreadTimeline, number: int) -> array[int]:
    """The caller's node of each of so many nodes; 0 for the root, and where it is not known."""
    folded = set(thread.folded)
    kept = [node for node in range(number) if node not in folded]
    parents = array("I", bytes(4 * number))
    for node, (parent, *_) in zip(kept, NODE.iter_unpack(thread.thread.records["nodes"])):
        parents[node] = kept[parent] if node and parent < len(kept) else 0
    return parents


def homes_of(run: TimedRun, thread: ThreadTimeline) -> array[int]:
    """Of each node, the row of the program's nearest function above; without one, its own."""
    rows = run.rows_of(thread)
    homes = array("I", rows)
    parents = parents_of(thread, len(rows))
    own = bytearray(run.is_own(row) for row in rows)
    for node in range(1, len(rows)):  # a caller's node comes first
        above = parents[node]
        if not own[node] and above and own[above]:
            homes[node], own[node] = homes[above], True
    return homes


def callers_of(parents: memoryview, at: int) -> Iterable[int]:
    """The slices around a slice, the innermost first."""
    at = parents[at]
    while at >= 0:
        yield at
        at = parents[at]
