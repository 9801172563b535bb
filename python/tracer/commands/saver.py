"""Saves the profile every so often while the program runs, from a thread of its own.

The program is to notice nothing of that thread: `threading` does not know it, no tool is told what
it does, it takes no signals, and it is not there while the process forks, which the interpreter
warns of when there are threads. What is saved, and where, is the recorder's business.
"""

from __future__ import annotations

import os
from _thread import TIMEOUT_MAX, allocate_lock, get_ident, get_native_id, start_new_thread
from time import monotonic, sleep, thread_time
from types import MethodType

from tracer._core import call_aside, call_soon, unrecorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from _thread import LockType
    from collections.abc import Callable

    from tracer._core import Profiler
else:
    import _signal as signal  # the program may have a signal.py of its own

# A save that took a second is the last one for this many seconds: less than 1% of the time.
REST = 100

# What the processor raises in a thread is for that thread.
OF_THE_THREAD = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}


class Thread:
    """A run of the saving thread; a fork ends one and begins another."""

    def __init__(self) -> None:
        self.native_id = 0
        self.ready = held_lock()
        self.stop = held_lock()
        self.gone = held_lock()


def held_lock() -> LockType:
    lock = allocate_lock()
    lock.acquire()
    return lock


class Saver:
    """Calls save(), which must not raise, about every `seconds`, from start() until stop()."""

    def __init__(self, profile: Profiler, save: Callable[[], None], seconds: float) -> None:
        self.profile = profile
        self.save = save
        self.seconds = seconds
        self.thread: Thread | None = None
        self.forks = 0  # how many threads are forking just now
        self.over = False
        self.put_off()

    def start(self) -> None:
        """From the main thread. Raises RuntimeError when the system lets no thread start."""
        self.main_thread = get_ident()
        self.begin()
        os.register_at_fork(
            before=MethodType(call_aside, self.before_fork),
            after_in_parent=MethodType(call_aside, self.after_fork),
        )
        # Some versions count the threads when these functions have returned. Therefore not at once.
        os.register_at_fork(after_in_parent=MethodType(call_soon, self.go_on))

    def stop(self) -> None:
        """Save no more. Comes back when the last save is over."""
        self.over = True
        self.end()

    def put_off(self) -> None:
        """Something else has saved the profile just now."""
        self.due = monotonic() + self.seconds

    def time_left(self) -> float:
        return min(max(0.0, self.due - monotonic()), TIMEOUT_MAX)

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
            thread.gone.acquire()
        return thread

    def run(self, thread: Thread) -> None:
        try:
            self.profile.ignore_thread()
            thread.native_id = get_native_id()
            thread.ready.release()
            while not thread.stop.acquire(timeout=self.time_left()):
                if monotonic() < self.due:
                    continue  # it was put off meanwhile
                # What it takes from the program is this thread's own time. It may wait much longer,
                # for the interpreter, while the program runs.
                began = thread_time()
                self.save()
                self.due = monotonic() + max(self.seconds, REST * (thread_time() - began))
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


def wait_for_end(native_id: int) -> None:
    """Wait until the system lets go of a thread that has nothing more to do. It counts until then;
    where the system does not say, there is nothing to wait for."""
    patience = monotonic() + 1
    while os.path.exists(f"/proc/self/task/{native_id}") and monotonic() < patience:
        sleep(0.0001)
