"""What is printed of a profile: the header, then the rows that the printing options ask for.

Used by `run` when it has no file to write and by `show`; both print the same for the same profile.
"""

from __future__ import annotations

from io import StringIO

from tracer.commands.header import header
from tracer.stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tracer.capture import Capture


def render(sources: Sequence[Capture | str], values: dict[str, Any]) -> tuple[str, list[str]]:
    """The text for these profiles, added up, and what is wrong with files that can still be read.

    ProfileFormatError or OSError for a file that cannot.
    """
    stream = StringIO()
    stats = Stats(*sources, stream=stream)
    if not values["no_header"]:
        stream.write(header(stats, len(sources)))
    if values["strip_dirs"]:
        stats.strip_dirs()
    stats.sort_stats(values["sort"])
    limit = () if values["limit"] is None else (values["limit"],)
    if values["callers"] is not None:
        stats.print_callers(values["callers"], *limit)
    if values["callees"] is not None:
        stats.print_callees(values["callees"], *limit)
    if values["callers"] is None and values["callees"] is None:
        stats.print_stats(*limit)
    return stream.getvalue(), stats.problems
