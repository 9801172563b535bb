"""The verb `time`: time a statement as `python -m timeit` does and, with --profile, say where the
time goes.

This module checks the options; cli/statement_runs.py runs the statement and prints.
"""

from __future__ import annotations

import os

from tracer.cli.options.option import parse
from tracer.cli.options.time import TimeOptions, check
from tracer.cli.usage import Usage, print_usage, rows_of, usage_of
from tracer.launch.errors import UsageError
from tracer.launch.output import quote


def usage(prog: str) -> Usage:
    return usage_of(
        f"{prog} time [OPTIONS] [STATEMENT...]",
        "Time a statement as python -m timeit does. Each STATEMENT is a line; those of a block "
        "begin with blanks. Collection of garbage is off meanwhile: -s 'gc.enable()' has it on.",
        rows_of(TimeOptions),
        "",
        "with --profile, in a run of its own that does not disturb the timing:",
        ("  ", f"{prog} time --profile -s 'import json' 'json.dumps([1] * 99)'"),
        (
            "  ",
            f"{prog} time --profile --sort tottime --limit 9 -s 'from shop import size' 'size()'",
        ),
    )


def command(argv: list[str], prog: str) -> int:
    """Time the statement that `argv` holds. Raises UsageError."""
    options, words = parse(argv, TimeOptions, stop_at_program=True, flags_join=True)
    if options.help:
        return print_usage(usage(prog), asked_for=True)
    check(options)
    if len(words) == 1 and words[0].endswith(".py") and os.path.isfile(words[0]):
        raise UsageError(
            f"{words[0]!r} is a program, and 'time' takes a statement; to profile the program: "
            f"{prog} {quote(words[0])}"
        )

    from tracer.cli.statement_runs import run

    return run(options, "\n".join(words) or "pass", f"{prog} time")
