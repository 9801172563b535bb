"""The process itself: whether it can import, how it dies of a signal, how much memory it had.

Used when the program is over, so nothing is imported here that the interpreter has not loaded by
itself. When each is done is profiled_run.py's affair.
"""

from __future__ import annotations

import _frozen_importlib as importlib_bootstrap
import os
import sys
from _thread import get_ident
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any
else:
    import _signal as signal  # the program may have a signal.py of its own


def imports_can_be_made() -> bool:
    """Whether no other thread keeps a module of the standard library to itself, for a second.

    It does while it imports it. That may wait for this very thread, which would wait for it.
    """
    locks = vars(importlib_bootstrap)["_module_locks"]
    patience = monotonic() + 1
    while any(
        is_held(reference(), get_ident())
        for name, reference in list(locks.items())
        if name.partition(".")[0] in sys.stdlib_module_names
    ):
        if monotonic() > patience:
            return False
        sleep(0.001)
    return True


def is_held(lock: Any, me: int) -> bool:
    return lock is not None and lock.owner not in (None, me)


def die_of(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def die_of_interrupt_at_exit() -> None:
    """Remind the interpreter that its last act is to die of SIGINT.

    It notes an uncaught KeyboardInterrupt, and forgets that whenever text is executed, as some of
    the modules do that were imported to write the profile. Executing text is also how to set it.
    """
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return


def hold_interrupts() -> None:
    """Let Ctrl-C do nothing: the program is over, and the profile takes but a moment to write."""
    try:
        signal.signal(signal.SIGINT, lambda number, frame: None)
    except ValueError:
        return  # not the main thread


def max_memory(ru_maxrss: int) -> int:
    """The most memory the process had, in bytes.

    Linux lets ru_maxrss begin at what the process that started this one used, so it is the last
    resort there.
    """
    in_bytes = ru_maxrss if sys.platform == "darwin" else ru_maxrss * 1024
    try:
        status = os.open("/proc/self/status", os.O_RDONLY)
    except OSError:
        return in_bytes
    try:
        for line in os.read(status, 2**16).splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    finally:
        os.close(status)
    return in_bytes


def end_by(error: BaseException) -> str:
    """How a program ends that this comes out of, as RunInfo has it."""
    if not isinstance(error, SystemExit):
        return f"by {type(error).__name__}"
    if error.code is None or isinstance(error.code, int):
        return end_with(error.code or 0)
    return end_with(1)  # the interpreter prints what it is


def end_with(status: int) -> str:
    """The same of an exit status, of which the system keeps eight bits."""
    return f"with exit status {status & 0xFF}" if status & 0xFF else ""
