"""A thread of tracer's own beside the program, of which the program is to notice nothing.

`threading` does not know it, no tool is told what it does, it takes no signals, and it is not there
while the process forks, which the interpreter warns of when there are threads. What it does is for
autosave.py and live_feed.py to say.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, get_ident, get_native_id, start_new_thread
from time import monotonic, sleep
from types import MethodType

from tracer._core import call_aside, call_soon, unrecorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from _thread import LockType
    from collections.abc import Sequence
    from typing import Any

    from tracer._core import Profiler
else:
    import _signal as signal  # the program may have a signal.py of its own

# What the processor raises in a thread is for that thread.
OF_THE_THREAD = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}


class Thread:
    """A run of the thread; a fork ends one and begins another."""

    def __init__(self) -> None:
        self.native_id = 0
        self.ready: LockType = held_lock()
        self.stop: LockType = held_lock()
        self.gone: LockType = held_lock()


def held_lock() -> LockType:
    lock = allocate_lock()
    lock.acquire()
    return lock


class Companion:
    """Has its work() done by a thread from start() until stop(). What is given to keep_from_forks()
    pauses for the time of forks."""

    def __init__(self, profile: Profiler) -> None:
        self.profile = profile
        self.thread: Thread | None = None
        self.forks: int = 0  # how many threads are forking just now
        self.over: bool = False

    def work(self, thread: Thread) -> None:
        """Goes on until `thread.stop` can be acquired, and may then begin anew."""
        raise NotImplementedError

    def wake(self) -> None:
        """Called when `thread.stop` was released, should work() wait for something else."""

    def put_off(self) -> None:
        """The profile was written just now, not by this."""

    def finish(self, section: dict[str, Any] | None) -> None:
        """The run is over, and this is all of it; None when there is nothing."""
        self.stop()

    def forget(self) -> None:
        """In a forked child."""

    def start(self) -> None:
        """From the main thread. Raises RuntimeError when the system lets no thread start."""
        self.main_thread: int = get_ident()
        self.begin()

    def stop(self) -> None:
        """Comes back when the thread has done what it was about."""
        self.over = True
        self.end()

    def begin(self) -> None:
        thread = Thread()
        if self.forks or self.over or self.thread is not None:
            return
        self.thread = thread
        # A signal that the program blocks or waits for is to find no other thread to go to.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - OF_THE_THREAD)
        try:
            start_new_thread(call_aside, (self.run, thread))
            thread.ready.acquire()
        except RuntimeError:
            self.thread = None
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
            thread.native_id = get_native_id()
            thread.ready.release()
            self.work(thread)
        finally:
            thread.gone.release()

    def before_fork(self) -> None:
        with unrecorded:
            self.forks += 1
            thread = self.end()
            if thread is not None:
                wait_for_end(thread.native_id)

    def after_fork(self) -> None:
        with unrecorded:
            self.forks -= 1
            if get_ident() != self.main_thread:
                self.go_on()  # the main thread may not come to it for long, and there are threads

    def go_on(self) -> None:
        with unrecorded:
            try:
                self.begin()
            except RuntimeError:
                return  # the system lets no thread start just now; after the next fork it may


def keep_from_forks(companions: Sequence[Companion]) -> None:
    """For the process's life. The last such functions to be registered must be these."""

    def go_on() -> None:
        for companion in companions:
            companion.go_on()

    for companion in companions:
        os.register_at_fork(
            before=MethodType(call_aside, companion.before_fork),
            after_in_parent=MethodType(call_aside, companion.after_fork),
        )
    # Some versions count the threads when these functions have returned. Therefore not at once, nor
    # before any other of these functions, in which it would be done.
    os.register_at_fork(after_in_parent=MethodType(call_soon, go_on))


def wait_for_end(native_id: int) -> None:
    """Wait until the system lets go of a thread that has nothing more to do. It counts until then;
    where the system does not say, there is nothing to wait for."""
    patience = monotonic() + 1
    while os.path.exists(f"/proc/self/task/{native_id}") and monotonic() < patience:
        sleep(0.0001)
