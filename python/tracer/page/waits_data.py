"""What the page shows of waits that were looked at: the functions and calling contexts in which
threads waited, with what they waited in the place of CPU time.

The trees are made as those of the times are, of a Stats that data/waits_view.py makes. Their rows
are rows of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet


class PageWaits(NamedTuple):
    """The waits of a profile of samples as the page has them. flags: see results/flags.py."""

    paths: Paths
    flags: bytes


def waits_of(stats: ProfileSet, names: str) -> PageWaits | None:
    """Where the threads of a Stats waited; None where that was not looked at, or none did. names:
    as the page has them."""
    if stats.sampled is None:
        return None
    from tracer.analysis.tree.call_tree import paths_of
    from tracer.results.flags import flags_of

    seen = stats.seen_by_waits()
    paths = paths_of(seen, names)
    if not any(any(tree.time) for tree in paths.trees):
        return None
    return PageWaits(paths, flags_of(seen, paths))
