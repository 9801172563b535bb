"""Prints usage texts, wrapped to the width of the terminal. The verbs make the texts of parts: a
paragraph, or a text that stands beside another, as a meaning beside its option."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from tracer.launch.output import put_text, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

    from tracer.cli.options.option import Options

Row = tuple[str, str]  # what stands left, and the text beside it, which is wrapped
Usage = list[str | Row]
WIDTH = 80  # if the width is unknown
WIDEST = 100  # longer lines read badly
NARROWEST = 40  # below, the meanings beside the options would be a word a line


def usage_of(line: str, about: str, options: Sequence[Row], *more: str | Row) -> Usage:
    """The usage text of a verb: the line to type, what the verb does, its options, and more."""
    return [("usage: ", line), "", about, "", "options:", *options, *more]


def rows_of(kind: type[Options]) -> list[Row]:
    """The options, with their meanings beside them."""
    return table_of({option.told: option.meaning for option in kind.OPTIONS})


def table_of(meanings: Mapping[str, str]) -> list[Row]:
    return [(f"  {name:<20}  ", meaning) for name, meaning in meanings.items()]


def print_usage(usage: Usage, *, asked_for: bool) -> int:
    """Print a usage text and return the exit status. One that was asked for goes to stdout, with
    status 0; any other to stderr, with status 2. Raises OutputError for one that was asked for."""
    stream = sys.stdout if asked_for else sys.stderr
    text = "" if stream is None else wrapped(usage, width_of(stream))
    if asked_for:
        put_text(text)
        return 0
    if stream is not None:
        with suppress(OSError):  # nobody can be told; the status says it
            write_text(text, stream)
    return 2


def width_of(stream: TextIO) -> int:
    """The number of columns for a text."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (AttributeError, OSError, ValueError):
        columns = 0
    return max(NARROWEST, min(columns or WIDTH, WIDEST))


def wrapped(usage: Usage, width: int) -> str:
    import textwrap  # a program must not find it loaded

    lines: list[str] = []
    for part in usage:
        left, text = ("", part) if isinstance(part, str) else part
        lines += textwrap.wrap(
            text,
            width,
            initial_indent=left,
            subsequent_indent=" " * len(left),
            break_long_words=False,
            break_on_hyphens=False,
        ) or [left.rstrip()]
    return "".join(f"{line}\n" for line in lines)
