"""The texts of source files that a profile keeps, to show them beside the figures later.

Files of the program's own are kept, and others that the user named or timed by line. The command
loads this module before the program starts. checksums.py notices that a file has changed since its
lines were timed.
"""

from __future__ import annotations

import os

from tracer.source.file_kinds import OWN, place_of
from tracer.source.statements import parsed, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LARGEST = 2**21  # bytes of one file that a profile keeps ...
MOST = 2**24  # ... and of all of them
# Seconds by which a file's time may lie before the moment it was written: systems stamp files with
# the time of the kernel's last tick. A tick takes 10 ms at most.
TICK = 0.01
# Nobody writes source in these codecs, and their time grows with the square of the text's length.
SLOW_CODECS = ("punycode", "idna")


def texts_of(
    files: Iterable[str],
    started: float,
    named: Collection[str] = (),
    timed: Collection[str] = (),
) -> dict[str, tuple[bytes, bool]]:
    """{file: (text, whether it was changed after `started`)} of the readable files of Python that
    are the program's own, or below a path in `named`, or in `timed`. `started` is in seconds since
    the epoch. Own files come first: there is room for so much text."""
    absolute = [file for file in dict.fromkeys(files) if os.path.isabs(file)]
    own = [file for file in absolute if place_of(file)[0] == OWN]
    others = set(absolute).difference(own)
    wanted = [it for it in absolute if it in others and (it in timed or is_below(it, named))]
    texts = {}
    room = MOST
    for file in own + wanted:
        found = text_of(file, min(room, LARGEST))
        if found is not None and is_python(file, found[0]):
            text, changed = found
            room -= len(text)
            texts[file] = text, changed > started - TICK
    return texts


def is_below(file: str, paths: Collection[str]) -> bool:
    """Whether a file is one of these paths or below it, as ext/interp/filter.c has it. The paths
    are resolved; `*` stands for any characters."""
    if not paths or "\0" in file:
        return False
    place = os.path.realpath(file)
    places = [place]
    while "/" in place.lstrip("/"):
        place = place.rpartition("/")[0]
        places.append(place)
    return any(matches(path, place) for path in paths for place in places)


def matches(pattern: str, path: str) -> bool:
    """Whether a path is like a pattern, in which `*` stands for any characters."""
    first, *others = pattern.split("*")
    if not others:
        return path == pattern
    *middle, last = others
    at = len(first)
    for part in middle:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return path.startswith(first) and path.endswith(last) and at + len(last) <= len(path)


def is_python(file: str, text: bytes) -> bool:
    """Whether the text of a file can be the source of code that names the file. Code that a program
    makes from a template may name the template, but its lines are not the template's."""
    try:
        return file.endswith(".py") or parsed(text) is not None
    except (RecursionError, MemoryError):
        return True  # not known


def text_of(file: str, most: int) -> tuple[bytes, float] | None:
    """As statements.read(); None, too, when there is no memory for the file."""
    try:
        return read(file, most)
    except MemoryError:
        return None


def state_of(file: str, data: bytes) -> str:
    """How a file compares with the bytes `data` that it held: "same", "edited" or "gone"."""
    now = text_of(file, len(data) + 1)
    if now is None:
        return "edited" if os.path.isfile(file) else "gone"
    return "same" if now[0] == data else "edited"


def decoded(data: bytes) -> str:
    """Source as text, decoded by the encoding that it declares."""
    import codecs  # not before the program starts: slow to import
    import io
    import tokenize

    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if codecs.lookup(encoding).name in SLOW_CODECS:
            encoding = "latin-1"
        return data.decode(encoding)
    except (SyntaxError, LookupError, ValueError):
        return data.decode("utf-8", "replace")
