"""A set of profiles, added up: tables, pages, exports and comparisons are made from one.

A set holds the rows of functions as pstats has them, and the parts that the rows come from.
api/stats.py reads files, sorts and prints: its Stats is such a set.
"""

from __future__ import annotations

from copy import copy

from tracer._core import ProfileFormatError
from tracer.data.capture import Capture, lines_of
from tracer.data.part import Part
from tracer.data.totals import added_up
from tracer.runtime.unrecorded import all_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from tracer.data.lines import Lines
    from tracer.data.sampled_set import SampledSet
    from tracer.data.types import Label, Resumes, StatsDict, Thread, Totals

NAMES = ("label", "qualname")


def command_of(captures: Iterable[Capture]) -> str | None:
    """The command line that was profiled; None where none is known, or there are several."""
    commands = {capture.run.command for capture in captures if capture.run is not None}
    return " ".join(commands.pop()) if len(commands) == 1 else None


@all_aside
class ProfileSet:
    """ProfileSet(*captures, names="label", raw=False)

    names: "label" names functions as pstats does, "qualname" as `Class.method`.
    raw: leave tracing overhead in the times, even where compensation was asked for.

    stats: the rows, as pstats has them; times are seconds. total_calls: calls of all functions.
    problems: a sentence for each part of a file that could not be read. Raises ValueError for
    another value of names, and ProfileFormatError, a ValueError, for samples beside calls.
    """

    stats: StatsDict
    total_calls: int

    def __init__(self, *captures: Capture, names: str = "label", raw: bool = False) -> None:
        if names not in NAMES:
            raise ValueError(f"names must be 'label' or 'qualname', not {names!r}")
        self.names: str = names
        self.raw: bool = raw
        # By which seen_by() made the set: of memory; or "cpu", by native samples.
        self.measure: str | None = None
        self.source: ProfileSet | None = None  # likewise: the set that it made this one of
        self.problems: list[str] = []
        self._whole = True  # whether all rows come from the parts
        self._unstripped: StatsDict | None = None  # before strip_dirs(); None: not called
        self._set_parts([Part(capture) for capture in captures])
        self.stats = self.totals.stats if captures else {}
        self.total_calls = sum(ncalls for _, ncalls, _, _, _ in self.stats.values())

    def _set_parts(self, parts: list[Part]) -> None:
        kinds = {it.capture.sampled_data is not None for it in parts if it.capture.functions}
        if len(kinds) > 1:
            raise ProfileFormatError(
                "some are profiles of samples, and some of calls, which cannot be added up",
                remedy="give those of one kind, or compare two with diff",
            )
        self._parts: list[Part] = parts
        self._totals: Totals | None = None  # of the parts; None: not added up yet
        self._lines: Lines | None = None  # likewise
        self._sampled: dict[str, SampledSet] = {}  # likewise, by what names functions

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the set: captures, or threads of captures."""
        return tuple(self._parts)

    @property
    def is_whole(self) -> bool:
        """Whether all rows come from the parts: none from a file that tracer did not write."""
        return self._whole

    @property
    def knows_calls(self) -> bool:
        """Whether each call was recorded from its beginning to its end, and so what it waited."""
        return self._whole and self.sampled is None

    @property
    def unstripped(self) -> StatsDict:
        """The rows as they were before strip_dirs() merged some of them."""
        return self.stats if self._unstripped is None else self._unstripped

    def with_folders(self) -> Self:
        """The same set before strip_dirs()."""
        other = copy(self)
        other.stats, other._unstripped = self.unstripped, None
        other._set_parts([part._replace(stripped=False) for part in self._parts])
        return other

    def seen_by(self, measure: str, names: str | None = None) -> ProfileSet:
        """The set with bytes of this measure of memory in the place of nanoseconds, and blocks in
        the place of calls: see data/memory.py. What was recorded without memory is left out.
        names: as of the class; None: those of the set. Raises ValueError where nothing was recorded
        with memory."""
        from tracer.data.memory import NO_MEMORY

        views = {
            part.capture: part.capture.seen_by(measure)
            for part in self._parts
            if part.capture.memory_data is not None
        }
        if not views:
            raise ValueError(NO_MEMORY)
        return self._seen(views, measure, self.names if names is None else names)

    def seen_by_native(self, *, by_address: bool = False) -> ProfileSet:
        """The set with CPU by native samples in the place of time, and native functions among the
        others: see data/native_view.py. What was recorded without samples is left out. Raises
        ValueError where no native code was sampled."""
        from tracer.data.native_view import CPU, seen_by_native
        from tracer.data.samples import NO_NATIVE

        views = {
            part.capture: seen_by_native(part.capture, by_address=by_address)
            for part in self._parts
            if part.capture.native_data is not None
        }
        if not views:
            raise ValueError(NO_NATIVE)
        return self._seen(views, CPU, self.names)

    def seen_by_waits(self) -> ProfileSet:
        """The set with what threads waited, where they did, in the place of CPU time: see
        data/waits_view.py. What was recorded without samples is left out."""
        from tracer.data.waits_view import WAITS, seen_by_waits

        views = {
            part.capture: seen_by_waits(part.capture)
            for part in self._parts
            if part.capture.sampled_data is not None
        }
        return self._seen(views, WAITS, self.names)

    def _seen(self, views: dict[Capture, Capture], measure: str, names: str) -> ProfileSet:
        """The set of these views of captures."""
        parts: list[Part] = []
        for part in self._parts:
            view = views.get(part.capture)
            if view is None:
                continue
            place = None if part.thread is None else part.capture.threads.index(part.thread)
            thread = None if place is None else view.threads[place]
            parts.append(Part(view, thread, part.stripped))
        seen = ProfileSet(names=names)
        seen.measure, seen.source = measure, self
        seen.problems = list(self.problems)
        seen._set_parts(parts)
        seen.stats = seen.totals.stats
        seen.total_calls = sum(blocks for _, blocks, _, _, _ in seen.stats.values())
        return seen

    def by_thread(self) -> Iterator[ProfileSet]:
        """A set for each thread, in the order of the parts. It has parts, and no rows."""
        for part in self._parts:
            for thread in part.threads:
                alone = ProfileSet(names=self.names, raw=self.raw)
                alone._set_parts([part._replace(thread=thread)])
                yield alone

    @property
    def captures(self) -> list[Capture]:
        """The Captures of the set: of Profiles, and of files that tracer wrote. Where the set holds
        only some threads of a Capture, a Capture of these threads alone."""
        threads: dict[Capture, list[Thread]] = {}
        for part in self._parts:
            if part.thread is not None:
                threads.setdefault(part.capture, []).append(part.thread)
        whole = [part.capture for part in self._parts if part.thread is None]
        return whole + [capture.of_threads(those) for capture, those in threads.items()]

    @property
    def sampled(self) -> SampledSet | None:
        """What the samples tell that times come from, and which calls were counted; None where each
        call was recorded."""
        return self.sampled_by(self.names)

    def sampled_by(self, names: str) -> SampledSet | None:
        """The same with functions named by `names`."""
        if all(part.capture.sampled_data is None for part in self._parts):
            return None
        if names not in self._sampled:
            from tracer.data.sampled_set import SampledSet

            self._sampled[names] = SampledSet(self._parts, names)
        return self._sampled[names]

    @property
    def lines(self) -> Lines:
        """The timed lines of all captures, added up: see tracer.Lines. Where times come from
        samples, the lines on which these fell; of one thread of several they are not known."""
        if self._lines is None:
            self._lines = lines_of(self.captures, raw=self.raw)
            sampled = self.sampled
            if sampled is not None and all(part.thread is None for part in self._parts):
                from tracer.data.sampled_lines import sampled_lines

                self._lines = sampled_lines(self.captures, sampled)
        return self._lines

    @property
    def resumes(self) -> dict[Label, Resumes]:
        """{label: Resumes} of the generators and coroutines that were resumed.

        cProfile's ncalls is ncalls + resumes here. Empty for files that tracer did not write.
        """
        return self.totals.resumes

    @property
    def totals(self) -> Totals:
        """All figures of the parts, even those that pstats has no place for: see Totals in
        data/types.py."""
        if self._totals is None:
            self._totals = added_up([part.figures(self.names, self.raw) for part in self._parts])
        return self._totals
