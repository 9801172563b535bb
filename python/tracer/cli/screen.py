"""What a stream shows: its lines and columns, whether it is a terminal, and its characters."""

from __future__ import annotations

import os
from typing import NamedTuple

from tracer.cli.colors import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

WIDTH = 100  # columns where there is no terminal


class Screen(NamedTuple):
    """width, height: in characters; no height: there is no end of lines."""

    width: int = WIDTH
    height: int | None = None
    is_terminal: bool = False


def screen_for(stream: TextIO | None) -> Screen:
    """What this stream shows. COLUMNS and LINES overrule what a terminal says of itself."""
    if stream is None or not is_terminal(stream):
        return Screen()
    try:
        width, height = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError, AttributeError):
        width, height = 0, 0
    width = from_environment("COLUMNS") or width or WIDTH
    return Screen(width, from_environment("LINES") or height or None, True)


def from_environment(name: str) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else 0
