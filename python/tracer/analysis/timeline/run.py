"""The timeline of one run, with the names of its functions: what is told of moments begins here.

A *node* is a calling context, by its number in a thread's timeline; a *row* is a function, by its
number in the outline. Moments are ticks, as in the file.
"""

from __future__ import annotations

from array import array
from functools import cached_property

from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import Row, paths_of
from tracer.analysis.tree.folding import MODULE
from tracer.analysis.tree.program_texts import ProgramTexts
from tracer.data.killed import KILLED
from tracer.data.records import NO_ROW, NODE
from tracer.data.section import RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tracer.data.capture import Capture
    from tracer.data.profile_set import ProfileSet
    from tracer.data.timeline import Slices, ThreadTimeline, Timeline
    from tracer.data.types import Thread

END = 2**62  # ticks: no moment is later


class TimedThread:
    """A thread of a run. position: its number in the lists of the timeline."""

    def __init__(
        self, run: TimedRun, position: int, thread: Thread, timeline: ThreadTimeline
    ) -> None:
        self.run = run
        self.position = position
        self.thread = thread
        self.timeline = timeline
        self.name: str = thread.name
        self.began: int = timeline.began
        self.ended: int = timeline.ended
        self.is_over: bool = timeline.is_over

    def read(self, least: int = 0, first: int | None = None, last: int | None = None) -> Slices:
        """The slices of at least so many ticks, between these moments; by default in the part of
        the run that is wanted."""
        first = self.run.first if first is None else first
        return self.timeline.read(first, self.run.last if last is None else last, least)

    def sums(self, first: int, last: int, *, whole: bool = False) -> Iterator[tuple[int, int, int]]:
        return self.timeline.sums(first, last, whole=whole)

    @cached_property
    def rows(self) -> array[int]:
        """The row of each node; NO_ROW for one that is in no row."""
        rows = self.run.rows
        functions = self.timeline.functions
        return array("I", [rows[it] if it < len(rows) else NO_ROW for it in functions])

    @cached_property
    def internal(self) -> frozenset[int]:
        """The nodes of tracer's own functions, which are in no row of a profile."""
        left_out = self.run.capture.left_out
        functions = self.timeline.functions
        return frozenset(node for node, it in enumerate(functions) if it in left_out)

    @cached_property
    def parents(self) -> array[int]:
        """The caller's node of each node; 0 for the root, and where it is not known."""
        number = len(self.rows)
        log = self.thread.log
        callers = memoryview(self.thread.records["nodes"]).cast("I")[:: NODE.size // 4]
        if log is None or not log.folded:
            return array("I", callers)
        overflow = set(memoryview(log.folded).cast("I"))
        kept = [node for node in range(number) if node not in overflow]
        parents = array("I", bytes(4 * number))
        for node, caller in zip(kept, callers, strict=False):  # not as many, in a damaged file
            parents[node] = kept[caller] if caller < len(kept) else 0
        return parents

    def home(self, node: int) -> int:
        """The row of the program's nearest function at a node or above; without one, the node's
        own. Few nodes of a run are asked for."""
        rows, run = self.rows, self.run
        at = node
        while at and not run.is_own(rows[at]):
            at = self.parents[at]
        return rows[at or node]


class TimedRun:
    """A run and its timeline. first, last: the part that is wanted. threads: those wanted."""

    def __init__(
        self,
        profiles: ProfileSet,
        capture: Capture,
        timeline: Timeline,
        threads: Sequence[Thread],
        *,
        begin: float | None = None,
        end: float | None = None,
        outline: Outline | None = None,
    ) -> None:
        """threads: those of the capture that are wanted. begin, end: seconds since the start.
        outline: that of the profiles, where it is made."""
        self.timeline = timeline
        self.capture = capture
        self.profiles = profiles
        self.tick: float = timeline.seconds_per_tick
        self.least: int = timeline.least  # what is shorter is not drawn
        self.first: int = 0 if begin is None else round(begin / self.tick)
        self.last: int = END if end is None else round(end / self.tick)
        if outline is not None:
            self.outline = outline
        wanted = set(map(id, threads))
        pairs = enumerate(zip(capture.threads, timeline.threads, strict=True))
        self.threads: tuple[TimedThread, ...] = tuple(
            TimedThread(self, position, thread, log)
            for position, (thread, log) in pairs
            if id(thread) in wanted
        )
        self.by_position: dict[int, TimedThread] = {it.position: it for it in self.threads}

    @cached_property
    def outline(self) -> Outline:
        return Outline(paths_of(self.profiles), ProgramTexts(self.profiles).of)

    @cached_property
    def main_file(self) -> str | None:
        """The file that was run: that of the outermost code of a module, below runpy at most. None
        where no thread has such."""
        paths = self.outline.paths
        for tree in paths.trees:
            above: list[bool] = [True]  # by depth: whether no program is above
            for depth, row in zip(tree.depth[1:], tree.row[1:], strict=True):
                function, is_free = paths.rows[row], above[depth - 1]
                if is_free and function.name == MODULE:
                    return function.file
                del above[depth:]
                above.append(is_free and "runpy" in function.file)
        return None

    @cached_property
    def rows(self) -> list[int]:
        """The row of each function of the capture; NO_ROW for one that is in no row."""
        numbers = {row: number for number, row in enumerate(self.outline.paths.rows)}
        stripped = any(part.stripped for part in self.profiles.parts)
        labels = (function.label("qualname", stripped) for function in self.capture.functions)
        return [numbers.get(Row(*label), NO_ROW) for label in labels]

    def name(self, row: int) -> str:
        return self.outline.rows[row].name

    def is_own(self, row: int) -> bool:
        return row != NO_ROW and self.outline.is_own(row)

    def is_builtin(self, row: int) -> bool:
        return row != NO_ROW and self.outline.paths.is_builtin(row)

    def is_resumed(self, row: int) -> bool:
        """Whether a call of this function may be told in stretches, for it is a generator or a
        coroutine that went on."""
        figures = self.outline.paths.figures.get(row)
        return figures is not None and figures.resumes > 0

    @property
    def is_whole(self) -> bool:
        """Whether no part of the run was chosen."""
        return self.first == 0 and self.last == END

    def is_within(self, start: int, end: int) -> bool:
        return start <= self.last and end >= self.first

    @property
    def end(self) -> int:
        """The latest moment of the part that is wanted."""
        return min(self.last, max((it.ended for it in self.threads), default=0))

    @property
    def ended(self) -> float:
        """The last moment of the threads that are wanted, in seconds."""
        return max((it.ended for it in self.threads), default=0) * self.tick

    @cached_property
    def counted(self) -> int:
        """The moment up to which there are figures. A run that was killed, or goes on, has slices
        of later calls, but its figures are those that were saved last."""
        run = self.capture.run
        is_whole = run is None or run.ended not in (RUNNING, KILLED)
        return END if run is None or is_whole else round(run.real / self.tick)


def runs_of(
    profiles: ProfileSet,
    begin: float | None = None,
    end: float | None = None,
    outline: Outline | None = None,
) -> list[TimedRun]:
    """The runs that have a timeline, with those of their threads that are in the profiles."""
    wanted: dict[int, tuple[Capture, list[Thread]]] = {}
    for part in profiles.parts:
        _, threads = wanted.setdefault(id(part.capture), (part.capture, []))
        threads += part.threads
    timed = ((capture, capture.timeline, threads) for capture, threads in wanted.values())
    return [
        TimedRun(profiles, capture, timeline, threads, begin=begin, end=end, outline=outline)
        for capture, timeline, threads in timed
        if timeline is not None
    ]


def callers_of(parents: memoryview, at: int) -> Iterator[int]:
    """The slices around a slice, the innermost first."""
    at = parents[at]
    while at >= 0:
        yield at
        at = parents[at]
