"""Short names of files, for people: own files from the folder where one stands, those of libraries
from their package. What is read by programs has whole paths."""

from __future__ import annotations

import os

from tracer.source.file_kinds import LIBRARY, OWN, SITE, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


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
