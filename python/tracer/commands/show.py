"""The verb `show`: print saved profiles, added up when there are several.

Reading is Stats' work; here is which files, and what to say of a bad one.
"""

from __future__ import annotations

import sys

from tracer.commands.options import (
    HELP,
    PRINTING,
    Option,
    UsageError,
    check_printing,
    describe,
    parse,
)
from tracer.commands.output import print_usage, say, write_text

OPTIONS = (
    *PRINTING,
    Option("--raw", meaning="leave what tracing cost in the times, also with --compensate"),
    HELP,
)


def usage(prog: str) -> str:
    return (
        f"usage: {prog} show [OPTIONS] FILE...\n"
        "\n"
        "Print saved profiles, added up. A FILE is what tracer -o or cProfile wrote.\n"
        "\n"
        f"options:\n{describe(OPTIONS)}"
    )


def command(argv: list[str], prog: str) -> int:
    values, files = parse(argv, OPTIONS, stop_at_program=False)
    if values["help"]:
        return print_usage(usage(prog), asked_for=True)
    if not files:
        if not argv:
            print_usage(usage(prog), asked_for=False)
        raise UsageError("nothing to show: name a FILE that -o wrote; --help tells more")
    check_printing(values)

    from tracer.capture import ProfileFormatError
    from tracer.commands.table import render

    try:
        text, notes, problems = render(files, values)
    except ProfileFormatError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(
            f"cannot read {error.filename!r}: {error.strerror}; "
            f"name a profile that {prog} -o FILE wrote"
        ) from None
    if sys.stdout is None:
        say("standard output is closed")
        return 1
    try:
        write_text(text, sys.stdout)
    except OSError as error:
        say(f"could not write to standard output: {error.strerror}")
        return 1
    for line in notes + problems:
        say(line)
    return 2 if problems else 0
