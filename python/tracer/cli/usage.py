"""Prints usage texts, wrapped to the width of the terminal. The verbs make the texts."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from contextlib import suppress

from tracer.launch.output import put_text, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

WIDTH = 80  # if the width is unknown
WIDEST = 100  # longer lines read badly
NARROWEST = 40  # below, the meanings beside the options would be a word a line
# The part before a line's text: an option and its value, or blanks.
LEFT = re.compile(r"usage: |  \S.*?  +(?=\S)| *")


def print_usage(text: str, *, asked_for: bool) -> int:
    """Print a text and return the exit status. Only a usage text is wrapped to the terminal. A text
    that was asked for goes to stdout, with status 0; any other to stderr, with status 2. Raises
    OutputError for a text that was asked for."""
    stream = sys.stdout if asked_for else sys.stderr
    if stream is not None and text.startswith("usage: "):
        text = wrapped(text, width_of(stream))
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


def wrapped(text: str, width: int) -> str:
    """The text wrapped. Lines at the left margin join to a paragraph, up to an empty line. Any
    other line stays alone: it keeps its indent, and goes on below its own text."""
    return "".join(f"{line}\n" for part in paragraphs(text) for line in lines_of(part, width))


def paragraphs(text: str) -> Iterator[str]:
    open_one = ""
    for line in text.splitlines():
        apart = not line or line.startswith((" ", "usage: ")) or line.endswith(":")
        if apart:
            if open_one:
                yield open_one
            open_one = ""
            yield line
        else:
            open_one = f"{open_one} {line}".strip()
    if open_one:
        yield open_one


def lines_of(line: str, width: int) -> list[str]:
    found = LEFT.match(line)
    left = found[0] if found else ""
    return textwrap.wrap(
        line[len(left) :],
        width,
        initial_indent=left,
        subsequent_indent=" " * len(left),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]
