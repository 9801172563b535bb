"""What the page shows of native samples: the functions and calling contexts seen by them, with CPU
time in the place of time, and native functions among the others.

The trees are made as those of the times are, of a Stats that data/native_view.py makes. Their rows
are rows of their own: most functions of a program have no sample, and no time has native functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tracer.analysis.native.code import NativeCode
    from tracer.analysis.native.native import Whole
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet

NS = 1e9


class PageNative(NamedTuple):
    """The native samples of a profile as the page has them."""

    paths: Paths
    whole: Whole
    code: list[NativeCode]

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
            "code": self._code(),
        }

    def _code(self) -> list[dict[str, Any]]:
        places = {row: place for place, row in enumerate(self.paths.rows)}
        return [
            {
                "row": places[code.function],
                "file": code.file,
                "first": code.first,
                "texts": code.texts,
                "cpu": [
                    [line, round(own * NS), round(total * NS)]
                    for line, (own, total) in sorted(code.cpu.items())
                ],
                "isEdited": code.is_edited,
            }
            for code in self.code
            if code.function in places
        ]


def native_of(stats: ProfileSet, names: str, *, read: bool = False) -> PageNative | None:
    """The native samples of a Stats; None where there are none. names: as the page has them. read:
    read the source lines of native functions, unless the profile was recorded with --no-source."""
    if not any(capture.native is not None for capture in stats.captures) or not stats.is_whole:
        return None
    from tracer.analysis.native.code import native_code_of
    from tracer.analysis.native.native import whole_of
    from tracer.analysis.tree.call_tree import paths_of

    seen = stats.seen_by_native()
    whole = whole_of(stats, seen)
    if not whole.samples:
        return None
    read = read and all(capture.keeps_source for capture in stats.captures)
    return PageNative(paths_of(seen, names), whole, native_code_of(stats.captures) if read else [])
