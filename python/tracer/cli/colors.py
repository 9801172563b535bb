"""Colors: what is printed is dressed in them on a terminal, and nowhere else unless asked for.

The text is made without them, by pstats and others, so here they are put around what is found in
it; without the colors it is the same text to the byte. For a terminal, characters in names that it
would act on are escaped.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

BOLD, DIM, RED, GREEN, YELLOW, CYAN = (f"\x1b[{code}m" for code in (1, 2, 31, 32, 33, 36))
PLAIN = "\x1b[0m"
HOT, WARM = 50.0, 10.0  # percent of the time

# What a terminal would act on, were it in the name of a function or in a line of source.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ABOUT = re.compile(r"(?=.{10}  )( *[a-z]+(?: [a-z]+)*)(?=  )")  # what stands above the tables
FUNCTION = re.compile(r"(?:([^\s(]\S*:\d+)\(([^()]*)\)|(\{.*?\}))(?=\s|$)")
HEADS = ("filename:lineno(function)", "was called by...", "called...", "native id  thread")
LINES_HEAD = re.compile(r"Line # +Hits | +Time +% Run ")
# Of a line, after its number, hits and times; of one of the longest, after its time.
LINE_SHARE = re.compile(r"( *\d+ +\d+ +[\d.]+ +[\d.]+ +| *\d+\.\S+ +)([\d.]+)(?= |$)")
SHARE = re.compile(r"( *)([\d.]+)(?=% )")
CHANGE = re.compile(r"(?<= )(?:([+x][\d.,]+%?)|(-[\d.,]+%?)|(new|gone))(?= |$)")


def dressed(text: str, stream: TextIO, when: str | None) -> str:
    """The text as this stream is to have it; `when` as given with --color."""
    if is_terminal(stream):
        text = CONTROL.sub(lambda found: repr(found[0])[1:-1], text)
    return colored(text) if is_colored(stream, when or "auto") else text


def is_terminal(stream: TextIO) -> bool:
    try:
        return bool(stream.isatty())
    except Exception:
        return False  # an object of the program's, which need not have that


def is_colored(stream: TextIO, when: str) -> bool:
    """Whether colors are asked for, or may be: NO_COLOR, and TERM=dumb, say that they may not."""
    if when != "auto":
        return when == "always"
    forbidden = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not forbidden and is_terminal(stream)


def colored(text: str) -> str:
    lines = text.split("\n")
    above = ABOUT.match(lines[0]) is not None
    source = False  # the lines of a function, which may look like anything
    for number, line in enumerate(lines):
        above = above and line != ""
        source = (source and line != "") or LINES_HEAD.match(line) is not None
        if source:
            lines[number] = of_source(line)
        elif above:
            line = CHANGE.sub(of_change, line) if " -> " in line else line
            lines[number] = ABOUT.sub(rf"{DIM}\1{PLAIN}", line, count=1)
        elif any(head in line for head in HEADS):
            lines[number] = f"{BOLD}{line}{PLAIN}"
        else:
            lines[number] = FUNCTION.sub(of_function, heated(SHARE, CHANGE.sub(of_change, line)))
    return "\n".join(lines)


def of_source(line: str) -> str:
    return f"{BOLD}{line}{PLAIN}" if LINES_HEAD.match(line) else heated(LINE_SHARE, line)


def heated(pattern: re.Pattern[str], line: str) -> str:
    """The line, with the share that `pattern` finds in it in the color of so large a share."""
    found = pattern.match(line)
    share = float(found[2]) if found else 0.0
    if found is None or share < WARM:
        return line
    return f"{found[1]}{RED if share >= HOT else YELLOW}{found[2]}{PLAIN}{line[found.end() :]}"


def of_function(found: re.Match[str]) -> str:
    place, name, builtin = found.groups()
    return f"{CYAN}{builtin}{PLAIN}" if builtin else f"{DIM}{place}{PLAIN}({CYAN}{name}{PLAIN})"


def of_change(found: re.Match[str]) -> str:
    more, less, other = found.groups()
    return f"{RED if more else GREEN if less else YELLOW}{more or less or other}{PLAIN}"
