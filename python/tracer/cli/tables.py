"""Makes the text of a profile: the header, then the tables that the printing options ask for.

`show` uses it, and `run` without a FILE; both print the same for the same profile. run_header.py
makes the header; Stats and tracer/report make the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from tracer.analysis.recordings import mixtures
from tracer.analysis.tree.function_names import names_of, names_of_lines
from tracer.analysis.tree.waiting import waits_of
from tracer.api.stats import ProfileFormatError, Stats
from tracer.cli.chooser import Chooser, number_in
from tracer.cli.first_screen import first_screen
from tracer.cli.inputs import thread_of
from tracer.cli.listings import (
    limit_of,
    print_listing,
    print_memory,
    print_native,
    remark_on_rest,
)
from tracer.cli.options.checks import refuse_single_calls
from tracer.cli.options.printing import LISTINGS, PRINTING, of_lines
from tracer.cli.run_header import header_lines, run_header
from tracer.cli.screen import Screen
from tracer.data.capture import Capture
from tracer.data.memory import NO_MEMORY
from tracer.data.samples import NO_NATIVE
from tracer.data.types import RunInfo
from tracer.launch.errors import UsageError
from tracer.launch.profile_output import no_line_recorded, nothing_recorded
from tracer.report.styled import StyledStream, short_function
from tracer.source.file_kinds import OWN, place_of
from tracer.source.short_names import short_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TextIO

    from tracer.api.stats import ThreadStats
    from tracer.cli.options.printing import PrintingOptions
    from tracer.data.lines import Lines
    from tracer.data.profile_set import ProfileSet


# The options that ask for the table of functions, and how many rows it has by default.
OF_TABLES = ("sort", "limit", "table", "only", "strip_dirs")
FOR_A_FILE = Screen()
MEMORY_ROWS = 10  # below the table of functions


class Mode(Enum):
    """Which verb asks for a text, and which lines it wants."""

    RUN = auto()  # `run`: functions
    RUN_DECORATED = auto()  # `run -l`: the lines of decorated functions, and no functions
    RUN_LINES = auto()  # `run --lines`: functions, then the lines of the program's own code
    SHOW = auto()  # `show`: all that the files hold; lines only if no listing is asked for
    SHOW_LINES = auto()  # `show --lines`: the lines that the files hold, and no functions
    SHOW_FUNCTIONS = auto()  # `show --functions`: the functions that the files hold, and no lines


def nothing_more(profiles: ProfileSet) -> str:
    return ""


@dataclass(frozen=True)
class Printing:
    """What to print. `thread` is the name of the only thread to print. `raw`: leave tracing
    overhead in the times. `screen`: what the text is for. `more`: returns the last line of the
    first screen of these profiles. `has_memory`, `has_native`: the table of memory, or of native
    functions, stands below that of functions."""

    mode: Mode
    options: PrintingOptions
    thread: str | None = None
    raw: bool = False
    screen: Screen = FOR_A_FILE
    more: Callable[[ProfileSet], str] = nothing_more
    has_memory: bool = False
    has_native: bool = False

    @property
    def asks_for_screen(self) -> bool:
        """Whether functions are printed as the first screen, for want of an option that asks for a
        table."""
        asked = self.options.first_given(OF_TABLES)
        return not (asked or self.options.include or self.options.given(LISTINGS))

    @property
    def asks_for_other(self) -> bool:
        """Whether a thread or a listing is asked for, in place of the usual tables."""
        return bool(self.thread or self.options.given(LISTINGS))

    def prints_functions(self, stats: Stats) -> bool:
        """Whether functions are printed: not if only lines were recorded, or are asked for."""
        return self.mode is not Mode.SHOW_LINES and not self.are_lines_all(stats)

    def are_lines_all(self, stats: Stats) -> bool:
        """Whether there are no functions because only lines were recorded."""
        timed = any(capture.timed_lines is not None for capture in stats.captures)
        others = (Mode.RUN_LINES, Mode.SHOW_FUNCTIONS)
        only = self.mode is Mode.RUN_DECORATED or (timed and self.mode not in others)
        return only and not stats.stats

    def prints_lines(self, lines: Lines) -> bool:
        """Whether tables of lines are printed, below those of functions or alone."""
        asked_for = self.mode in (Mode.RUN_DECORATED, Mode.RUN_LINES, Mode.SHOW_LINES)
        wanted = asked_for or not (self.asks_for_other or lines.are_sampled)
        return self.mode is not Mode.SHOW_FUNCTIONS and bool(lines.functions and wanted)


class Printed(NamedTuple):
    """The text; notes on options that had no effect, or found nothing, and on runs that were
    recorded differently; the problems of damaged files that can still be read."""

    text: str
    notes: list[str]
    problems: list[str]


def print_section(section: dict[str, Any], printing: Printing) -> Printed:
    """The text of a section, which is what a profile file would hold."""
    return print_profiles([Capture(section, RunInfo(**section["run"]))], printing)


def print_profiles(sources: Sequence[Capture | str], printing: Printing) -> Printed:
    """The text of these profiles, added up. Raises ProfileFormatError or OSError for a file that
    cannot be read, and UsageError."""
    options = printing.options
    stream = StyledStream()
    stats = Stats(*sources, stream=stream, raw=printing.raw)
    thread = None if printing.thread is None else thread_of(stats, printing.thread)
    lines, line_notes = restricted_lines(thread or stats, options)
    lines_are_all = printing.are_lines_all(stats)
    asks_for_lines = printing.mode is Mode.SHOW_LINES or lines_are_all
    if asks_for_lines and line_notes and not lines.functions:
        return Printed("", line_notes, stats.problems)
    screen = screen_of(stats, len(sources), thread, printing)
    if screen is not None:
        stream.write(screen)
    elif not options.no_header:
        stream.write(run_header(stats, len(sources), thread))
        if options.memory:
            stream.write(plot_of_memory(stats, printing.screen.width))
    if printing.screen.is_terminal and not options.strip_dirs:
        shown = short_function(short_names(label[0] for label in stats.stats))
        for one in (stats, thread):
            if one is not None:
                one.shown = shown
    prints_lines = printing.prints_lines(lines)
    if printing.mode in (Mode.SHOW, Mode.SHOW_FUNCTIONS) and not (lines_are_all or prints_lines):
        check_without_lines(printing)
    if options.strip_dirs and printing.mode is not Mode.SHOW_LINES:
        (thread or stats).strip_dirs()
    notes = []
    if printing.prints_functions(stats):
        notes += print_functions(thread or stats, options) if screen is None else []
        print_recorded(thread or stats, printing, below_screen=screen is not None)
        notes += no_functions_of(stats) if thread is None else []
        notes += mixtures(stats)
    if screen is not None and (lines_are_all or prints_lines):
        stream.write("\n")
    if printing.mode is Mode.SHOW_FUNCTIONS and lines and not stats.stats:
        notes.append("there are lines and no functions; leave --functions out")
    if asks_for_lines:
        notes += line_notes
    ranked = options.limit is not None or options.sort is not None
    if printing.mode is Mode.SHOW_LINES and options.memory:
        notes += print_line_memory(lines, thread or stats, printing)
    elif lines and printing.mode is Mode.SHOW_LINES and ranked:
        print_hot_lines(lines, thread or stats, options)
    elif lines_are_all or prints_lines:
        notes += print_lines(lines, stream, options)
        if printing.has_memory and printing.mode is Mode.RUN_LINES:
            stream.write("\n")
            notes += print_line_memory(lines, stats, printing)
        unused = None if printing.mode is Mode.SHOW_LINES else options.first_given(PRINTING)
        if lines_are_all and unused not in (None, "--only", "--no-header", "--color"):
            notes.append(f"{unused} is of no use here: there are lines and no functions")
    elif printing.mode in (Mode.SHOW_LINES, Mode.RUN_LINES) and not line_notes:
        notes += no_lines_of(stats)
    return Printed(stream.getvalue(), notes, stats.problems)


def print_recorded(stats: Stats, printing: Printing, *, below_screen: bool) -> None:
    """Print the tables of memory and of native functions, where they were recorded."""
    options = printing.options
    if printing.has_memory:
        stats.stream.write("\n" * below_screen)
        rows = MEMORY_ROWS if options.limit is None else options.limit
        print_memory(stats, options.but(sort=None, limit=rows), Chooser(lambda: names_of(stats)))
    if printing.has_native:
        stats.stream.write("\n" * (below_screen or printing.has_memory))
        print_native(stats, options.but(sort=None), Chooser(lambda: names_of(stats)))


def screen_of(
    stats: Stats, sources: int, thread: ThreadStats | None, printing: Printing
) -> str | None:
    """The first screen; None where something else is to be printed, and where the call tree of a
    damaged file cannot be made."""
    shown = thread or stats
    has_functions = bool(shown.stats) and printing.prints_functions(stats)
    if not (has_functions and printing.asks_for_screen):
        return None
    bare = printing.options.no_header
    header = [] if bare else header_lines(stats, sources, thread, brief=True)
    try:
        return first_screen(shown, header, printing.more(shown), printing.screen)
    except ProfileFormatError:
        return None


def restricted_lines(stats: Stats, options: PrintingOptions) -> tuple[Lines, list[str]]:
    """The timed lines of the functions that --include and --only leave, and notes on options that
    leave none."""
    chooser = Chooser(lambda: names_of_lines(stats.lines), untimed=lambda: names_of(stats))
    chosen = chooser.restrictions(options) if stats.lines.functions else []
    if not chosen:
        lines = stats.lines
        return lines if lines.are_chosen else lines.only(is_own), []
    kept = set.intersection(*(set(choice.qualified) for choice in chosen))
    return stats.lines.only(lambda key: (key[0], key[1], key[3]) in kept), chooser.notes


def is_own(function: tuple[str, int, str, str]) -> bool:
    """Whether a function is the program's own, whose lines are timed as a rule."""
    return place_of(function[0])[0] == OWN


