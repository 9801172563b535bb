"""The verb `diff`: what changed from one profile to another, and whether something grew too much.

results/comparison.py compares, and analysis/recordings.py warns of recordings that differ;
cli/diff_tables.py makes the text. This module reads the files and sets the exit status.
"""

from __future__ import annotations

import math
import sys

from tracer.analysis.outline.finding import counted
from tracer.cli.colors import print_colored
from tracer.cli.options.diff import DiffOptions, GrowthLimit
from tracer.cli.options.option import parse
from tracer.cli.screen import screen_for
from tracer.cli.usage import Usage, print_usage, rows_of, usage_of
from tracer.launch.errors import UsageError
from tracer.launch.output import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.api.stats import Stats

LIMIT = 20  # rows by default
BYTES = ("allocated", "peak", "live")  # the metrics of memory


def usage(prog: str) -> Usage:
    return usage_of(
        f"{prog} diff [OPTIONS] BEFORE AFTER",
        f"Print the {LIMIT} largest changes from one profile to another. Functions are matched by "
        "module and qualified name: other checkouts and moved lines do not matter.",
        rows_of(DiffOptions),
        "",
        "--fail-above: a function of the second profile alone has not grown, but counts in the "
        "total. The time or the memory of a function has grown by a percentage only where it grew "
        "by 1% of the total or more.",
    )


def command(argv: list[str], prog: str) -> int:
    options, names = parse(argv, DiffOptions, stop_at_program=False)
    if options.help:
        return print_usage(usage(prog), asked_for=True)
    if len(names) != 2:
        if not argv:
            print_usage(usage(prog), asked_for=False)
        raise UsageError(
            f"diff compares two profiles, not {len(names)}: name BEFORE and AFTER; 'merge' puts "
            "several into one"
        )
    limit = options.fail_above
    check_size(options.metric, limit)
    metric = options.metric or ("tottime" if limit is None else "calls")

    from tracer.analysis.recordings import differences
    from tracer.cli import diff_tables
    from tracer.results.compared import are_mostly_waits
    from tracer.results.comparison import compare

    before, after = profiles(names, options.raw, prog)
    pair = before, after
    check_waits(metric, names, pair)
    check_memory(metric, names, pair)
    if limit is not None:
        check_counts(metric, names, pair)
    comparison = compare(*threads(names, pair, options.thread))
    if options.only is not None:
        known = comparison.names()
        comparison = comparison.only(options.only)
        if not comparison.changes:
            raise UsageError(known.unmatched(options.only, " in either file"))
    because = hint = ""
    if options.metric is None and limit is None and not options.json:
        if are_mostly_waits(comparison, pair):
            metric, because = "busy", diff_tables.BECAUSE
        elif before.is_whole and after.is_whole:
            hint = diff_tables.HINT
    grown = [] if limit is None else limit.outgrown(comparison, metric)
    compared = diff_tables.Compared(comparison, grown, names, pair, metric, because, hint)
    if options.json:
        print_colored(diff_tables.as_json(compared, limit), "never")
    else:
        rows = LIMIT if options.limit is None else options.limit
        text = diff_tables.as_text(compared, options, rows, screen_for(sys.stdout))
        left_out = len(comparison.biggest(metric)) - LIMIT
        if options.limit is None and left_out > 0:
            text += hint_at_rest(left_out, metric)
        print_colored(text, options.color)
    problems = before.problems + after.problems
    for line in (*differences(before, after), *problems):
        say(line)
    if grown and limit is not None:
        grew = diff_tables.describe_growth(grown)
        say(f"{grew} grew by more than {limit.told} in {metric}")
    # A damaged file may lack what grew, so it is told first.
    return 2 if problems else 1 if grown else 0


