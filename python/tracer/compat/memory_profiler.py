"""The names of the package memory_profiler, and its command.

    from tracer.compat.memory_profiler import profile
    python -m tracer.compat.memory_profiler [OPTIONS] SCRIPT | MODULE [ARGS...]

memory_lines.py records lines, memory_usage.py measures processes. This module has the command.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from typing import Any

from tracer.cli.options.option import number_in
from tracer.cli.usage import Usage
from tracer.compat.command_line import execute, is_answered, kept_process, run_command
from tracer.compat.memory_lines import CodeMap, LineProfiler, profile, show_results
from tracer.compat.memory_stamps import TimeStamper
from tracer.compat.memory_usage import READERS, checked, memory_usage
from tracer.compat.option_kinds import HELP, Option, parse, usage_for
from tracer.launch.errors import UsageError
from tracer.launch.output import say, write_text
from tracer.launch.program import find_program

__version__ = "0.61.0"  # of memory_profiler, whose interface this is
__all__ = [
    "CodeMap",
    "LineProfiler",
    "TimeStamper",
    "__version__",
    "choose_backend",
    "load_ipython_extension",
    "main",
    "memory_usage",
    "profile",
    "show_results",
]


def choose_backend(new_backend: str | None = None) -> str:
    """The backend of this name; None: "psutil". Raises ValueError for another name."""
    return checked(new_backend)


def load_ipython_extension(ip: Any) -> None:
    """Register %memit and %mprun. `%load_ext tracer.compat.memory_profiler` calls this."""
    from tracer.compat.memory_magics import register

    register(ip)


def backend(text: str) -> str:
    if text not in READERS:
        raise UsageError(f"--backend {text!r}: choose from {', '.join(READERS)}")
    return text


OPTIONS = (
    Option(
        "--pdb-mmem MIB",
        "start the debugger once the process has so much memory",
        read=number_in("--pdb-mmem", "a number of MiB", float, above=0),
    ),
    Option(
        "--precision N",
        "print N digits behind the point (3)",
        read=number_in("--precision", "a number of digits", int, least=0),
    ),
    Option("-o FILE", "add the results to FILE, and do not print them"),
    Option("--timestamp", "record when functions run, for mprof, in place of their lines"),
    Option("--include-children", "with --timestamp: add the memory of child processes"),
    Option("--backend NAME", "with --timestamp: what is measured", read=backend),
    *HELP,
)


def main(argv: Sequence[str] | None = None) -> None:
    """Run a program, and print its decorated functions by line. Exits with status 2 for bad input.
    Raises what the program raises."""
    run_command(lambda words: _command(words, restore=argv is not None), argv)


def _command(argv: Sequence[str], restore: bool) -> int:
    values, words = parse(argv, OPTIONS, stop_at_program=True)
    if is_answered(values, _usage, lambda: __version__):
        return 0
    if not words:
        raise UsageError("nothing to run: name a SCRIPT or a MODULE; --help tells more")
    is_module = not (words[0].endswith(".py") or os.path.isfile(words[0]))
    program = find_program(words, is_module)
    prof = _profiler(values)
    with kept_process("memory_profiler") if restore else nullcontext():
        builtins.profile = prof  # type: ignore[attr-defined]
        # `from memory_profiler import profile` in the program then gets what is here.
        sys.modules["memory_profiler"] = import_module("tracer.compat.memory_profiler")
        stdout = sys.stdout
        execute(program, restore, lambda: _report(prof, values, stdout))
    return 0


def _profiler(values: dict[str, Any]) -> LineProfiler | TimeStamper:
    """What the options ask for. Raises UsageError for what this system does not tell."""
    chosen, children = values.get("backend"), bool(values.get("include-children"))
    if not values.get("timestamp"):
        return LineProfiler(max_mem=values.get("pdb-mmem"), backend=chosen)
    try:
        return TimeStamper(chosen, include_children=children)
    except OSError as error:
        raise UsageError(str(error)) from None


def _report(prof: LineProfiler | TimeStamper, values: dict[str, Any], stdout: Any) -> None:
    import io

    text = io.StringIO()
    if isinstance(prof, TimeStamper):
        prof.show_results(text)
    else:
        show_results(prof, text, values.get("precision", 3))
    name = values.get("o")
    if name is not None:
        try:
            with open(name, "a", encoding="utf-8") as file:
                file.write(text.getvalue())
            return
        except OSError as error:
            say(f"could not write {name!r}: {error.strerror}; the results follow")
    if stdout is not None:
        write_text(text.getvalue(), stdout)


def _usage() -> Usage:
    about = (
        "Run a Python program and print the memory of the lines of what is decorated with @profile."
    )
    line = "memory_profiler [OPTIONS] SCRIPT | MODULE [ARGS...]"
    return usage_for(line, about, OPTIONS)


if __name__ == "__main__":
    # Imported by its own name, as by others: the program replaces this module, __main__.
    import_module("tracer.compat.memory_profiler").main()
