"""%lprun for IPython and Jupyter, as line_profiler has it.

tracer's own magics, %tprun and %tlprun, are in integrations/ipython.py. This module imports IPython
only for its errors.
"""

from __future__ import annotations

import builtins
import io
import math
import shlex
import sys
from typing import Any

from tracer.api.line_profiler import LineProfiler
from tracer.cli.letter_options import take_letters
from tracer.compat.builtin_profile import kept_builtin
from tracer.launch.errors import MissingValue, UnknownOption

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
    options, statement = _parse_line(line)
    profile = LineProfiler()
    _add_targets(profile, ip, options)
    unit = _unit_of(options)
    ended = ""
    with kept_builtin():
        builtins.profile = profile  # type: ignore[attr-defined]
        try:
            profile.runctx(statement, ip.user_ns, ip.user_ns)
        except SystemExit:
            ended = "*** SystemExit exception caught in code being profiled."
        except KeyboardInterrupt:
            ended = "*** KeyboardInterrupt exception caught in code being profiled."
    stream = io.StringIO()
    profile.print_stats(stream, unit, stripzeros="s" in options or "z" in options)
    text = stream.getvalue()
    print(text, end="")
    print(ended, end="")
    for name in options.get("D", ()):
        profile.dump_stats(name)
        print(f"\n*** Profile stats pickled to file {name!r}. {ended}")
    for name in options.get("T", ()):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"\n*** Profile printout saved to text file {name!r}. {ended}")
    return profile if "r" in options else None


def _add_targets(profile: LineProfiler, ip: Any, options: dict[str, list[str]]) -> None:
    for name in options.get("f", ()):
        profile.add_callable(_evaluated(ip, name), name=name)
    for name in options.get("m", ()):
        try:
            __import__(name)
        except ImportError as error:
            raise _refusal(f"Could not find module {name!r}: {error}") from None
        profile.add_module(sys.modules[name])


def _unit_of(options: dict[str, list[str]]) -> float | None:
    if "u" not in options:
        return None
    text = options["u"][-1]
    try:
        unit = float(text)
    except ValueError:
        unit = 0.0
    if not 0 < unit < math.inf:
        raise _refusal(f"-u {text}: give a positive number of seconds, 1e-3 for milliseconds")
    return unit


def _parse_line(line: str) -> tuple[dict[str, list[str]], str]:
    words = shlex.split(line, posix=False)
    try:
        options, statement = take_letters(words, OPTIONS, lambda text: text.strip("'\""))
    except UnknownOption as error:
        raise _refusal(f"%lprun: option {error.flag} not recognized") from None
    except MissingValue as error:
        raise _refusal(f"%lprun: option {error.flag} requires argument") from None
    return options, " ".join([*statement, *words])


def _evaluated(ip: Any, name: str) -> Any:
    try:
        return eval(name, ip.user_ns)
    except Exception as error:
        raise _refusal(
            f"Could not find function {name}.\n{type(error).__name__}: {error}"
        ) from None


def _refusal(text: str) -> Exception:
    """IPython's UsageError, which IPython prints without a traceback."""
    from IPython.core.error import UsageError

    error: Exception = UsageError(text)
    return error
