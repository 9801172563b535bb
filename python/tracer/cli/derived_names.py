"""The file that a verb writes where -o names none: its name is derived from that of a FILE, and so
the user may have a file of that name. It is replaced where tracer wrote it, or with --force."""

from __future__ import annotations

import os

from tracer.cli.options.option import option
from tracer.launch.errors import UsageError
from tracer.launch.output import ProfileFile
from tracer.source.statements import open_regular

FORCE = option("--force", "without -o: replace the default OUT also where tracer did not write it")
HEAD = 8192  # bytes from the start, within which a mark is
# The endings of profiles, which another may take the place of. What else follows a dot is of the
# name: run.v1 and run.v2 are two.
ENDINGS = (".out", ".prof", ".lprof", ".pstats", ".profile")


def with_ending(file: str, ending: str) -> str:
    """The file's name with the ending, in place of its own if that is of a profile."""
    stem, own = os.path.splitext(file)
    return f"{stem if own in ENDINGS else file}{ending}"


def derived_file(name: str, mark: bytes, *, force: bool) -> ProfileFile:
    """The file of a derived name. mark: what tracer's own files have near their start; empty where
    they have none. Raises UsageError, also for a file that is there and lacks the mark."""
    file = ProfileFile(name)
    if force or not os.path.lexists(name) or (mark and bears(file.path, mark)):
        return file
    raise UsageError(
        f"{name!r} is there already, and does not say that tracer wrote it; name a file after -o, "
        "or replace this one with --force"
    )


def bears(path: str, mark: bytes) -> bool:
    try:
        with open(open_regular(path), "rb") as file:
            return mark in file.read(HEAD)
    except OSError:
        return False
