"""Short names of files, for people: own files from the folder where one stands, those of libraries
from their package. What is read by programs has whole paths."""

from __future__ import annotations

import os
import re

from tracer.source.origin import LIBRARY, OWN, SITE, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# A file before the line and the name of a function, as pstats prints them.
BEFORE_FUNCTION = re.compile(r"/[^\n]*?(?=:\d+\()")


def folder_here() -> str:
    """The folder where one stands; "" where it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def short_file(file: str, *folders: str) -> str:
    """The file, from the first of these folders that it lies in; a library's from its package."""
    kind, parts = place_of(file)
    if kind in (LIBRARY, SITE) and not file.startswith("<"):
        return "/".join(parts)
    if kind == OWN:
        for folder in folders:
            inside = f"{folder.rstrip('/')}/"
            if folder and file.startswith(inside):
                return file[len(inside) :]
    return file


def shortened(text: str, files: Iterable[str]) -> str:
    """The text of tables with short names for those of these files that are before a function. Two
    files of one short name keep theirs."""
    here = folder_here()
    shorter: dict[str, str] = {}
    longer: dict[str, str] = {}
    for file in dict.fromkeys(files):
        short = short_file(file, here)
        if longer.setdefault(short, file) == file:
            shorter[file] = short
        else:
            shorter.pop(longer[short], None)
    return BEFORE_FUNCTION.sub(lambda found: shorter.get(found[0], found[0]), text)
