"""memory_profiler's LineProfiler, profile and show_results(): lines by memory.

Increments are exact: they come from the allocations of the thread (docs/guide/memory.md). A
LineRecorder records the lines. From the first time on that a LineProfiler is enabled, and as long
as it lives, a Profiler has the allocators tell what is allocated: what one call allocates another
one may free.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import warnings
import weakref
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from tracer._core import LineRecorder, Profiler
from tracer.compat.memory_usage import MIB, checked
from tracer.data.line_memory import NOTHING, LineMemory
from tracer.data.records import LINE, LINE_MEMORY
from tracer.launch.output import say
from tracer.recording.wrapping import wrap
from tracer.report.line_memory import Row, rows_text
from tracer.runtime import process_memory
from tracer.runtime.unrecorded import aside
from tracer.source.code_objects import codes_within
from tracer.source.functions import Source
from tracer.source.statements import first_lines

if TYPE_CHECKING:
    from types import FrameType
    from typing import Self


class Allocations:
    """Has allocations counted while anybody asks for it: in a process one Profiler can do so at
    a time, and any will do."""

    def __init__(self) -> None:
        self._profiler: Profiler | None = None  # None while another profile has them counted, too
        self._lock = threading.RLock()  # a profiler may end in the middle, as garbage
        self._holders = 0

    @aside
    def hold(self) -> None:
        with self._lock:
            self._holders += 1
            self._count()

    def renew(self) -> None:
        """Count on where another profile did so that has ended. To be called by a holder."""
        if self._profiler is None:
            self._renew()

    @aside
    def _renew(self) -> None:
        with self._lock:
            self._count()

    def _count(self) -> None:
        if self._profiler is None:
            profiler = Profiler(memory=True, builtins=False)
            try:
                profiler.enable()
            except RuntimeError:
                return  # another profile has them counted
            self._profiler = profiler

    @aside
    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0 and self._profiler is not None:
                self._profiler.disable()
                self._profiler = None


ALLOCATIONS = Allocations()


class Measured(NamedTuple):
    """What memory_profiler tells of a line. increment: MiB by which the memory of its thread grew
    on it, callees included, summed. usage: the most resident MiB of the process at an end of the
    line. occurrences: how often it was reached."""

    increment: float
    usage: float
    occurrences: int


class CodeMap(dict[CodeType, dict[int, Measured]]):
    """{code object: {line: Measured}}. Code within a function has the same lines as that."""

    def __init__(
        self, functions: list[CodeType], found: dict[CodeType, dict[int, Measured]]
    ) -> None:
        super().__init__()
        self.functions = functions
        for code in functions:
            lines: dict[int, Measured] = {}
            for part in codes_within(code):
                lines.update(found.get(part, {}))
                self[part] = lines
            ordered = sorted(lines.items())
            lines.clear()
            lines.update(ordered)

    def items(self) -> Iterator[tuple[str, list[tuple[int, Measured | None]]]]:  # type: ignore[override]
        """(file, [(line, Measured, or None if it was not reached)]) of each function that ran."""
        for code in self.functions:
            lines = self[code]
            if lines:
                source = source_of(code, max(lines))
                numbers = [number for number, _ in source.lines(lines)]
                yield code.co_filename, [(number, lines.get(number)) for number in numbers]


class LineProfiler:
    """LineProfiler(*, backend="psutil", max_mem=None, include_children=False)

    Records the lines of functions by memory, in every thread, while it is enabled or a function
    that it decorates runs. max_mem: records nothing, and starts the debugger at the first line
    after which the process has so many MiB in real memory. backend, include_children: without
    effect.

    Raises ValueError for a backend that memory_profiler does not have.
    """

    def __init__(self, **kw: Any) -> None:
        self.backend: str = checked(kw.get("backend"))
        self.max_mem: float | None = kw.get("max_mem")
        if kw.get("include_children"):
            say("include_children: lines have the memory of this process alone")
        self.functions: list[CodeType] = []
        self._codes: list[CodeType] = []  # in the recorder's order
        self._recorder = LineRecorder("memory", first_lines=first_lines)
        self._count = 0
        self._lock = threading.Lock()
        self._before: Any = None  # the trace function in whose place the debugger's is
        self._has_allocations = False

    def __call__(self, func: Any = None, precision: int = 1) -> Any:
        """Decorate: record the lines of a function during each of its calls. `precision` has no
        effect: show_results() takes it."""
        if func is None:
            return functools.partial(self.__call__, precision=precision)
        self.add_function(func)
        return self.wrap_function(func)

    @aside
    def add_function(self, func: Any) -> None:
        """Record the lines of a function, and of what is defined in it. Warns (UserWarning) of an
        object without code."""
        code = getattr(func, "__code__", None)
        if not isinstance(code, CodeType):
            warnings.warn(f"Could not extract a code object for the object {func!r}", stacklevel=3)
            return
        if code in self._codes:
            return
        self.functions.append(code)
        for part in codes_within(code):
            if self._recorder.add_code(part):
                self._codes.append(part)

    @aside
    def wrap_function(self, func: Any) -> Any:
        """A callable that enables the profiler during each call, and is otherwise the same. Of a
        generator or coroutine, during each of its steps."""
        return wrap(func, self)

    # -- When --

    @property
    def enable_count(self) -> int:
        """How many calls of enable_by_count() have had no disable_by_count() yet."""
        return self._count

    def enable_by_count(self) -> None:
        """Enable, if not enabled already. A disable_by_count() must follow."""
        with self._lock:
            self._count += 1
            is_first = self._count == 1
        if self.max_mem is not None:
            if is_first:
                self._watch(self.max_mem)
            return
        if not self._has_allocations:
            # Until the profiler is gone: what is freed in a later call is known, too.
            self._has_allocations = True
            ALLOCATIONS.hold()
            weakref.finalize(self, ALLOCATIONS.release)
        else:
            ALLOCATIONS.renew()
        self._recorder.hold()

    def disable_by_count(self) -> None:
        """Disable, once called as often as enable_by_count()."""
        with self._lock:
            if self._count == 0:
                return
            self._count -= 1
            is_last = self._count == 0
        if self.max_mem is not None:
            if is_last:
                sys.settrace(self._before)
            return
        self._recorder.release()

    enable = enable_by_count
    disable = disable_by_count

    def __enter__(self) -> Self:
        self.enable_by_count()
        return self

    def __exit__(self, *error: object) -> None:
        self.disable_by_count()

    def runctx(self, cmd: str, globals: dict[str, Any], locals: Any = None) -> LineProfiler:
        """Execute statements in these namespaces, and record."""
        with self:
            exec(cmd, globals, locals)
        return self

    def _watch(self, most: float) -> None:
        """Start the debugger once the process has so many MiB."""
        import os
        import pdb

        def trace(frame: FrameType, event: str, _: object) -> Any:
            if frame.f_code not in self._codes:
                return trace
            now = process_memory.resident(os.getpid()) / MIB
            if event in ("line", "return") and now >= most:
                print(f"Current memory {now:.2f} MiB exceeded the maximum of {most:.2f} MiB")
                print("Stepping into the debugger")
                pdb.Pdb().set_trace(frame)
                return frame.f_trace
            return trace

        self._before = sys.gettrace()
        sys.settrace(trace)

    # -- What it found --

    @property
    @aside
    def code_map(self) -> CodeMap:
        """What was recorded until now."""
        found = {code: {} for code in self._codes}  # type: dict[CodeType, dict[int, Measured]]
        for code, lines in self.memory().items():
            for number, memory in lines.items():
                usage = memory.resident / MIB
                found[code][number] = Measured(memory.increment / MIB, usage, memory.hits)
        return CodeMap(self.functions, found)

    def memory(self) -> dict[CodeType, dict[int, LineMemory]]:
        """The same in bytes, of each code object."""
        found: dict[CodeType, dict[int, LineMemory]] = {}
        for thread in self._recorder.snapshot()["threads"]:
            rows = LINE.iter_unpack(thread["lines"])
            beside = LINE_MEMORY.iter_unpack(thread["line_memory"])
            for (position, number, hits, increment, *_), (_, _, resident) in zip(
                rows, beside, strict=True
            ):
                lines = found.setdefault(self._codes[position], {})
                known = lines.get(number, NOTHING)
                lines[number] = known._replace(
                    hits=known.hits + hits,
                    increment=known.increment + increment,
                    resident=max(known.resident, resident),
                )
        return found


@aside
def show_results(prof: LineProfiler, stream: TextIO | None = None, precision: int = 1) -> None:
    """Print the lines of each function that ran: on standard output if there is no stream.
    precision: digits behind the point of MiB."""
    stream = sys.stdout if stream is None else stream
    found = prof.memory()
    for code in prof.functions:
        lines: dict[int, LineMemory] = {}
        for part in codes_within(code):
            lines.update(found.get(part, {}))
        if not lines:
            continue
        source = source_of(code, max(lines))
        rows = [Row(number, text, lines.get(number)) for number, text in source.lines(lines)]
        table = rows_text(rows, exact=False, precision=precision)
        above = [f"Filename: {code.co_filename}", "", *(it.rstrip("\n") for it in source.problem)]
        stream.write("".join(f"{line}\n" for line in [*above, *table, "", ""]))


def source_of(code: CodeType, last: int) -> Source:
    return Source.of(code.co_filename, code.co_firstlineno, code.co_name, last)


def profile(
    func: Any = None,
    stream: TextIO | None = None,
    precision: int = 1,
    backend: str | None = "psutil",
) -> Any:
    """Decorate a function: print its lines by memory after each call, or when a generator (also an
    async one) or coroutine ends, on `stream` or standard output. precision: digits behind the
    point of MiB. backend: without effect. Raises ValueError for a backend that memory_profiler
    does not have."""
    if func is None:
        return functools.partial(profile, stream=stream, precision=precision, backend=backend)
    checked(backend)

    @contextmanager
    def shown() -> Iterator[Callable[..., Any]]:
        profiler = LineProfiler()
        call = profiler(func)
        try:
            yield call
        finally:
            show_results(profiler, stream, precision)

    if inspect.iscoroutinefunction(func):

        @functools.wraps(func)
        async def of_coroutine(*args: Any, **kwargs: Any) -> Any:
            with shown() as call:
                return await call(*args, **kwargs)

        return of_coroutine
    if inspect.isasyncgenfunction(func):

        @functools.wraps(func)
        async def of_async_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            with shown() as call:
                steps = call(*args, **kwargs)
                step = steps.asend(None)
                try:
                    while True:  # as `yield from`, which async generators do not have
                        try:
                            item = await step
                        except StopAsyncIteration:
                            return
                        try:
                            step = steps.asend((yield item))
                        except GeneratorExit:
                            await steps.aclose()
                            raise
                        except BaseException as error:
                            step = steps.athrow(error)
                finally:
                    del step  # it may hold an error whose traceback holds this frame

        return of_async_generator
    if inspect.isgeneratorfunction(func):

        @functools.wraps(func)
        def of_generator(*args: Any, **kwargs: Any) -> Any:
            with shown() as call:
                return (yield from call(*args, **kwargs))

        return of_generator

    @functools.wraps(func)
    def of_function(*args: Any, **kwargs: Any) -> Any:
        with shown() as call:
            return call(*args, **kwargs)

    return of_function
