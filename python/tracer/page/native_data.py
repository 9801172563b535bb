"""What the page shows of native samples: the functions and calling contexts seen by them, with CPU
time in the place of time, and native functions among the others.

The trees are made as those of the times are, of a Stats that data/native_view.py makes. Their rows
are rows of their own: most functions of a program have no sample, and no time has native functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tracer.analysis.call_tree import Paths
    from tracer.analysis.native import Whole
    from tracer.data.profile_set import ProfileSet

NS = 1e9


class PageNative(NamedTuple):
    """The native samples of a profile as the page has them."""

    paths: Paths
    whole: Whole

    def facts(self) -> dict[str, Any]:
        """As in the page's JSON. Times are whole nanoseconds."""
        whole = self.whole
        return {
            "hz": whole.hz,
            "samples": whole.samples,
            "unit": round(whole.unit * NS),
            "parts": {
                "native": round(whole.native * NS),
                "Python": round(whole.interpreter * NS),
                "overhead": round(whole.overhead * NS),
            },
        }


def native_of(stats: ProfileSet, names: str) -> PageNative | None:
    """The native samples of a Stats; None where there are none. names: as the page has them."""
    if not any(capture.native is not None for capture in stats.captures) or not stats.is_whole:
        return None
    from tracer.analysis.call_tree import paths_of
    from tracer.analysis.native import whole_of

    seen = stats.seen_by_native()
    whole = whole_of(stats, seen)
    return PageNative(paths_of(seen, names), whole) if whole.samples else None
