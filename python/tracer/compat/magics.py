"""What %lprun, %memit and %mprun share: the options of a line, the errors, and the run of a
statement under a profiler.

This module imports IPython only for its errors.
"""

from __future__ import annotations

import builtins
import shlex
from typing import Any

from tracer.cli.options.letters import MissingValue, take_letters
from tracer.compat.builtin_profile import kept_builtin
from tracer.launch.errors import UnknownOption

# By letter, the values given, in their order; for a flag, an empty list.
Options = dict[str, list[str]]


def refusal(text: str) -> Exception:
    """IPython's UsageError, which IPython prints without a traceback."""
    from IPython.core.error import UsageError

    error: Exception = UsageError(text)
    return error


def parse_line(magic: str, line: str, letters: str) -> tuple[Options, str]:
    """The options of a line, and the statement behind them. `letters` are in getopt's notation.
    Raises IPython's UsageError."""
    words = shlex.split(line, posix=False)
    try:
        options, statement = take_letters(words, letters, lambda text: text.strip("'\""))
    except UnknownOption as error:
        raise refusal(f"%{magic}: option {error.flag} not recognized") from None
    except MissingValue as error:
        raise refusal(f"%{magic}: option {error.flag} requires argument") from None
    return options, " ".join([*statement, *words])


def number_in(text: str) -> float:
    """The number that a text is, or NaN."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def function_named(ip: Any, name: str, shown: str) -> Any:
    """What an expression stands for in the shell. `shown`: the expression as an error names it.
    Raises IPython's UsageError."""
    try:
        return eval(name, ip.user_ns)
    except Exception as error:
        raise refusal(
            f"Could not find function {shown}.\n{type(error).__name__}: {error}"
        ) from None


def run_statement(ip: Any, profiler: Any, statement: str) -> str:
    """Run a statement in the shell under the profiler, which is also the builtin `profile`. Returns
    what is to be said of its end: nothing, or that it exited or was interrupted."""
    with kept_builtin():
        builtins.profile = profiler  # type: ignore[attr-defined]
        try:
            profiler.runctx(statement, ip.user_ns, ip.user_ns)
        except SystemExit:
            return "*** SystemExit exception caught in code being profiled."
        except KeyboardInterrupt:
            return "*** KeyboardInterrupt exception caught in code being profiled."
    return ""


def save_table(options: Options, text: str, ended: str) -> None:
    """Write the table of a run to the files of -T."""
    for name in options.get("T", ()):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"\n*** Profile printout saved to text file {name!r}. {ended}")
