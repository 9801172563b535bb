"""What Stats prints of timelines: the run over time, the longest calls, ranges. Nothing is cut.

The command has titles, parts of a run and choices besides: cli/timeline_listings.py.
"""

from __future__ import annotations

from tracer.analysis.timeline.ranges import range_sums, ranges_of
from tracer.analysis.timeline.run import runs_of
from tracer.analysis.timeline.slowest import slowest_calls
from tracer.report.ranges import LONGEST, longest_ranges, range_table
from tracer.report.timeline import timeline_text
from tracer.report.timeline_calls import slowest_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.timeline.run import TimedRun
    from tracer.analysis.tree.call_tree import Row
    from tracer.data.profile_set import ProfileSet

WIDTH = 100
NO_END = 2**31  # columns


def strips(profiles: ProfileSet, limit: int | None) -> str:
    """Each run over time. limit: of how many threads; None: of all."""
    place = places(profiles)
    return of_each(profiles, lambda run: timeline_text(run, WIDTH, None, place, checked(limit)))


def longest_calls(profiles: ProfileSet, number: int) -> str:
    """The longest calls of each run."""
    if number < 1:
        raise ValueError(f"number must be 1 or more, not {number}")
    place = places(profiles)

    def table(run: TimedRun) -> str:
        calls = slowest_calls(run, number)
        return "\n".join(slowest_table(run, calls, WIDTH, place, is_whole=True))

    return of_each(profiles, table)


def ranges(profiles: ProfileSet, limit: int | None) -> str:
    """The sums of ranges of all runs, and the longest ones. limit: rows of each table."""
    runs = timed(profiles)
    found = list(ranges_of(runs))
    rows = LONGEST if checked(limit) is None else limit
    tables = [
        range_table(range_sums(found), "total", limit, NO_END),
        longest_ranges(found, NO_END, places(profiles), rows),
    ]
    return "\n\n".join("\n".join(lines) for lines in tables if lines) + "\n"


def checked(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be 1 or more, not {limit}")
    return limit


def timed(profiles: ProfileSet) -> list[TimedRun]:
    runs = runs_of(profiles.with_folders())  # which tell the program's own files from others
    if not runs:
        raise ValueError("no timeline was recorded; make the Profile with timeline=True")
    return sorted(runs, key=lambda run: run.timeline.epoch)


def of_each(profiles: ProfileSet, text_of: Callable[[TimedRun], str]) -> str:
    """A text for each run. Their moments have nothing in common."""
    runs = timed(profiles)
    texts = []
    for number, run in enumerate(runs):
        title = f"run {number + 1} of {len(runs)}, process {run.timeline.pid}\n\n"
        texts.append((title if len(runs) > 1 else "") + text_of(run) + "\n")
    return "\n".join(texts)


def places(profiles: ProfileSet) -> Callable[[Row], str]:
    """Where a function is: without folders, where the profiles are stripped of them."""
    is_stripped = any(part.stripped for part in profiles.parts)

    def place(row: Row) -> str:
        return f"{row.file.rpartition('/')[2] if is_stripped else row.file}:{row.line}"

    return place
