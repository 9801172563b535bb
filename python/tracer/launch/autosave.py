"""Saves the profile every so often while the program runs, from a thread of its own.

How the program notices nothing of that thread is in background_thread.py; what is saved, and where,
is the run's business.
"""

from __future__ import annotations

from _thread import TIMEOUT_MAX
from time import monotonic, thread_time

from tracer.launch.background_thread import Companion, Thread
from tracer.launch.output import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer._core import Profiler

# A save that took a second is the last one for this many seconds: less than 1% of the time.
REST = 100


class Saver(Companion):
    """Calls save(), which must not raise, about every `seconds`, from start() until stop()."""

    def __init__(self, profile: Profiler, save: Callable[[], None], seconds: float) -> None:
        super().__init__(profile)
        self.save = save
        self.seconds = seconds
        self.put_off()

    def put_off(self) -> None:
        self.due: float = monotonic() + self.seconds

    def time_left(self) -> float:
        return min(max(0.0, self.due - monotonic()), TIMEOUT_MAX)

    def work(self, thread: Thread) -> None:
        while not thread.stop.acquire(timeout=self.time_left()):
            if monotonic() < self.due:
                continue  # it was put off meanwhile
            # What it takes from the program is this thread's own time. It may wait much longer, for
            # the interpreter, while the program runs.
            began = thread_time()
            self.save()
            self.due = monotonic() + max(self.seconds, REST * (thread_time() - began))


def start(profile: Profiler, save: Callable[[], None], seconds: float) -> list[Saver]:
    """A Saver at work; none, and that is said, when the system lets no thread start."""
    saver = Saver(profile, save, seconds)
    try:
        saver.start()
    except RuntimeError as error:
        say(
            f"cannot start a thread for --save-every ({error}): the profile is written at "
            "the end only"
        )
        return []
    return [saver]
