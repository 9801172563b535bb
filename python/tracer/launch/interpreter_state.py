"""An interpreter state in which a profile can be written, whatever state the program left.

InterpreterState sets it while the profile is written, then restores the program's: the program may
go on. This module imports only what the interpreter has loaded by itself.
"""

from __future__ import annotations

import _frozen_importlib as importlib_bootstrap
import sys
from _thread import get_ident
from gc import disable, enable, isenabled
from time import monotonic, sleep

from tracer.launch.descriptors import SpareFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The attributes of sys that decide where an import finds a module.
SEARCH = ("path", "meta_path", "path_hooks")


class Uncollected:
    """A context manager. Within it no garbage is collected: finalizers of the program's would run
    in the middle of tracer's work, and import what tracer has half imported."""

    def __enter__(self) -> None:
        self.collects: bool = isenabled()
        disable()

    def __exit__(self, *error: object) -> None:
        if self.collects:
            enable()


class InterpreterState:
    """A context manager, made before the program starts. Within it imports, calls and files work as
    before the program, and the program's garbage stays."""

    def __init__(self) -> None:
        self.own: dict[str, list[Any]] = {name: list(getattr(sys, name)) for name in SEARCH}
        self.spare: SpareFile = SpareFile()
        self.uncollected: Uncollected = Uncollected()

    def __enter__(self) -> None:
        self.uncollected.__enter__()
        # From here on imports are tracer's own, and none comes from the program's folders.
        self.theirs: dict[str, Any] = {
            name: value for name, value in vars(sys).items() if name in SEARCH
        }
        vars(sys).update(self.own)
        self.depth: int = sys.getrecursionlimit()
        sys.setrecursionlimit(max(1000, self.depth))
        self.spare.release()

    def __exit__(self, *error: object) -> None:
        vars(sys).update(self.theirs)
        self.uncollected.__exit__()
        try:
            sys.setrecursionlimit(self.depth)
        except RecursionError:
            return  # the stack is deeper here than where the program set the limit


def imports_can_be_made() -> bool:
    """Whether, within a second, no other thread is importing a module of the standard library.

    Such a thread may wait for this thread, which would then wait for it: a deadlock.
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
