"""Colors parts of a text: on a terminal, and elsewhere only if --color asks for it.

pstats and the reports make the text without colors; this module finds the parts by patterns, and
changes nothing else. For a terminal it also escapes control characters.
"""

from __future__ import annotations

import os
import re
import sys

from tracer.launch.output import put_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

BOLD, DIM, RED, GREEN, YELLOW, CYAN = (f"\x1b[{code}m" for code in (1, 2, 31, 32, 33, 36))
PLAIN = "\x1b[0m"
HOT, WARM = 50.0, 10.0  # percent of the time

# Characters in a function's name or a source line that a terminal would act on.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ABOUT = re.compile(r"(?=.{10}  )( *[a-z]+(?: [a-z]+)*)(?=  )")  # the header's labels
FUNCTION = re.compile(r"(?:([^\s(]\S*:\d+)\(([^()]*)\)|(\{.*?\}))(?=\s|$)")
HEADS = ("filename:lineno(function)", "was called by...", "called...", "native id  thread")
LINES_HEAD = re.compile(r"Line # +Hits | +Time +% Run ")
# A line's share: after number, hits and times; among the hottest lines, after its time.
LINE_SHARE = re.compile(r"( *\d+ +\d+ +[\d.]+ +[\d.]+ +| *\d+\.\S+ +)([\d.]+)(?= |$)")
SHARE = re.compile(r"( *)([\d.]+)(?=% )")
# The first screen: the head of its tree and of its functions, ending where names begin; a row's
# share behind its time; and the guide, the name and the place of a function.
SCREEN_HEAD = re.compile(r" +(?:time|own) +% .*\bcalls(?:  |$)")
SCREEN_SHARE = re.compile(r"( *[\d.]+ +)([\d.]+)(?= )")
PLACED = re.compile(r"([ ├└│─]*)(.*)(  \S+:\d+)$")
CHANGE = re.compile(r"(?<= )(?:([+x][\d.,]+[%M]?)|(<?-[\d.,]+%?)|(new|gone))(?= |$)")


def print_colored(text: str, when: str | None) -> None:
    """Print a text on stdout, in the colors that --color=`when` asks for. Raises OutputError."""
    put_text(text if sys.stdout is None else text_for(sys.stdout, text, when))


def text_for(stream: TextIO, text: str, when: str | None) -> str:
    """The text as this stream shows it. `when` is the value of --color."""
    if is_terminal(stream):
        text = CONTROL.sub(lambda found: repr(found[0])[1:-1], text)
    return colored(text) if is_colored(stream, when or "auto") else text


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


def colored(text: str) -> str:
    lines = text.split("\n")
    above = ABOUT.match(lines[0]) is not None
    names_at = 0  # within the tree or the functions of the first screen: where names begin
    source = False  # within a function's source lines, which may look like anything
    for number, line in enumerate(lines):
        above = above and line != ""
        source = (source and line != "") or LINES_HEAD.match(line) is not None
        if head := SCREEN_HEAD.match(line):
            names_at = len(head[0].rstrip()) + 2
            lines[number] = f"{BOLD}{line}{PLAIN}"
            continue
        names_at = names_at if line else 0
        if names_at:
            numbers, name = line[:names_at], line[names_at:]
            name = PLACED.sub(rf"\1{CYAN}\2{PLAIN}{DIM}\3{PLAIN}", name)
            lines[number] = color_share(SCREEN_SHARE, numbers) + name
        elif source:
            lines[number] = color_source_line(line)
        elif above:
            line = CHANGE.sub(color_change, line) if " -> " in line else line
            lines[number] = ABOUT.sub(rf"{DIM}\1{PLAIN}", line, count=1)
        elif any(head in line for head in HEADS):
            lines[number] = f"{BOLD}{line}{PLAIN}"
        else:
            line = color_share(SHARE, CHANGE.sub(color_change, line))
            lines[number] = FUNCTION.sub(color_function, line)
    return "\n".join(lines)


def color_source_line(line: str) -> str:
    return f"{BOLD}{line}{PLAIN}" if LINES_HEAD.match(line) else color_share(LINE_SHARE, line)


def color_share(pattern: re.Pattern[str], line: str) -> str:
    """The line, with the share that `pattern` finds colored by its size."""
    found = pattern.match(line)
    share = float(found[2]) if found else 0.0
    if found is None or share < WARM:
        return line
    return f"{found[1]}{RED if share >= HOT else YELLOW}{found[2]}{PLAIN}{line[found.end() :]}"


def color_function(found: re.Match[str]) -> str:
    place, name, builtin = found.groups()
    return f"{CYAN}{builtin}{PLAIN}" if builtin else f"{DIM}{place}{PLAIN}({CYAN}{name}{PLAIN})"


def color_change(found: re.Match[str]) -> str:
    more, less, other = found.groups()
    return f"{RED if more else GREEN if less else YELLOW}{more or less or other}{PLAIN}"
