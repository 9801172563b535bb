"""Saves the profile at intervals while the program runs, from a thread of tracer's own.

background_thread.py hides that thread from the program. profiled_run.py makes the profile, and
profile_output.py writes it.
"""

from __future__ import annotations

from time import monotonic, thread_time

from tracer.launch.background_thread import BackgroundWorker, Thread
from tracer.launch.output import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer._core import Profiler

# After a save of one second the thread rests this many seconds: overhead stays below 1%.
REST = 100
# The same where a killed run is to lose little.
SHORT_REST = 25
# And this many seconds pass before the first save: a program that crashes often does so soon.
SOON = 0.2
# There, what is idle is saved this seldom, in seconds: only its waits grow.
IDLE = 60


class Saver(BackgroundWorker):
    """Calls save(), which must not raise, about every `seconds`, from start() until stop()."""

    def __init__(
        self, profile: Profiler, save: Callable[[], None], seconds: float, rest: float = REST
    ) -> None:
        super().__init__(profile)
        self.save = save
        self.seconds = seconds
        self.rest = rest
        self.last_event: int = -1  # when it was saved
        self.saved: float = 0.0
        self.put_off()

    def put_off(self) -> None:
        self.due: float = monotonic() + self.seconds

    def time_left(self) -> float:
        return self.due - monotonic()

    def is_idle(self) -> bool:
        """Whether nothing has happened since the profile was saved, not long ago."""
        is_same = self.profile.last_event == self.last_event
        return is_same and monotonic() - self.saved < IDLE

    def work(self, thread: Thread) -> None:
        while not thread.rest(self.time_left()):
            if monotonic() < self.due:
                continue  # put_off() has moved the due time meanwhile
            if self.rest == SHORT_REST and self.is_idle():
                self.put_off()
                continue
            # A save costs the program this thread's CPU time. Elapsed time would include the waits
            # for the GIL.
            began = thread_time()
            self.last_event, self.saved = self.profile.last_event, monotonic()
            self.save()
            self.due = monotonic() + max(self.seconds, self.rest * (thread_time() - began))


def start(profile: Profiler, save: Callable[[], None], seconds: float, rest: float) -> list[Saver]:
    """A list with a started Saver. If the system lets no thread start, a message says so, and the
    list is empty."""
    saver = Saver(profile, save, seconds, rest)
    if rest == SHORT_REST:
        saver.due = min(saver.due, monotonic() + SOON)
    try:
        saver.start()
    except RuntimeError as error:
        say(
            f"cannot start a thread that saves the profile ({error}): it is written at the end only"
        )
        return []
    return [saver]
