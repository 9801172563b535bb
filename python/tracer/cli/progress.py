"""Shows the progress of long work on standard error, if that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from os.path import getsize, isfile
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FIRST = 0.5  # seconds before the first line: most work is done by then
STEP = 0.1  # seconds between two lines
LARGE = 20_000_000  # bytes of files: fewer are read and looked at in that time


class Progress:
    """Call it with how much of `total` is done. As a context manager it erases the line at the
    end."""

    def __init__(self, doing: str, total: int) -> None:
        self.doing: str = doing
        self.total: int = max(total, 1)
        self.stream = sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None
        self.due: float = monotonic() + FIRST
        self.is_visible: bool = False

    def begin(self) -> None:
        """Show the line at once, of work of which no part can be told."""
        if self.stream is not None:
            self.is_visible = True
            self.say(f"\rtracer: {self.doing}")

    def __call__(self, done: int) -> None:
        if self.stream is None or monotonic() < self.due:
            return
        self.due = monotonic() + STEP
        self.is_visible = True
        self.say(f"\rtracer: {self.doing} {min(done / self.total, 1):4.0%}")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.is_visible:
            self.say("\r\033[K")

    def say(self, text: str) -> None:
        assert self.stream is not None
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:
            self.stream = None  # the stream was closed: nobody can be told
            self.is_visible = False


@contextmanager
def shown_while_reading(files: Sequence[str]) -> Iterator[None]:
    """Within it, large files are read and looked at."""
    size = sum(getsize(file) for file in files if isfile(file))
    with Progress(f"reading {size / 1e6:,.0f} MB", size) as progress:
        if size >= LARGE:
            progress.begin()
        yield
