"""The options that `view` and `html` share."""

from __future__ import annotations

from tracer.cli.options.option import HELP, PHASES, RAW, Option, Options

PAGE_OPTIONS = (
    Option("--compare", meaning="also show what changed from the first FILE to the second"),
    Option("--sources", meaning="show the source of libraries, too"),
    PHASES,
    RAW,
    HELP,
)


class PageOptions(Options):
    """Values of PAGE_OPTIONS."""

    __slots__ = ("compare", "help", "phases", "raw", "sources")
    compare: bool
    help: bool
    phases: str | None
    raw: bool
    sources: bool