def check_without_lines(printing: Printing) -> None:
    """Raise UsageError for options of lines where `show` prints no lines."""
    unused = printing.options.first_given(of_lines(printing.options))
    if unused == "--min" and not printing.asks_for_other:
        raise UsageError("--min is of no use without lines or the call tree; give --tree, too")
    if unused:
        raise UsageError(
            f"{unused} is of no use without lines, and none are printed here; leave it out"
        )


def no_functions_of(stats: Stats) -> list[str]:
    """Why there are no functions, if each capture had a focus."""
    focused = [capture.focus for capture in stats.captures if capture.focus is not None]
    if stats.stats or len(focused) < max(len(stats.captures), 1):
        return []
    include, exclude = ([path for focus in focused for path in focus[i]] for i in (0, 1))
    return [nothing_recorded(tuple(dict.fromkeys(include)), tuple(dict.fromkeys(exclude)))]


def no_lines_of(stats: Stats) -> list[str]:
    """Why there are no lines. A damaged file may have lost some: its problem says so."""
    if any(capture.timed_lines is not None for capture in stats.captures):
        return [no_line_recorded(False, are_alone=False)]
    if stats.problems:
        return []
    if stats.sampled is not None:
        return ["no sample fell into a line of the program; run it for longer"]
    return ["no line was timed in that run: run the program with --lines or -l"]