def profiles(names: list[str], raw: bool, prog: str) -> tuple[Stats, Stats]:
    """Both profiles: with qualified names, or without if one file has none. Raises UsageError."""
    from tracer.analysis.recordings import names_in_common
    from tracer.api.stats import Stats
    from tracer.cli.inputs import reading

    with reading(prog, names):
        before, after = (Stats(name, raw=raw) for name in names)
    for name, stats in zip(names, (before, after), strict=True):
        if not stats.stats and any(capture.timed_lines for capture in stats.captures):
            raise UsageError(f"{name!r} holds lines and no functions, and diff compares functions")
        if not is_finite(stats):
            raise UsageError(
                f"{name}: its figures are not those of a profile; make the profile again"
            )
    names_of_both = names_in_common(before, after)
    if names_of_both != before.names:
        before, after = (
            Stats(*stats.captures, names=names_of_both, raw=raw) for stats in (before, after)
        )
    return before, after


def is_finite(stats: Stats) -> bool:
    """Whether all figures are finite, and so is their sum. In a damaged file they may not be."""
    figures = (abs(figure) for row in stats.stats.values() for figure in row[:4])
    return math.isfinite(sum(figures))


def hint_at_rest(number: int, metric: str) -> str:
    """The line below a table that leaves so many changes out: how to see others."""
    other = "tottime" if metric == "cumtime" else "cumtime"
    return (
        f"{counted(number, 'more function')}: --limit 0 prints all; --metric {other}, --only NAME "
        "choose others\n"
    )


def check_waits(metric: str, names: list[str], pair: tuple[Stats, Stats]) -> None:
    """Raise UsageError where waits are to be compared, and a profile tells none."""
    from tracer.results.facts import reason_of_none

    for name, stats in zip(names, pair, strict=True):
        if metric in ("waited", "busy") and stats.sampled is not None:
            raise UsageError(
                f"{name!r} is of samples: its tottime is CPU time, and its waits, which "
                f"'show --waited' prints, are not compared; leave --metric {metric} out"
            )
        if metric in ("waited", "busy") and not stats.knows_calls:
            raise UsageError(
                f"{name!r} tells no waits: {reason_of_none(stats)}; leave --metric {metric} out, "
                "or record the program with tracer"
            )


def check_counts(metric: str, names: list[str], pair: tuple[Stats, Stats]) -> None:
    """Raise UsageError where growth of calls is to be refused, and they were not all counted."""
    for name, stats in zip(names, pair, strict=True):
        if metric == "calls" and stats.sampled is not None and not stats.sampled.has_all_counts:
            raise UsageError(
                f"--fail-above compares calls, and {name!r} has counted some functions in part, or "
                "none: give --metric tottime or cumtime, or record it without --slowdown"
            )


def check_size(metric: str | None, limit: GrowthLimit | None) -> None:
    """Raise UsageError where the limit is a size, and what is compared has none."""
    if limit is not None and limit.size is not None and metric not in BYTES:
        raise UsageError(
            f"--fail-above {limit.told} is a size of memory: give --metric allocated, peak or "
            "live, too, or give a percentage"
        )


def check_memory(metric: str, names: list[str], pair: tuple[Stats, Stats]) -> None:
    """Raise UsageError where memory is to be compared, and a profile has none."""
    from tracer.analysis.memory.memory import has_memory
    from tracer.data.memory import NO_MEMORY

    for name, stats in zip(names, pair, strict=True):
        if metric in BYTES and not has_memory(stats):
            raise UsageError(f"{name!r}: {NO_MEMORY}")


def threads(names: list[str], pair: tuple[Stats, Stats], name: str | None) -> tuple[Stats, Stats]:
    """The thread of this name in each profile; without a name, all threads. Raises UsageError."""
    if name is None:
        return pair
    from tracer.cli.inputs import thread_of

    found = []
    for file, stats in zip(names, pair, strict=True):
        try:
            found.append(thread_of(stats, name))
        except UsageError as error:
            raise UsageError(f"{file!r}: {error}") from None
    return found[0], found[1]
