"""What is printed of a profile: the header, then the rows that the printing options ask for.

Used by `run` when it has no file to write and by `show`; both print the same for the same profile.
"""

from __future__ import annotations

from io import StringIO

from tracer.api.stats import Stats
from tracer.cli.inputs import thread_of
from tracer.cli.options import LINE_PRINTING, PRINTING, first_given, listings_in
from tracer.cli.patterns import matches, pattern_of, unmatched
from tracer.cli.run_header import header
from tracer.data.capture import Capture
from tracer.data.types import RunInfo
from tracer.launch.errors import UsageError
from tracer.launch.profile_output import nothing_recorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

    from tracer.data.lines import Lines


def render_section(section: dict[str, Any], values: dict[str, Any]) -> tuple[str, list[str]]:
    """The text for what a profile file would hold, and what of the options came to nothing."""
    text, notes, _ = render([Capture(section, RunInfo(**section["run"]))], values)
    return text, notes


def render(
    sources: Sequence[Capture | str], values: dict[str, Any]
) -> tuple[str, list[str], list[str]]:
    """The text for these profiles, added up; what of the options came to nothing; and what is wrong
    with files that can still be read.

    ProfileFormatError or OSError for a file that cannot.
    """
    stream = StringIO()
    stats = Stats(*sources, stream=stream, raw=values.get("raw", False))
    lines = stats.lines
    name = values.get("thread")
    thread = None if name is None else thread_of(stats, name)
    if not values["no_header"]:
        stream.write(header(stats, len(sources), thread))
    lines_alone = values.get("lines_alone", False)
    no_functions = not stats.stats and timed_lines_only(stats, values)
    if not (no_functions or values.get("lines_alone", True) or prints_lines(lines, values)):
        check_without_lines(values)
    if values["strip_dirs"] and not lines_alone:
        (thread or stats).strip_dirs()
    notes = []
    if thread is not None:
        notes += print_functions(thread, values)
    elif not (no_functions or lines_alone):
        notes += print_functions(stats, values)
        notes += no_functions_of(stats)
    if lines and lines_alone and values["limit"] is not None:
        print_hot_lines(lines, stats, values)
    elif no_functions or prints_lines(lines, values):
        notes += print_lines(lines, stream, values)
        unused = first_given(PRINTING, values) if no_functions and not lines_alone else None
        if unused not in (None, "--no-header", "--color"):
            notes.append(f"{unused} is of no use here: there are lines and no functions")
    elif lines_alone:
        notes.append("no line was timed there: run the program with --lines, or with -l")
    elif values.get("lines") and not lines.functions:
        notes.append(
            "no line was timed: what ran of the program's own is excluded, or lies elsewhere; "
            "--include names more"
        )
    return stream.getvalue(), notes, stats.problems


def prints_lines(lines: Lines, values: dict[str, Any]) -> bool:
    """Whether there are tables of lines, beside those of functions or alone."""
    asked_for = values.get("lines") or values.get("l")  # by `run`; else they are printed if
    other = values.get("thread") or listings_in(values)  # nothing else was asked for
    return bool(lines.functions and (asked_for or not other))


def check_without_lines(values: dict[str, Any]) -> None:
    """Raise UsageError for what `show` was told of lines, where it prints none."""
    unused = first_given(
        [o for o in LINE_PRINTING if not (o.name == "min" and values["tree"])], values
    )
    if unused == "--min" and not (values.get("thread") or listings_in(values)):
        raise UsageError("--min is of no use without lines or the call tree; give --tree, too")
    if unused:
        raise UsageError(
            f"{unused} is of no use without lines, and none are printed here; leave it out"
        )


def no_functions_of(stats: Stats) -> list[str]:
    """Why there are none, where something was left out."""
    focused = [capture.focus for capture in stats.captures if capture.focus is not None]
    if stats.stats or len(focused) < max(len(stats.captures), 1):
        return []
    include, exclude = ([path for focus in focused for path in focus[i]] for i in (0, 1))
    return [nothing_recorded(tuple(dict.fromkeys(include)), tuple(dict.fromkeys(exclude)))]


def timed_lines_only(stats: Stats, values: dict[str, Any]) -> bool:
    """Whether there are no functions to print because none were to be recorded."""
    timed = any(capture.timed_lines is not None for capture in stats.captures)
    return bool(values.get("l") or (timed and not values.get("lines")))


def print_functions(stats: Stats, values: dict[str, Any]) -> list[str]:
    stats.sort_stats(values["sort"] or "cumulative")
    notes = []
    for name in ("callers", "callees"):
        text = values[name]
        if text is not None:
            pattern = pattern_of(text, stats)
            if not matches(pattern, stats):
                notes.append(unmatched(text, stats))
            values = {**values, name: pattern}
    listings = listings_in(values)
    for listing in listings:
        getattr(stats, f"print_{listing.name}")(*listing.words(values))
    if not listings:
        stats.print_stats(*(() if values["limit"] is None else (values["limit"],)))
    return list(dict.fromkeys(notes))


def print_lines(lines: Lines, stream: TextIO, values: dict[str, Any]) -> list[str]:
    from tracer.report.lines import report

    stream.write(
        report(
            lines,
            values["unit"],
            parts=values["parts"],
            stripzeros=values["skip_zero"],
            sort=values["sort_lines"],
            summarize=values["summarize"],
            percent=values["min"] or 0.0,
        )
    )
    if lines.functions:
        return [] if lines else ["no line was reached of what is timed"]
    return [
        "no function was decorated with @profile: put it above the functions to be timed by line, "
        "or give --lines to time all"
    ]


def print_hot_lines(lines: Lines, stats: Stats, values: dict[str, Any]) -> None:
    from tracer.report.hottest_lines import report

    stats.stream.write(
        report(
            lines,
            stats.stats,
            values["limit"],
            values["unit"],
            parts=values["parts"],
            percent=values["min"] or 0.0,
            strip_dirs=values["strip_dirs"],
        )
    )
