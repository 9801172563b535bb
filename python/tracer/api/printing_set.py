"""PrintingSet: what the methods of Stats print goes through it. figure_stats.py, memory_stats.py,
summary_stats.py and timeline_stats.py have those of their subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from tracer.data.profile_set import ProfileSet

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from tracer.data.types import Label


class PrintingSet(ProfileSet):
    """A set of profiles that prints to a stream. shown: the text of a function."""

    stream: TextIO
    shown: Callable[[Label], str]

    def _print(self, text: str) -> Self:
        print(text, end="", file=self.stream)
        return self
