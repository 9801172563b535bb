"""Prints what `show` was asked for of a timeline: the run over time, ranges, the longest calls.

options/show.py has the options, tracer/analysis the figures, tracer/report the text.
"""

from __future__ import annotations

from io import StringIO
from os.path import basename

from tracer.analysis.timeline.ranges import range_sums, ranges_named, ranges_of
from tracer.analysis.timeline.run import runs_of
from tracer.analysis.tree.function_names import names_of
from tracer.api.stats import Stats, ThreadStats
from tracer.cli.chooser import Chooser
from tracer.cli.first_screen import Places
from tracer.cli.inputs import thread_of, use_phases
from tracer.cli.listings import limit_of
from tracer.cli.progress import Progress
from tracer.cli.run_header import command_line, header_lines
from tracer.cli.tables import Printed
from tracer.launch.errors import UsageError
from tracer.report.cells import cut_end, on_one_line
from tracer.report.styled import in_lines, joined
from tracer.report.timeline_cells import lasting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.timeline.ranges import OneRange
    from tracer.analysis.timeline.run import TimedRun
    from tracer.analysis.tree.call_tree import Row
    from tracer.cli.options.option import Option
    from tracer.cli.options.show import ShowOptions
    from tracer.cli.screen import Screen
    from tracer.report.outline import Place

HEIGHT = 24  # lines of a terminal that does not tell
NO_END = 2**31  # columns
NAMED = 10  # ranges, where none is of the name that was given


def print_listings(
    files: Sequence[str], listings: Sequence[Option], options: ShowOptions, screen: Screen
) -> Printed:
    """The text of these listings. Raises ProfileFormatError or OSError for a file that cannot be
    read, and UsageError."""
    stats = Stats(*files, stream=StringIO())
    use_phases(stats, options.phases)
    thread = None if options.thread is None else thread_of(stats, options.thread)
    runs = runs_of(thread or stats, options.begin, options.end)
    if not runs:
        raise UsageError(
            f"{', '.join(files)}: no timeline was recorded; run the program with --timeline"
        )
    refuse_late(runs, options.begin)
    runs.sort(key=lambda run: run.timeline.epoch)
    if options.summary is not None:
        return print_summary(stats, len(files), thread, runs, options, screen)
    names = [listing.name for listing in listings]
    # Folders tell the program's own files from others, so only what is printed is without them.
    place = without_folders if options.strip_dirs else Places(runs[0].outline).of
    header = [] if options.no_header else header_lines(stats, len(files), thread, brief=True)
    about = [cut_end(line, screen.width) for line in header]
    parts: list[str] = [joined("\n", about)] if about else []
    chooser = Chooser(lambda: names_of(thread or stats))
    for name in names:
        if name == "ranges":
            parts += ranges_text(runs, options, screen, place, chooser.notes)
            continue
        for number, run in enumerate(runs):
            if run.first * run.tick > run.ended:
                told = [none_later(run)]
            elif name == "slowest":
                told = slowest_text(run, options, screen, place, chooser)
            else:
                is_alone = len(names) == len(runs) == 1
                above = len(about) if is_alone else 0
                told = [strip_text(run, screen, above, place, options.limit)]
            title = [cut_end(title_of(runs, number), screen.width)] if len(runs) > 1 else []
            parts += title + told
    text = joined("\n\n", parts)
    return Printed(text + "\n" if text else "", chooser.notes, stats.problems)


def print_summary(
    stats: Stats,
    number: int,
    thread: ThreadStats | None,
    runs: Sequence[TimedRun],
    options: ShowOptions,
    screen: Screen,
) -> Printed:
    """The summary of all that is wanted, below the header of so many files. On a terminal, lines
    are cut where they would not fit."""
    from tracer.analysis.steps.phase_rules import ConfigError
    from tracer.report.summary import SummaryText

    header = [] if options.no_header else header_lines(stats, number, thread, brief=True)
    try:
        text = SummaryText(
            thread or stats,
            options.sort,
            options.summary or None,
            options.time_unit or "ms",
            options.by_thread,
            options.limit,
            runs,
        ).text()
    except ConfigError as error:
        raise UsageError(str(error)) from None
    lines = [*header, *([""] if header else []), *text.removesuffix("\n").split("\n")]
    width = screen.width if screen.is_terminal else NO_END
    return Printed(in_lines(cut_end(line, width) for line in lines), [], stats.problems)


