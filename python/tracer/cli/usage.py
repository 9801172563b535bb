"""Usage texts, printed and wrapped to the width of the terminal. The verbs say what is in them."""

from __future__ import annotations

import os
import re
import sys
import textwrap

from tracer.launch.output import write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

WIDTH = 80  # where nothing tells it
WIDEST = 100  # what reads well
NARROWEST = 40  # below, what stands beside the options would be a word a line
# What stands before the text of a line: an option and its value, or blanks.
LEFT = re.compile(r"usage: |  \S.*?  +(?=\S)| *")


def print_usage(text: str, *, asked_for: bool) -> int:
    """Print a usage text, wrapped to the terminal, or another text, which is not wrapped. The exit
    status: when asked for, 0, and the text goes to stdout; else 2, and the text goes to stderr."""
    stream = sys.stdout if asked_for else sys.stderr
    if stream is not None:
        if text.startswith("usage: "):
            text = wrapped(text, width_of(stream))
        write_text(text, stream)
    return 0 if asked_for else 2


def width_of(stream: TextIO) -> int:
    """How many columns there are for a text."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (AttributeError, OSError, ValueError):
        columns = 0
    return max(NARROWEST, min(columns or WIDTH, WIDEST))


def wrapped(text: str, width: int) -> str:
    """Lines that stand at the left, up to an empty one, are a paragraph; each other begins where it
    began, and goes on below its text."""
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