def plot_of_memory(stats: Stats, width: int) -> str:
    from tracer.report.memory_plot import memory_plot

    return memory_plot(stats.captures, width)


def print_functions(stats: Stats, options: PrintingOptions) -> list[str]:
    by_memory = options.memory  # which -s is about then
    if by_memory and all(capture.memory_data is None for capture in stats.captures):
        raise UsageError(NO_MEMORY)
    if options.native and all(capture.native_data is None for capture in stats.captures):
        raise UsageError(NO_NATIVE)
    if stats.sampled is not None:
        refuse_single_calls(options)
    stats.sort_stats("cumulative" if by_memory else options.sort or "cumulative")
    chooser = Chooser(lambda: names_of(stats))
    listings = options.given(LISTINGS)
    for listing in listings:
        print_listing(listing, stats, options, chooser)
    if not listings:
        told_apart = stats.sampled is not None  # --waited has them
        if (
            not told_apart
            and waits_of(stats).are_worth_telling
            and "waited" not in stats.extra_columns
        ):
            stats.extra_columns = ("waited", *stats.extra_columns)
        chosen = chooser.restrictions(options)
        limit = limit_of(options)
        if options.no_header:
            stats.files = []  # which print_stats() names first
        stats.print_stats(*chosen, *(() if limit is None else (limit,)))
        stats.stream.write(remark_on_rest(number_in(stats, chosen), options))
    return list(dict.fromkeys(chooser.notes))


def print_lines(lines: Lines, stream: TextIO, options: PrintingOptions) -> list[str]:
    from tracer.report.lines import report

    stream.write(
        report(
            lines,
            options.unit,
            parts=options.parts,
            stripzeros=options.skip_zero,
            sort=options.sort_lines,
            summarize=options.summarize,
            percent=options.min or 0.0,
        )
    )
    if lines.functions:
        return [] if lines else ["no timed line was reached"]
    return [
        "no function was decorated with @profile: put @profile above the functions to "
        "be timed by line, "
        "or give --lines to time all"
    ]


def print_line_memory(lines: Lines, stats: Stats, printing: Printing) -> list[str]:
    """Print the lines by memory, of the functions that `lines` has."""
    from tracer.data.line_memory import line_memory_of
    from tracer.report.hottest_memory import hottest_memory
    from tracer.report.line_memory import WIDE, line_memory_tables

    captures = stats.captures
    if all(capture.memory_data is None for capture in captures):
        raise UsageError(NO_MEMORY)
    kept = {(function.file, function.first_line, function.qualname) for function in lines.functions}
    found = {
        key: memory
        for key, memory in line_memory_of(captures).items()
        if (key[0], key[1], key[3]) in kept
    }
    if not any(found.values()):
        return ["no line was recorded by memory: run the program with --memory and --lines"]
    options = printing.options
    ranked = options.limit is not None or options.sort is not None
    if ranked and printing.mode is Mode.SHOW_LINES:
        stats.stream.write(hottest_memory(found, lines, limit_of(options), options.sort or "peak"))
    else:
        exact = not printing.screen.is_terminal or printing.screen.width >= WIDE
        stats.stream.write(line_memory_tables(found, lines, exact=exact))
    return []


def print_hot_lines(lines: Lines, stats: Stats, options: PrintingOptions) -> None:
    from tracer.report.hottest_lines import report

    stats.stream.write(
        report(
            lines,
            stats.stats,
            limit_of(options),
            options.unit,
            by=options.sort or "total",
            parts=options.parts,
            percent=options.min or 0.0,
            strip_dirs=options.strip_dirs,
            shown=stats.shown,
        )
    )
