"""--memory=native: the process starts again with the library of runtime/preloading.py, and hides
from the program that it did."""

from __future__ import annotations

import os
import sys

from tracer._core import sees_native_memory
from tracer.launch.errors import UsageError, reason_of
from tracer.runtime.preloading import LIBRARY, NOT_BUILT, NOT_LOADED, is_loadable

PRELOAD = "LD_PRELOAD"
# Set in a process that was started again. Its value is that of LD_PRELOAD before, behind "=", or
# empty where there was none.
MARK = "TRACER_NATIVE_MEMORY"
# Arrow has allocators of its own, which the library does not see, unless this says otherwise.
ARROW, ARROW_SYSTEM = "ARROW_DEFAULT_MEMORY_POOL", "system"


def need_native_memory() -> None:
    """Return in a process that has the library, with its environment as it was before. Else start
    this process again, with the same words. Raises UsageError where that cannot be."""
    before = os.environ.pop(MARK, None)
    if before is not None:
        restore(before)
    if sees_native_memory():
        return
    if before is not None:
        raise UsageError(
            "--memory=native: the system did not load tracer's library into a process that started "
            "again; leave '=native' out"
        )
    if not os.path.exists(LIBRARY):
        raise UsageError(f"--memory=native: {NOT_BUILT}; leave '=native' out")
    if not is_loadable(LIBRARY):
        raise UsageError(
            f"--memory=native: {NOT_LOADED} {LIBRARY!r}; install tracer elsewhere, or leave "
            "'=native' out"
        )
    start_again()


def restore(before: str) -> None:
    """Take the library out of the environment, so that no child of the program gets it."""
    if before:
        os.environ[PRELOAD] = before.removeprefix("=")
    else:
        os.environ.pop(PRELOAD, None)


def start_again() -> None:
    before = os.environ.get(PRELOAD)
    changes = {
        MARK: "" if before is None else f"={before}",
        PRELOAD: f"{LIBRARY}:{before}" if before else LIBRARY,
    }
    environment = {ARROW: ARROW_SYSTEM, **os.environ, **changes}
    try:
        os.execve(sys.executable, sys.orig_argv, environment)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--memory=native: cannot start {sys.executable!r} again: {reason_of(error)}; leave "
            "'=native' out"
        ) from None
