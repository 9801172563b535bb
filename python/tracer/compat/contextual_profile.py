"""ContextualProfile: a Profile that decorates functions, as in kernprof."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from tracer.api.profiler import Profile
from tracer.recording.wrapping import wrap
from tracer.runtime.unrecorded import aside

P = ParamSpec("P")
T = TypeVar("T")


class ContextualProfile(Profile):
    """A Profile that also counts its enables, and decorates functions. kernprof -b makes it the
    program's `profile`."""

    enable_count: int = 0
    _lock = threading.RLock()  # a signal handler may call what is profiled

    def enable_by_count(self) -> None:
        """Enable, if not yet enabled. Each call needs its own disable_by_count()."""
        with self._lock:
            self.enable_count += 1
        self.enable()  # last, so that the profile does not record the lock

    @aside
    def disable_by_count(self) -> None:
        """Disable at the last call: when it has been called as often as enable_by_count()."""
        with self._lock:
            if self.enable_count > 0:
                self.enable_count -= 1
                if self.enable_count == 0:
                    self.disable()

    def __enter__(self) -> Any:
        self.enable_by_count()
        return self

    def __exit__(self, *error: object) -> None:
        self.disable_by_count()

    def __call__(self, func: Callable[P, T]) -> Callable[P, T]:
        """Decorate a function: each call is profiled."""
        return cast("Callable[P, T]", wrap(func, self))

    wrap_callable = __call__