def refuse_late(runs: Sequence[TimedRun], begin: float | None) -> None:
    """Raise UsageError for a part of which no run has anything."""
    end = max(run.ended for run in runs)
    if begin is not None and begin > end:
        raise UsageError(
            f"nothing was recorded after {end:.3f} s, and --from {begin:g} is later; give an "
            "earlier time"
        )


def none_later(run: TimedRun) -> str:
    return f"Nothing was recorded after {run.ended:.3f} s."


def without_folders(row: Row) -> str:
    return f"{basename(row.file)}:{row.line}"


def title_of(runs: Sequence[TimedRun], number: int) -> str:
    """What stands above one of several runs: their moments have nothing in common."""
    run = runs[number]
    later = run.timeline.epoch - runs[0].timeline.epoch
    title = f"run {number + 1} of {len(runs)}, process {run.timeline.pid}"
    title += f", {later:.3f} s after the first" if number else ""
    of = run.capture.run
    return title if of is None else f"{title}: {command_line(of.command)}"


def strip_text(run: TimedRun, screen: Screen, above: int, place: Place, limit: int | None) -> str:
    """The run over time. On a terminal it fits a screen with so many lines above."""
    from tracer.report.timeline import timeline_text

    if not screen.is_terminal:
        return timeline_text(run, screen.width, None, place, limit)
    room = (screen.height or HEIGHT) - 1 - (above + 1 if above else 0)
    return timeline_text(run, screen.width, room, place, limit)


def ranges_text(
    runs: Sequence[TimedRun], options: ShowOptions, screen: Screen, place: Place, notes: list[str]
) -> list[str]:
    """Both tables of ranges. Where there is no terminal, no value is cut."""
    from tracer.report.ranges import LONGEST, longest_ranges, range_table

    ranges = list(ranges_of(runs))
    only, limit = options.only, options.limit
    if only is not None and ranges:
        every, ranges = ranges, ranges_named(ranges, only)
        notes += [] if ranges else [no_range(every, only)]
        if not ranges:
            return []
    width = screen.width if screen.is_terminal else NO_END
    key = options.sort or "total"
    tables = [
        range_table(range_sums(ranges, key), key, limit_of(options), width),
        longest_ranges(ranges, width, place, LONGEST if limit is None else limit or None),
    ]
    return ["\n".join(lines) for lines in tables if lines]


def no_range(ranges: Sequence[OneRange], text: str) -> str:
    names = list(dict.fromkeys(one.name for one in ranges))
    there = ", ".join(on_one_line(name) for name in names[:NAMED])
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"no range matches {text!r}; there are: {there}{more}"


def slowest_text(
    run: TimedRun, options: ShowOptions, screen: Screen, place: Place, chooser: Chooser
) -> list[str]:
    from tracer.analysis.timeline.slowest import slowest_calls
    from tracer.report.timeline_calls import slowest_table

    chosen = chooser.restrictions(options)
    wanted = None
    if chosen:
        labels = set.intersection(*(set(choice.qualified) for choice in chosen))
        wanted = {number for number, row in enumerate(run.outline.paths.rows) if row in labels}
        if not wanted:
            return []
    number = options.slowest or 0
    with Progress("looking for the longest calls", number) as progress:
        calls = slowest_calls(run, number, wanted, progress)
    lines = slowest_table(run, calls, screen.width, place, is_whole=not screen.is_terminal)
    return ["\n".join(lines + remarks_on(run, len(calls) < number))]


def remarks_on(run: TimedRun, is_short: bool) -> list[str]:
    """What is not in the table of the longest calls, where there are fewer than were asked for."""
    if not (is_short and run.least):
        return []
    return [f"Calls of less than {lasting(run, run.least)} are not drawn, and are not here."]
