"""The command line of kernprof: `python -m tracer.compat.kernprof`.

    python -m tracer.compat.kernprof -lv main.py      # lines of functions decorated with @profile
    python -m tracer.compat.kernprof main.py          # functions, as cProfile would

This module reads the command line. kernprof_run.py runs the program and reports;
kernprof_targets.py finds the code that -p means.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tracer.api import line_config
from tracer.cli.options.printing import unit
from tracer.cli.usage import Usage
from tracer.compat.command_line import is_answered, run_command
from tracer.compat.contextual_profile import ContextualProfile
from tracer.compat.kernprof_run import Run, TextProgram
from tracer.compat.option_kinds import (
    Count,
    Flag,
    Many,
    Maybe,
    Option,
    ProgramOption,
    parse,
    usage_for,
)
from tracer.launch.errors import UsageError
from tracer.launch.program import Program, find_program
from tracer.runtime.folders import current_folder

__all__ = ["ContextualProfile", "main"]


def interval(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise UsageError(f"--output-interval {text!r}: give a whole number of seconds") from None
    return max(number, 0)


OPTIONS = (
    ProgramOption("-m MODULE", "run a module, as python -m does"),
    ProgramOption("-c STATEMENTS", "run these statements"),
    Flag("-l, --line-by-line", "time lines, of what is decorated with @profile"),
    Flag("-b, --builtin", "make `profile` a builtin, and record what it decorates or enables"),
    Option("-s, --setup FILE", "run the script FILE first"),
    Many(
        "-p, --prof-mod TARGETS",
        "with -l: time the lines of TARGETS: files, modules,\n"
        + " " * 26
        + "functions, classes; several are separated by commas",
    ),
    Flag("--preimports", "import TARGETS before the program starts (the default)"),
    Flag("--prof-imports", "if the program is one of TARGETS: also time what the program imports"),
    Option("-o, --outfile FILE", "write to FILE, not to <program>.lprof or .prof"),
    Count("-v, --verbose, --view", "also print the results", name="verbose", step=1),
    Count(
        "-q, --quiet",
        "print nothing of kernprof's; -qq: nothing of the program's either",
        name="verbose",
        step=-1,
    ),
    Flag("-r, --rich", "print in colours, by the package rich"),
    Option("-u, --unit SECONDS", "print times in units of SECONDS", read=unit),
    Flag("-z, --skip-zero", "leave out functions that were never called"),
    Flag("--summarize", "print the total of each function at the end"),
    Maybe("-i, --output-interval [SECONDS]", "also write the results every SECONDS", read=interval),
    Option("--config FILE", "read defaults from FILE, a TOML file"),
    Option("--no-config", "read no file for defaults", name="no_config"),
    Option("-V, --version", "print the version"),
    Option("-h, --help", "print this text"),
)


def main(argv: Sequence[str] | None = None) -> None:
    """Run a program and profile it. Exits with status 2 for bad input. Raises what the program
    raises."""
    run_command(
        lambda words: _command(words, restore=argv is not None), argv, line_config.ConfigError
    )


def _command(argv: Sequence[str], restore: bool) -> int:
    values, words = parse(argv, OPTIONS, stop_at_program=True)
    if is_answered(values, _usage, _version):
        return 0
    options = _with_defaults(values)
    program, name = _program(options, words)
    run = Run(program, name, options)
    run.execute(restore)
    return 0


def _with_defaults(values: dict[str, Any]) -> dict[str, Any]:
    """The values given, and the configuration's for all others. Raises ConfigError."""
    config: str | bool | None = False if values.get("no_config") else values.get("config")
    options = line_config.section("kernprof", config)
    given = values.pop("prof-mod", None)
    targets = options["prof-mod"] if given is None else []
    for text in given or ():
        # An empty -p removes the targets before it.
        targets = [*targets, *filter(None, text.split(","))] if text else []
    verbose = options["verbose"] + values.pop("verbose", 0)
    options |= {**values, "verbose": verbose, "prof-mod": targets, "config": config}
    return options


def _program(options: dict[str, Any], words: list[str]) -> tuple[Program, str]:
    """The program to run, and the name of its results without ending. Raises UsageError."""
    if "c" in options:
        source = options["c"].encode("utf-8", "surrogateescape")
        return TextProgram("-c", words, source), f"kernprof-command-{os.urandom(4).hex()}"
    if "m" in options:
        module = options["m"]
        return find_program([module, *words], True), module
    if not words:
        raise UsageError("nothing to run: name a SCRIPT, -m MODULE or -c; --help tells more")
    if words[0] == "-":
        if sys.stdin is None:
            raise UsageError("cannot read the program: standard input is closed")
        source = sys.stdin.buffer.read()
        return TextProgram("-", words[1:], source), f"kernprof-stdin-{os.urandom(4).hex()}"
    path = os.path.normpath(os.path.join(current_folder() or "", words[0]))
    return find_program(words, False), os.path.basename(path)


def _version() -> str:
    from tracer.compat.line_profiler import __version__

    return __version__


def _usage() -> Usage:
    about = "Run a Python program and write what its functions, or with -l its lines, took."
    line = "kernprof [OPTIONS] SCRIPT | - | -m MODULE | -c STATEMENTS [ARGS...]"
    return usage_for(line, about, OPTIONS)


if __name__ == "__main__":
    # Imported by its own name, as by others: the program replaces this module, __main__.
    import_module("tracer.compat.kernprof").main()
