"""A thread of tracer's own beside the program, hidden from the program.

`threading` does not list the thread, no tool records it, and it takes no signals. When the thread
has work, the main thread gives it turns of the GIL, also if that runs an event loop that polls. It
ends before a fork, because the interpreter warns when a process with several threads forks.
autosave.py and live_feed.py define what the thread does.
"""

from __future__ import annotations

import os
from _thread import TIMEOUT_MAX, allocate_lock, get_ident, get_native_id, start_new_thread
from time import monotonic, sleep
from types import MethodType

from tracer._core import GilYielder, call_soon, call_untracked, unrecorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from _thread import LockType
    from collections.abc import Sequence
    from typing import Any

    from tracer._core import Profiler
else:
    import _signal as signal  # the program may have a signal.py of its own

# The longest wait at once, in seconds.
LONGEST = min(TIMEOUT_MAX, 1e9 - 1)
# Signals of faults: each goes to the thread that caused it.
OF_THE_THREAD = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}


class Thread:
    """One run of the thread. A fork ends a run and begins another."""

    yielder: GilYielder  # the thread's own

    def __init__(self) -> None:
        self.native_ids: tuple[int, ...] = ()
        self.ready: LockType = held_lock()
        self.stop: LockType = held_lock()
        self.gone: LockType = held_lock()

    def rest(self, seconds: float) -> bool:
        """Wait until the thread is to stop, at most so long. Returns whether it is to stop. After
        that time the program gives the thread its turns of the GIL."""
        seconds = min(max(0.0, seconds), LONGEST)
        self.yielder.begin_in(seconds)
        return self.stop.acquire(timeout=seconds)


def held_lock() -> LockType:
    lock = allocate_lock()
    lock.acquire()
    return lock


class BackgroundWorker:
    """Runs work() in a thread from start() until stop(). keep_from_forks() pauses the thread during
    forks."""

    def __init__(self, profile: Profiler) -> None:
        self.profile = profile
        self.thread: Thread | None = None
        self.forks: int = 0  # number of threads that are forking now
        self.over: bool = False

    def work(self, thread: Thread) -> None:
        """Works until thread.rest() returns True. After a fork a new thread calls it again."""
        raise NotImplementedError

    def wake(self) -> None:
        """Called after `thread.stop` was released, for a work() that waits for something else."""

    def put_off(self) -> None:
        """Called when something else has just written the profile."""

    def finish(self, section: dict[str, Any] | None) -> None:
        """Called when the run is over. `section` is the whole profile; None if there is none."""
        self.stop()

    def forget(self) -> None:
        """Called in a forked child."""

    def start(self) -> None:
        """Start the thread; call this from the main thread. Raises RuntimeError when the system
        lets no thread start."""
        self.main_thread: int = get_ident()
        self.begin()

    def stop(self) -> None:
        """Stop the thread for good. Returns when work() has returned."""
        self.over = True
        self.end()

    def begin(self) -> None:
        thread = Thread()
        if self.forks or self.over or self.thread is not None:
            return
        self.thread = thread
        # A signal that the program blocks or waits for must not go to this thread.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - OF_THE_THREAD)
        try:
            thread.yielder = GilYielder()
            start_new_thread(call_untracked, (self.run, thread))
            thread.ready.acquire()
        except RuntimeError:
            self.thread = None
            thread.yielder.stop()
            thread.gone.release()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def end(self) -> Thread | None:
        thread, self.thread = self.thread, None
        if thread is not None:
            thread.stop.release()
            self.wake()
            thread.gone.acquire()
        return thread

    def run(self, thread: Thread) -> None:
        try:
            self.profile.ignore_thread()
            thread.native_ids = get_native_id(), thread.yielder.native_id
            thread.ready.release()
            self.work(thread)
        finally:
            thread.yielder.stop()
            thread.gone.release()

    def before_fork(self) -> None:
        with unrecorded:
            self.forks += 1
            thread = self.end()
            if thread is not None:
                for native_id in thread.native_ids:
                    wait_for_end(native_id)

    def after_fork(self) -> None:
        with unrecorded:
            self.forks -= 1
            if get_ident() != self.main_thread:
                # Not by call_soon(), which may wait long for the main thread. The interpreter warns
                # in any case: the program has several threads.
                self.go_on()

    def go_on(self) -> None:
        with unrecorded:
            try:
                self.begin()
            except RuntimeError:
                return  # the system lets no thread start now; the next fork tries again


def keep_from_forks(workers: Sequence[BackgroundWorker]) -> None:
    """Pause the workers during every fork, for the life of the process. tracer registers no
    at-fork functions after these."""

    def go_on() -> None:
        for worker in workers:
            worker.go_on()

    for worker in workers:
        os.register_at_fork(
            before=MethodType(call_untracked, worker.before_fork),
            after_in_parent=MethodType(call_untracked, worker.after_fork),
        )
    # Some versions count the threads after the at-fork functions have returned, so call_soon()
    # starts them later. It is registered last: a later at-fork function would run go_on() too soon.
    os.register_at_fork(after_in_parent=MethodType(call_soon, go_on))


def wait_for_end(native_id: int) -> None:
    """Wait until the system lets go of a finished thread, at most a second: the thread counts until
    then. Without /proc there is no wait."""
    patience = monotonic() + 1
    while os.path.exists(f"/proc/self/task/{native_id}") and monotonic() < patience:
        sleep(0.0001)
