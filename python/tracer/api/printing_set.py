"""PrintingSet: what the methods of Stats print goes through it. figure_stats.py, memory_stats.py,
summary_stats.py and timeline_stats.py have those of their subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from tracer.data.profile_set import ProfileSet

if TYPE_CHECKING:
    from typing import TextIO


class PrintingSet(ProfileSet):
    """A set of profiles that prints to a stream."""

    stream: TextIO

    def _print(self, text: str) -> Self:
        print(text, end="", file=self.stream)
        return self
