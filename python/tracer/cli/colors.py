"""Writes text in colours: on a terminal, and elsewhere only if --color asks for it.

Who makes a text says what its parts are (report/styled.py); here is said how each looks. For a
terminal the control characters of each part are escaped: a name may have any.
"""

from __future__ import annotations

import os
import re
import sys

from tracer.launch.output import put_text
from tracer.report.styled import HEAD, HOT, LABEL, LESS, MORE, NAME, OTHER, PLACE, WARM, spans_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

BOLD, DIM, RED, GREEN, YELLOW, CYAN = (f"\x1b[{code}m" for code in (1, 2, 31, 32, 33, 36))
LOOKS = {
    HEAD: BOLD,
    LABEL: DIM,
    NAME: CYAN,
    PLACE: DIM,
    HOT: RED,
    WARM: YELLOW,
    MORE: RED,
    LESS: GREEN,
    OTHER: YELLOW,
}
PLAIN = "\x1b[0m"
# What a terminal would act on; in a part that has no style, line feeds are ends of lines.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
CONTROL_IN_CELL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def print_colored(text: str, when: str | None) -> None:
    """Print a text on stdout, in the colors that --color=`when` asks for. Raises OutputError."""
    put_text(text if sys.stdout is None else text_for(sys.stdout, text, when))


def text_for(stream: TextIO, text: str, when: str | None) -> str:
    """The text as this stream shows it. `when` is the value of --color."""
    escapes, colors = is_terminal(stream), is_colored(stream, when or "auto")
    if not (escapes or colors):
        return "".join((text,))  # it may be long, and its spans many
    parts = []
    for part, style in spans_of(text):
        if escapes:
            control = CONTROL_IN_CELL if style else CONTROL
            part = control.sub(lambda found: repr(found[0])[1:-1], part)
        parts.append(f"{LOOKS[style]}{part}{PLAIN}" if style and colors else part)
    return "".join(parts)


def is_terminal(stream: TextIO) -> bool:
    try:
        return bool(stream.isatty())
    except Exception:
        return False  # an object of the program's, which need not have isatty()


def is_colored(stream: TextIO, when: str) -> bool:
    """Whether to color: as --color says, or on a terminal unless NO_COLOR or TERM=dumb forbids."""
    if when != "auto":
        return when == "always"
    forbidden = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not forbidden and is_terminal(stream)
