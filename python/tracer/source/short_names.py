"""Short names of files, for people: own files from the folder where one stands, those of libraries
from their package. What is read by programs has whole paths."""

from __future__ import annotations

import os
import re

from tracer.source.origin import LIBRARY, OWN, SITE, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# A function as pstats prints it: its file, its line and name, and the blanks up to the next column.
# The slash of `4/1`, calls and primitive calls, begins no file.
FUNCTION = re.compile(r"(?<!\d)(/[^\n]*?)(:\d+\([^\n]*?\))(  +)?")
GAP = 2  # blanks between two columns


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
    """The text of tables with short names of these files."""
    shorter = short_names(files)
    return "\n\n".join(shortened_table(table, shorter) for table in text.split("\n\n"))


def short_names(files: Iterable[str]) -> dict[str, str]:
    """{file: its short name}. Where two files have one short name, both keep the long one."""
    here = folder_here()
    shorter: dict[str, str] = {}
    longer: dict[str, str] = {}
    for file in dict.fromkeys(files):
        short = short_file(file, here)
        if longer.setdefault(short, file) == file:
            shorter[file] = short
        else:
            shorter.pop(longer[short], None)
    return shorter


def shortened_table(table: str, shorter: dict[str, str]) -> str:
    """A table with shorter names of files. A column behind the functions moves to the left."""
    columns = set()

    def with_short_name(found: re.Match[str]) -> str:
        file, rest, blanks = found.groups()
        short = shorter.get(file, file)
        if not blanks:
            return short + rest
        columns.add(found.end() - table.rfind("\n", 0, found.start()) - 1)
        return short + rest + " " * (len(file) - len(short) + len(blanks))

    lines = FUNCTION.sub(with_short_name, table).split("\n")
    if len(columns) != 1:
        return "\n".join(lines)
    (column,) = columns
    start = min(column, max(len(line[:column].rstrip()) for line in lines) + GAP)
    return "\n".join(line[:start] + line[column:] for line in lines)
