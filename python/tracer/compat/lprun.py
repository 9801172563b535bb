"""%lprun for IPython and Jupyter, as line_profiler has it.

tracer's own magics are %tprun and %tlprun. IPython is imported by whoever loads this.
"""

from __future__ import annotations

import builtins
import io
import math
import sys
from typing import Any

from tracer.api.line_profiler import LineProfiler
from tracer.compat.builtin_profile import kept_builtin

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
    options, statement = _parsed(line)
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
    profile.print_stats(stream, unit, stripzeros=options["s"] or options["z"])
    text = stream.getvalue()
    print(text, end="")
    print(ended, end="")
    for name in options["D"]:
        profile.dump_stats(name)
        print(f"\n*** Profile stats pickled to file {name!r}. {ended}")
    for name in options["T"]:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"\n*** Profile printout saved to text file {name!r}. {ended}")
    return profile if options["r"] else None


def _add_targets(profile: LineProfiler, ip: Any, options: dict[str, Any]) -> None:
    for name in options["f"]:
        profile.add_callable(_evaluated(ip, name), name=name)
    for name in options["m"]:
        try:
            __import__(name)
        except ImportError as error:
            raise _refusal(f"Could not find module {name!r}: {error}") from None
        profile.add_module(sys.modules[name])


def _unit_of(options: dict[str, Any]) -> float | None:
    if not options["u"]:
        return None
    text = options["u"][-1]
    try:
        unit = float(text)
    except ValueError:
        unit = 0.0
    if not 0 < unit < math.inf:
        raise _refusal(f"-u {text}: give a positive number of seconds, 1e-3 for milliseconds")
    return unit


def _parsed(line: str) -> tuple[dict[str, Any], str]:
    import getopt
    import shlex

    options: dict[str, Any] = {"f": [], "m": [], "D": [], "T": [], "u": []}
    options |= {"r": False, "s": False, "z": False}
    words = shlex.split(line, posix=False)
    try:
        found, rest = getopt.getopt(words, OPTIONS)
    except getopt.GetoptError as error:
        raise _refusal(f"%lprun: {error}") from None
    for flag, value in found:
        name = flag[1:]
        if isinstance(options[name], list):
            options[name].append(value.strip("'\""))
        else:
            options[name] = True
    return options, " ".join(rest)


def _evaluated(ip: Any, name: str) -> Any:
    try:
        return eval(name, ip.user_ns)
    except Exception as error:
        raise _refusal(
            f"Could not find function {name}.\n{type(error).__name__}: {error}"
        ) from None


def _refusal(text: str) -> Exception:
    """An error that IPython prints without a traceback."""
    from IPython.core.error import UsageError

    error: Exception = UsageError(text)
    return error
