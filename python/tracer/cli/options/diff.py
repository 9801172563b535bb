"""The options of `diff`."""

from __future__ import annotations

from tracer.cli.growth_limit import growth_limit
from tracer.cli.options.option import HELP, RAW, Option, Options, choice
from tracer.cli.options.printing import PRINTING, function, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.cli.growth_limit import GrowthLimit

OPTIONS = (
    Option(
        "--metric NAME",
        "what to compare: calls, tottime, cumtime, waited or busy (default: tottime, or "
        "busy where most of the change is waits of Python functions; calls with --fail-above, "
        "because they do not depend on the machine); or of memory: allocated, peak or live",
        read=choice(
            "--metric",
            *("calls", "tottime", "cumtime", "waited", "busy", "allocated", "peak", "live"),
        ),
    ),
    Option(
        "--fail-above LIMIT",
        "exit with status 1 when the total, or a function in both files, grew by more: a "
        "percentage, or of memory a size, such as 10MiB",
        read=growth_limit,
    ),
    Option(
        "--only NAME",
        "compare only this function: a name as printed, or a regular expression",
        read=function,
        once=True,
    ),
    Option("--thread NAME", "compare what this thread did, by its name or ident"),
    Option("--limit N", "print N rows at most; 0: all (default: 20)", read=rows),
    *(o for o in PRINTING if o.name in ("strip_dirs", "no_header", "color")),
    Option("--json", "print the whole comparison as JSON, in place of a table"),
    RAW,
    HELP,
)


class DiffOptions(Options):
    color: str | None
    fail_above: GrowthLimit | None
    help: bool
    json: bool
    limit: int | None
    metric: str | None
    no_header: bool
    only: str | None
    raw: bool
    strip_dirs: bool
    thread: str | None
