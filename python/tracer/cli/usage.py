"""Usage texts, wrapped to the width of what shows them. What they say is the verbs' work."""

from __future__ import annotations

import os
import re
import textwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

WIDTH = 80  # where nothing tells it
WIDEST = 100  # what reads well
NARROWEST = 40  # below, what stands beside the options would be a word a line
# What stands before the text of a line: an option and its value, or blanks.
LEFT = re.compile(r"usage: |  \S.*?  +(?=\S)| *")


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
