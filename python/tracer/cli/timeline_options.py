"""The options of what `show` prints of a timeline: when calls were, where tables add them up.

timeline_recording.py has the options that record one; timeline_listings.py prints.
"""

from __future__ import annotations

from tracer.cli.option_values import RANGE_KEYS, SUMMARY_KEYS, choice, moment, whole
from tracer.cli.options import PHASES, Option, first_given
from tracer.cli.printing_options import LINE_PRINTING, PRINTING, Listing, refuse_pairs
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tracer.cli.commands.show import ShowOptions

SLOWEST = 20  # calls, by default


VIEWS = ("device", "overview", "model", "operators", "ranges", "memory", "steps")
UNITS = ("s", "ms", "us", "ns")


def views_of(text: str) -> list[str]:
    """The views of a summary that VIEWS names; none: all. Raises UsageError."""
    views = [view for view in text.split(",") if view]
    unknown = [view for view in views if view not in VIEWS]
    if unknown:
        raise UsageError(
            f"--summary={text}: {unknown[0]!r} is no view; choose from {', '.join(VIEWS)}"
        )
    return views


class Counting(Listing):
    """A listing behind which the number of its rows may stand, also as a word of its own."""

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        word = rest[0].removeprefix("-") if rest else ""  # -3 is refused, and no option
        if text is None and word.isascii() and word.isdigit():
            text = rest.pop(0)
        values[self.name] = SLOWEST if text is None else self.read(text)


LISTINGS = (
    Listing(
        "--timeline",
        meaning="print the run over time, in place of the table: which function led when in each "
        "thread, and where it waited longest; --limit N: N threads, 0: all (default: what fits the "
        "terminal); of a profile with a timeline",
    ),
    Listing(
        "--ranges",
        meaning="print the ranges that the program marked, by name, and the longest of them, in "
        f"place of the table; -s sorts by {', '.join(RANGE_KEYS)} (default: total); with --only: "
        "ranges of that name, or of a regular expression; of a profile with a timeline",
    ),
    Counting(
        "--slowest",
        value="[N]",
        read=whole("--slowest", "a number of calls, 1 or more"),
        meaning="print the N longest single calls (default: 20), when each was and below what, in "
        "place of the table; with --only: calls of that function; of a profile with a timeline",
    ),
    Listing(
        "--summary",
        value="VIEWS",
        read=views_of,
        optional=True,
        meaning="print where the time of the steps went, in place of the table: "
        f"{', '.join(VIEWS)}; VIEWS: some of these, with commas between (default: all that have "
        f"something to tell); -s sorts by {', '.join(SUMMARY_KEYS)}; of a profile with a timeline",
    ),
)
# How a summary is told.
TELLING = (
    Option(
        "--time-unit",
        value="UNIT",
        read=choice("--time-unit", *UNITS),
        meaning="summary: print times in s, ms, us or ns (default: ms)",
    ),
    Option("--by-thread", meaning="summary: tell the threads apart"),
    PHASES,
)
# Which part of a timeline is meant.
PART = (
    Option(
        "--from",
        name="begin",
        value="TIME",
        read=moment("--from"),
        meaning="timeline: leave out what ended before TIME, in seconds since the start, or as "
        "1.5s, 200ms",
    ),
    Option(
        "--to-time",
        name="end",
        value="TIME",
        read=moment("--to-time"),
        meaning="timeline: leave out what began after TIME",
    ),
)
PRINTED = (*LISTINGS, *TELLING, *PART)
# Which other options the listings of a timeline have.
OF_ALL = ("strip_dirs", "no_header", "color")
OF_EACH: dict[str, tuple[str, ...]] = {
    "timeline": (*OF_ALL, "limit"),
    "ranges": (*OF_ALL, "sort", "limit", "only"),
    "slowest": (*OF_ALL, "only", "include"),
    "summary": (*OF_ALL, "sort", "limit"),
}


def timeline_listings(options: ShowOptions) -> list[Listing]:
    """The listings of a timeline that were asked for."""
    return [it for it in LISTINGS if getattr(options, it.name) != it.default]


def check_timeline(options: ShowOptions, others: tuple[Option, ...]) -> list[Listing]:
    """The listings of a timeline that were asked for. others: those of the verb's options that they
    do not have. Raises UsageError for options that do not go together."""
    listings = timeline_listings(options)
    unused = first_given(TELLING, options)
    if unused and options.summary is None:
        raise UsageError(f"{unused} is of no use without --summary; give it, too")
    if not listings:
        unused = first_given([o for o in PRINTED if o not in LISTINGS], options)
        if unused:
            raise UsageError(
                f"{unused} is of no use without --timeline, --ranges, --slowest or --summary; give "
                "one of them, too"
            )
        return []
    refuse_pairs(options)
    begin, end = options.begin, options.end
    if begin is not None and end is not None and begin >= end:
        raise UsageError(f"--from {begin:g} is not before --to-time {end:g}; give an earlier time")
    fitting = {name for listing in listings for name in OF_EACH[listing.name]}
    rest = [o for o in (*PRINTING, *LINE_PRINTING, *others) if o.name not in fitting]
    unused = first_given(rest, options)
    if unused:
        raise UsageError(f"{unused} is of no use with {listings[0].flags[0]}; leave it out")
    if options.summary is not None:
        if options.sort not in (None, *SUMMARY_KEYS):
            raise UsageError(
                f"-s {options.sort} does not sort a summary; choose from {', '.join(SUMMARY_KEYS)}"
            )
        return listings
    if options.sort not in (None, *RANGE_KEYS):
        raise UsageError(
            f"-s {options.sort} does not sort ranges; choose from {', '.join(RANGE_KEYS)}"
        )
    return listings
