"""%lprun for IPython and Jupyter, as line_profiler has it.

tracer's own magics, %tprun and %tlprun, are in integrations/ipython.py.
"""

from __future__ import annotations

import io
import math
import sys
from typing import Any

from tracer.api.line_profiler import LineProfiler
from tracer.compat.magics import (
    function_named,
    number_in,
    parse_line,
    refusal,
    run_statement,
    save_table,
)

OPTIONS = "rsf:m:D:T:u:z"


def register(ip: Any) -> None:
    """Give an IPython shell %lprun."""

    def lprun(line: str) -> Any:
        """Execute a statement and print what the lines of functions took.

        %lprun -f FUNCTION [-f FUNCTION ...] [-m MODULE ...] [OPTIONS] STATEMENT

        -f FUNCTION: time its lines; -m MODULE: those of all of its functions. -D FILE: write a
        .lprof file. -T FILE: write the table. -r: give back the LineProfiler. -s: leave out what
        was never called (so does -z). -u SECONDS: print times in this unit.
        """
        return run(ip, line)

    ip.register_magic_function(lprun, magic_kind="line", magic_name="lprun")


def run(ip: Any, line: str) -> Any:
    options, statement = parse_line("lprun", line, OPTIONS)
    profile = LineProfiler()
    _add_targets(profile, ip, options)
    unit = _unit_of(options)
    ended = run_statement(ip, profile, statement)
    stream = io.StringIO()
    profile.print_stats(stream, unit, stripzeros="s" in options or "z" in options)
    text = stream.getvalue()
    print(text, end="")
    print(ended, end="")
    for name in options.get("D", ()):
        profile.dump_stats(name)
        print(f"\n*** Profile stats pickled to file {name!r}. {ended}")
    save_table(options, text, ended)
    return profile if "r" in options else None


def _add_targets(profile: LineProfiler, ip: Any, options: dict[str, list[str]]) -> None:
    for name in options.get("f", ()):
        profile.add_callable(function_named(ip, name, name), name=name)
    for name in options.get("m", ()):
        try:
            __import__(name)
        except ImportError as error:
            raise refusal(f"Could not find module {name!r}: {error}") from None
        profile.add_module(sys.modules[name])


def _unit_of(options: dict[str, list[str]]) -> float | None:
    if "u" not in options:
        return None
    text = options["u"][-1]
    unit = number_in(text)
    if not 0 < unit < math.inf:
        raise refusal(f"-u {text}: give a positive number of seconds, 1e-3 for milliseconds")
    return unit
