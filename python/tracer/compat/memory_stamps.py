"""memory_profiler's TimeStamper: when each call of a decorated function began and ended, and what
memory the process had then. `mprof plot` draws these."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TextIO

from tracer.compat.memory_usage import Meter


class Span(NamedTuple):
    """A call. level: how many calls of decorated functions it is within. MiB; seconds since the
    epoch."""

    name: str
    mib_before: float
    start: float
    mib_after: float
    end: float
    level: int

    def line(self) -> str:
        """The call as a line of an mprof file."""
        return (
            f"FUNC {self.name} {self.mib_before:.4f} {self.start:.4f} {self.mib_after:.4f} "
            f"{self.end:.4f} {self.level}\n"
        )


class TimeStamper:
    """Notes the calls of the functions that it decorates. Raises ValueError for a backend that
    memory_profiler does not have, OSError for what this system does not tell, and ValueError for
    what cannot be called."""

    def __init__(self, backend: str | None = None, include_children: bool = False) -> None:
        self.meter: Meter = Meter(backend, include_children)
        self.spans: list[Span] = []
        self.current_stack_level: int = -1

    def __call__(self, func: Any = None, precision: int | None = None) -> Any:
        """Decorate a function. `precision` has no effect."""
        if func is None:
            return functools.partial(self.__call__, precision=precision)
        if not callable(func):
            raise ValueError(f"only what can be called can be decorated, not {func!r}")
        return self.wrap_function(func)

    def wrap_function(self, func: Any) -> Any:
        """A function that is noted at each of its calls, and is otherwise the same."""
        name = f"{func.__module__}.{func.__name__}"

        @functools.wraps(func)
        def noted(*args: Any, **kwargs: Any) -> Any:
            with self.timestamp(name):
                return func(*args, **kwargs)

        return noted

    @contextmanager
    def timestamp(self, name: str = "<block>") -> Iterator[None]:
        """Note the statements of a `with` block under this name."""
        self.current_stack_level += 1
        level = self.current_stack_level
        mib, start = self.meter.mib(os.getpid()), time.time()
        try:
            yield
        finally:
            self.current_stack_level -= 1
            after = self.meter.mib(os.getpid())
            # An mprof file has blanks between the fields of a line.
            self.spans.append(Span("_".join(name.split()), mib, start, after, time.time(), level))

    def show_results(self, stream: TextIO | None = None) -> None:
        """Write the calls as lines of an mprof file, by default on standard output."""
        stream = sys.stdout if stream is None else stream
        stream.writelines(span.line() for span in self.spans)
