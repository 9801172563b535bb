"""Timelines on their way into an export: those of all processes on one clock, a part cut out, and
what is short left out.

tracks.py has what comes of that. lanes.py sorts the intervals beside the calls.
"""

from __future__ import annotations

from array import array

from tracer._core import count_slices
from tracer.analysis.timeline.dropped import dropped_by
from tracer.analysis.tree.call_tree import Paths, Row
from tracer.data.records import NO_ROW
from tracer.exports.lanes import lanes_of
from tracer.exports.names import placed_names, shown
from tracer.exports.times import FOREVER, SECOND, NoTimeline, Window, duration, times_of
from tracer.exports.tracks import Flow, Instant, Process, Track, Tracks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.capture import Capture
    from tracer.data.part import Part
    from tracer.data.profile_set import ProfileSet
    from tracer.data.timeline import Timeline
    from tracer.exports.times import Times


def tracks_of(profiles: ProfileSet, window: Window, most: int = 0) -> Tracks:
    """The timelines of these profiles. most: how many slices there may be at most; 0: any number.
    Raises NoTimeline, also where they ended before the window."""
    parts: dict[Capture, list[Part]] = {}
    for part in profiles.parts:
        parts.setdefault(part.capture, []).append(part)
    timelines = {it: it.timeline for it in parts if it.timeline is not None}
    if not timelines:
        raise NoTimeline("no timeline was recorded; run the program with --timeline")
    tracks = Tracks()
    if len(timelines) < len(parts):
        tracks.losses.append(f"{len(parts) - len(timelines)} of {len(parts)} have no timeline")
    clocks = times_of(list(timelines.values()), window)
    lasts = [(it.last, clock.times) for it, clock in zip(timelines.values(), clocks, strict=True)]
    if all(last < times.first for last, times in lasts):
        end = max(round(last * times.ns_per_tick) + times.shift for last, times in lasts) / SECOND
        raise NoTimeline(f"nothing was recorded after {end:.3f} s; choose an earlier part")
    tracks.epoch = clocks[0].epoch
    numbers: dict[Row, int] = {}
    pids: set[int] = set()
    for (capture, timeline), clock in zip(timelines.items(), clocks, strict=True):
        process = Process(unused(timeline.pid, pids), name_of(capture), clock.times)
        tracks.processes.append(process)
        found: dict[int, Track] = {}
        for part in parts[capture]:
            add_threads(part, timeline, process, found, numbers)
        note_losses(tracks, timeline, process.times)
        add_beside(timeline, tracks, process, found)
    name_rows(tracks, numbers)
    leave_out_short(tracks, window, most)
    return tracks


def name_of(capture: Capture) -> str:
    run = capture.run
    return shown(" ".join(run.command)) if run is not None else "Python"


def unused(number: int, taken: set[int]) -> int:
    """The number, if nothing else has it, else one that no process and no thread of a system has:
    viewers take what has the same number for the same thing."""
    if number <= 0 or number in taken:
        number = max(max(taken, default=0), 2**22) + 1
    taken.add(number)
    return number


def add_threads(
    part: Part,
    timeline: Timeline,
    process: Process,
    found: dict[int, Track],
    numbers: dict[Row, int],
) -> None:
    """Add a track for each thread of the part. found: by the thread's position in the timeline."""
    capture = part.capture
    of_function = array("I")
    for position, function in enumerate(capture.functions):
        is_out = position in capture.left_out
        label = Row(*function.label("qualname", part.stripped))
        of_function.append(NO_ROW if is_out else numbers.setdefault(label, len(numbers)))
    tids = {track.tid for track in found.values()}
    both = zip(capture.threads, timeline.threads, strict=True)
    for position, (thread, log) in enumerate(both):
        if not any(thread is wanted for wanted in part.threads) or position in found:
            continue
        rows = (NO_ROW if number == NO_ROW else of_function[number] for number in log.functions)
        tid = unused(thread.native_id, tids)
        name = shown(thread.name) if thread.name else f"thread {tid}"
        found[position] = Track(process, log, name, tid, array("I", rows), position == 0)
        process.tracks.append(found[position])


def name_rows(tracks: Tracks, numbers: dict[Row, int]) -> None:
    paths = Paths(numbers, ())
    tracks.rows = paths.rows
    tracks.names = placed_names(paths)
    tracks.kinds = [module.kind for module in paths.modules]
    tracks.in_c = bytes(row.file == "~" for row in paths.rows)


def add_beside(
    timeline: Timeline, tracks: Tracks, process: Process, found: dict[int, Track]
) -> None:
    """Add what is beside the calls, of the threads that were found."""
    times = process.times
    for position, _, tick, name, values in timeline.marks:
        if position in found and times.has(tick):
            found[position].instants.append(Instant(times.ns(tick), shown(name), "mark", values))
    for position, tick, what, pid in timeline.forks:
        if position in found and times.has(tick):
            known = (("pid", pid),) if pid > 0 else ()
            found[position].instants.append(Instant(times.ns(tick), shown(what), "fork", known))
    for position, tick, name, value in timeline.counters:
        if position in found and times.has(tick):
            process.counters.setdefault(shown(name), []).append((times.ns(tick), value))
    for name, position, start, other, end in timeline.flows:
        if position in found and other in found and times.has(start) and times.has(end):
            ends = found[position], times.ns(start), found[other], times.ns(end)
            tracks.flows.append(Flow(len(tracks.flows) + 1, shown(name), *ends))
    lanes_of(timeline, process, found)


def leave_out_short(tracks: Tracks, window: Window, most: int) -> None:
    """Leave out slices that are too short, and say so."""
    for track in tracks:
        track.leave_out(track.process.times.ticks(window.least))
    count = tracks.slice_count
    if most and count > most:
        least = threshold(tracks, most)
        for track in tracks:
            track.leave_out(track.process.times.ticks(least))
        tracks.losses.append(
            f"{count:,} slices are more than {most:,}: the {tracks.slice_count:,} of "
            f"{duration(least)} or more are drawn"
        )
    elif window.least:
        tracks.chosen.append(f"slices of {duration(window.least)} or more are drawn")
    if (window.start, window.end) != Window()[:2]:
        end = duration(window.end) if window.end < FOREVER else "the end"
        tracks.chosen.append(f"drawn from {duration(window.start)} to {end}")


def note_losses(tracks: Tracks, timeline: Timeline, times: Times) -> None:
    """Say what the recording itself left out."""
    if timeline.least:
        least = duration(timeline.least * times.ns_per_tick)
        tracks.losses.append(f"slices below {least} found no room in the timeline")
    if timeline.since:
        since = duration(timeline.since * times.ns_per_tick + times.shift)
        tracks.losses.append(f"the timeline was overwritten up to {since}")
    if timeline.lost:
        tracks.losses.append(f"{timeline.lost:,} longer slices found no room either")
    tracks.losses += dropped_by(timeline)


def threshold(tracks: Tracks, most: int) -> int:
    """The least nanoseconds from which on there are no more than `most` slices."""
    too_short, long_enough = 0, 1
    while count_of(tracks, long_enough) > most:
        too_short, long_enough = long_enough, 2 * long_enough
    while long_enough - too_short > 1:
        middle = (too_short + long_enough) // 2
        if count_of(tracks, middle) > most:
            too_short = middle
        else:
            long_enough = middle
    return long_enough


def count_of(tracks: Tracks, least: int) -> int:
    """How many slices last so many nanoseconds."""
    return sum(
        count_slices(track.slices.starts, track.slices.ends, track.process.times.ticks(least))
        for track in tracks
    )
