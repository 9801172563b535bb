"""The names of the package line_profiler, and its viewer.

    from tracer.compat import line_profiler
    python -m tracer.compat.line_profiler [OPTIONS] FILE.lprof...

The classes are those of tracer.api.line_profiler. This module has the functions and main().
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TextIO

from tracer._core import ProfileFormatError
from tracer.api import line_config
from tracer.api.line_profiler import LineProfiler, LineStats
from tracer.cli.inputs import refuse_repeats
from tracer.cli.options.printing import unit
from tracer.cli.usage import Usage
from tracer.compat.command_line import is_answered, run_command
from tracer.compat.explicit_profiler import GlobalProfiler
from tracer.compat.option_kinds import Flag, Option, parse, usage_for
from tracer.launch.errors import UsageError
from tracer.report import line_table

if TYPE_CHECKING:
    from tracer.data.line_timings import Key, Timing
    from tracer.runtime.atomic_files import AnyPath

__version__ = "5.1.0"  # of line_profiler, whose interface this is
__all__ = [
    "LineProfiler",
    "LineStats",
    "__version__",
    "load_ipython_extension",
    "load_stats",
    "main",
    "profile",
    "show_func",
    "show_text",
]

profile: GlobalProfiler = GlobalProfiler()


def load_stats(file: AnyPath, /, *files: AnyPath) -> LineStats:
    """The timings of .lprof files, added up. Raises ProfileFormatError, OSError."""
    return LineStats.from_files(file, *files)


def show_text(
    stats: Mapping[Key, Sequence[Timing]],
    unit: float,
    output_unit: float | None = None,
    stream: TextIO | None = None,
    stripzeros: bool = False,
    details: bool = True,
    summarize: bool = False,
    sort: bool = False,
    rich: bool = False,
    *,
    config: str | PathLike[str] | bool | None = None,
) -> None:
    """Print timings, as LineStats.print() does. `unit` and `output_unit` are in seconds."""
    LineStats(stats, unit).print(
        stream, output_unit, stripzeros, details, summarize, sort, rich, config=config
    )


def show_func(
    filename: str,
    start_lineno: int,
    func_name: str,
    timings: Sequence[Timing],
    unit: float,
    output_unit: float | None = None,
    stream: TextIO | None = None,
    stripzeros: bool = False,
    rich: bool = False,
    *,
    config: str | PathLike[str] | bool | None = None,
) -> None:
    """Print the lines of one function. `unit` and `output_unit` are in seconds."""
    options = line_table.LineTableOptions(
        output_unit=output_unit,
        stripzeros=stripzeros,
        rich=rich,
        widths=line_config.column_widths(config) or {},
    )
    key = filename, start_lineno, func_name
    stream = sys.stdout if stream is None else stream
    line_table.show_function(key, timings, unit, stream, options)


def load_ipython_extension(ip: Any) -> None:
    """Register %lprun. `%load_ext tracer.compat.line_profiler` calls this."""
    from tracer.compat.lprun import register

    register(ip)


OPTIONS = (
    Option("-c, --config FILE", "read defaults from FILE, a TOML file"),
    Option("--no-config", "read no file for defaults", name="no_config"),
    Option("-u, --unit SECONDS", "print times in units of SECONDS", read=unit),
    Flag("-r, --rich", "print in colours, by the package rich"),
    Flag("-z, --skip-zero", "leave out functions that were never called"),
    Flag("-t, --sort", "sort by total time, the longest last"),
    Flag("-m, --summarize", "print the total of each function at the end"),
    Option("-V, --version", "print the version"),
    Option("-h, --help", "print this text"),
)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the timings of .lprof files. Exits with status 2 for bad input."""
    run_command(_view, argv, ProfileFormatError, line_config.ConfigError)


def _view(argv: Sequence[str]) -> int:
    import io

    from tracer.launch.output import write_text

    values, files = parse(argv, OPTIONS)
    if is_answered(values, _usage, lambda: __version__):
        return 0
    if not files:
        raise UsageError("nothing to show: name a FILE.lprof; --help tells more")
    refuse_repeats(files)
    config = False if values.get("no_config") else values.get("config")
    options = {**line_config.section("cli", config), **values}
    try:
        stats = load_stats(*files)
    except OSError as error:
        raise UsageError(
            f"cannot read {error.filename!r}: {error.strerror}; name a file that kernprof wrote"
        ) from None
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    stream = io.StringIO()
    stats.print(
        sys.stdout if is_terminal and options["rich"] else stream,
        options["unit"],
        stripzeros=options["skip-zero"],
        rich=options["rich"],
        sort=options["sort"],
        summarize=options["summarize"],
        config=config,
    )
    if sys.stdout is not None:
        write_text(stream.getvalue(), sys.stdout)
    return 0


def _usage() -> Usage:
    about = "Print the timings of lines that .lprof files hold, added up."
    return usage_for("line_profiler [OPTIONS] FILE...", about, OPTIONS)


if __name__ == "__main__":
    main()
