"""Where threads waited, in profiles that are made of samples: looks at them tell it.

Who waits for work, or for threads that do some, is not told. Nor is who waits below no function of
the program, as a server's thread does for the next request.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.outline.finding import (
    NANOSECONDS,
    Finding,
    is_sure,
    said_of,
    seconds_of,
    share,
)
from tracer.analysis.outline.waiting_kinds import is_idle
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.folding import own_rows
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet

MUCH = 0.2  # of the run: less that was waited is no finding
SHORTEST = 100_000_000  # ns: nor is less than that


def sampled_waits(profiles: ProfileSet) -> Finding | None:
    """The function of the program in which threads waited most."""
    if profiles.sampled is None or not profiles.is_whole:
        return None
    seen = profiles.seen_by_waits()
    length = NANOSECONDS * max(
        (it.waits.real for part in profiles.parts for it in part.threads if it.waits is not None),
        default=0.0,
    )
    paths = paths_of(seen)
    times = waits_by_thread(paths)
    if not times:
        return None
    row = max(times, key=lambda one: sum(times[one].values()))
    time, threads = sum(times[row].values()), len(times[row])
    if time < max(MUCH * length, SHORTEST) or not is_sure(paths, time):
        return None
    function, waited = paths.rows[row], seconds_of(paths, time)
    if threads == 1:
        parts = said_of(function, f"{share(time, length)} of the run:", f", waits {waited}")
    else:
        parts = said_of(function, f"{threads} threads wait {waited} in")
    return Finding(parts, min(time, length), function, "waits", "; --waited has more")


def waits_by_thread(paths: Paths) -> dict[int, dict[int, int]]:
    """By the latest function of the program on the path, then by the number of the thread:
    nanoseconds."""
    owns = own_rows(paths)
    idle = [is_idle(paths, row) for row in range(len(paths.rows))]
    found: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for number, tree in enumerate(paths.trees):
        latest = [(NO_ROW, False)]  # along the path; and whether that waits for work
        for node in range(1, len(tree)):
            row = tree.row[node]
            del latest[tree.depth[node] :]
            function, is_for_work = latest[-1]
            function = row if owns[row] else function
            latest.append((function, is_for_work or idle[row]))
            if tree.time[node] and function != NO_ROW and not latest[-1][1]:
                found[function][number] += tree.time[node]
    return found
