"""What a set of profiles is made of."""

from __future__ import annotations

from typing import NamedTuple

from tracer.data.capture import Capture
from tracer.data.types import Thread, Totals


class Part(NamedTuple):
    """A capture, or one thread of it. stripped: file names are without their folders."""

    capture: Capture
    thread: Thread | None = None
    stripped: bool = False

    @property
    def threads(self) -> tuple[Thread, ...]:
        return self.capture.threads if self.thread is None else (self.thread,)

    def figures(self, names: str, raw: bool) -> Totals:
        return self.capture.figures(names, self.thread, self.stripped, raw=raw)
