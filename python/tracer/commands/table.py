"""What is printed of a profile: the header, then the rows that the printing options ask for.

Used by `run` when it has no file to write and by `show`; both print the same for the same profile.
"""

from __future__ import annotations

import re
from io import StringIO
from pstats import func_std_string  # type: ignore[attr-defined]

from tracer.capture import Capture, RunInfo
from tracer.commands.header import header
from tracer.stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def render_section(section: dict[str, Any], values: dict[str, Any]) -> tuple[str, list[str]]:
    """The text for what a profile file would hold, and what of the options came to nothing."""
    text, notes, _ = render([Capture(section, RunInfo(**section["run"]))], values)
    return text, notes


def render(
    sources: Sequence[Capture | str], values: dict[str, Any]
) -> tuple[str, list[str], list[str]]:
    """The text for these profiles, added up; what of the options came to nothing; and what is wrong
    with files that can still be read.

    ProfileFormatError or OSError for a file that cannot.
    """
    stream = StringIO()
    stats = Stats(*sources, stream=stream, raw=values.get("raw", False))
    if not values["no_header"]:
        stream.write(header(stats, len(sources)))
    if values["strip_dirs"]:
        stats.strip_dirs()
    stats.sort_stats(values["sort"] or "cumulative")
    limit = () if values["limit"] is None else (values["limit"],)
    if values["callers"] is not None:
        stats.print_callers(values["callers"], *limit)
    if values["callees"] is not None:
        stats.print_callees(values["callees"], *limit)
    if values["suspended"]:
        stats.print_suspended(*limit)
    elif values["callers"] is None and values["callees"] is None:
        stats.print_stats(*limit)
    patterns = dict.fromkeys([values["callers"], values["callees"]])
    notes = [
        f"no function matches {pattern!r}"
        for pattern in patterns
        if pattern is not None and not matches(pattern, stats)
    ]
    return stream.getvalue(), notes, stats.problems


def matches(pattern: str, stats: Stats) -> bool:
    """Whether pstats, which searches in the names as it prints them, finds any function."""
    return any(re.search(pattern, func_std_string(label)) for label in stats.stats)
