"""Notices the ends of a process that atexit misses: os._exit, os.exec* and signals.

During a run tracer's functions precede os._exit and os.exec*, and ending signals have handlers. The
functions keep the names, signatures and documentation of the builtins. profiled_run.py says what
happens at an end. This module imports only what the interpreter has loaded by itself.
"""

from __future__ import annotations

import os
import posix
from _thread import get_ident
from types import MethodType

from tracer._core import precede, unrecorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from types import FrameType, ModuleType
    from typing import Any

    from tracer._core import Profiler
else:
    import _signal as signal  # the program may have a signal.py of its own

# Signals that end a process at once, and that users send.
ENDING: dict[int, str] = {signal.SIGTERM: "SIGTERM", signal.SIGHUP: "SIGHUP"}


class ExitHooks:
    """Calls before_exit or before_exec before the program's own call, with the same arguments."""

    def __init__(
        self, before_exit: Callable[..., object], before_exec: Callable[..., object]
    ) -> None:
        # All os.exec* functions call execv or execve, which they look up in os.
        self.before: dict[str, Callable[..., object]] = {
            "_exit": before_exit,
            "execv": before_exec,
            "execve": before_exec,
        }
        self.replaced: list[tuple[ModuleType, str, object, object]] = []

    def install(self) -> None:
        for name, before in self.before.items():
            function = getattr(os, name)
            preceded = precede(function, before)
            for module in (os, posix):
                if getattr(module, name) is function:
                    setattr(module, name, preceded)
                    self.replaced.append((module, name, function, preceded))

    def remove(self) -> None:
        """Put the builtins back, except where the program has set a function of its own."""
        for module, name, function, preceded in self.replaced:
            if getattr(module, name, None) is preceded:
                setattr(module, name, function)
        self.replaced.clear()


def can_be_executed(path: object) -> bool:
    """Whether the system may replace the process by this file, or open file.

    os.execvp tries a path in every folder of PATH. Where no file is, the process goes on.
    """
    if isinstance(path, (str, bytes, os.PathLike)):
        return os.path.isfile(path) and os.access(path, os.X_OK)
    return True


class EndingSignals:
    """Handlers for the signals of ENDING that nobody else handles.

    `end_run` is called with how the run ended, in the words of RunInfo. It returns False while the
    profile is being written: then the signal waits for die_of_late().
    """

    def __init__(self, profile: Profiler, end_run: Callable[[str], bool]) -> None:
        self.end_run = end_run
        # The interpreter calls the handler in the middle of the program. mute_and_call() keeps the
        # handler out of the profile.
        self.handler: MethodType = MethodType(profile.mute_and_call, self.arrived)
        self.late: int | None = None
        self.masks: dict[int, set[Any]] = {}  # signal masks of forking threads, by ident

    def install(self) -> None:
        for number in ENDING:
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, self.handler)

    def installed(self) -> list[int]:
        """The signals whose handler is still tracer's: the program may have set its own."""
        return [number for number in ENDING if signal.getsignal(number) is self.handler]

    def remove(self) -> None:
        for number in self.installed():
            signal.signal(number, signal.SIG_DFL)

    def arrived(self, number: int, frame: FrameType | None) -> None:
        """Write the profile, then die of the signal, as the program would have."""
        if self.end_run(f"by {ENDING[number]}"):
            die_of(number)
        else:
            self.late = number

    def die_of_late(self) -> None:
        """Die of the signal that came while the profile was written, if one came."""
        if self.late is not None:
            die_of(self.late)

    def before_fork(self) -> None:
        """Block the signals until the child has plain python's handlers: until then the child would
        lose them."""
        with unrecorded:
            ours = self.installed()
            self.masks[get_ident()] = signal.pthread_sigmask(signal.SIG_BLOCK, ours)

    def after_fork(self) -> None:
        with unrecorded:
            mask = self.masks.pop(get_ident(), None)
            if mask is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def die_of(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def die_of_interrupt_at_exit() -> None:
    """Make the interpreter die of SIGINT at its end, as after any uncaught KeyboardInterrupt.

    The interpreter notes that exception, and forgets it whenever text is executed. Some modules
    that are imported to write the profile execute text. Executing text also sets the note.
    """
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return


def hold_interrupts() -> None:
    """Ignore Ctrl-C: the program is over, and writing the profile takes only a moment."""
    try:
        signal.signal(signal.SIGINT, lambda number, frame: None)
    except ValueError:
        return  # not the main thread
