"""The options of `diff`, and the limit of --fail-above: a percentage, or a size of memory."""

from __future__ import annotations

from tracer.cli.options.option import HELP, RAW, Options, option
from tracer.cli.options.printing import COLOR, NO_HEADER, STRIP_DIRS, of_function, rows
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.results.comparison import Change, Comparison

# Bytes of a unit. B is last, for it is the end of the others.
SIZES = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "b": 1}


class GrowthLimit:
    """percent: of the figure before, or None; then size: bytes. told: how the limit is printed."""

    def __init__(self, told: str, percent: float | None = None, size: int | None = None) -> None:
        self.told = told
        self.percent = percent
        self.size = size

    def outgrown(self, comparison: Comparison, metric: str) -> list[Change]:
        """The total and the functions that grew by more."""
        if self.size is not None:
            return comparison.grown_by_bytes(metric, self.size)
        assert self.percent is not None
        return comparison.grown(metric, self.percent)


def growth_limit(text: str) -> GrowthLimit:
    """The limit that a text such as "10", "10%" or "1.5MiB" gives. Raises UsageError."""
    unit = next((unit for unit in SIZES if text.lower().endswith(unit)), "")
    digits = text[: -len(unit)] if unit else text.removesuffix("%")
    try:
        number = float(digits)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf") or digits != digits.strip():
        raise UsageError(
            f"--fail-above {text!r}: give a percentage, 0 or more, or a size of memory, such as "
            "10MiB"
        )
    if unit:
        return GrowthLimit(text, size=int(number * SIZES[unit]))
    return GrowthLimit(f"{number:g}%", percent=number)


class DiffOptions(Options):
    metric: str | None = option(
        "--metric NAME",
        "what to compare: calls, tottime, cumtime, waited or busy (default: tottime, or busy where "
        "most of the change is waits of Python functions; calls with --fail-above, because they do "
        "not depend on the machine); or of memory: allocated, peak or live",
        words=("calls", "tottime", "cumtime", "waited", "busy", "allocated", "peak", "live"),
    )
    fail_above: GrowthLimit | None = option(
        "--fail-above LIMIT",
        "exit with status 1 when the total, or a function in both files, grew by more: a "
        "percentage, or of memory a size, such as 10MiB",
        read=growth_limit,
    )
    only: str | None = of_function(
        "--only NAME", "compare only this function: a name as printed, or a regular expression"
    )
    thread: str | None = option(
        "--thread NAME", "compare what this thread did, by its name or ident"
    )
    limit: int | None = option("--limit N", "print N rows at most; 0: all (default: 20)", read=rows)
    strip_dirs: bool = STRIP_DIRS
    no_header: bool = NO_HEADER
    color: str | None = COLOR
    json: bool = option("--json", "print the whole comparison as JSON, in place of a table")
    raw: bool = RAW
    help: bool = HELP
