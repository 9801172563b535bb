"""LineProfiler: records lines, with the interface of line_profiler.

tracer._core.LineRecorder records, in C. line_stats.py adds up, prints and saves the timings.
recording/wrapping.py wraps callables.
"""

from __future__ import annotations

import warnings
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from tracer._core import LineRecorder
from tracer.api.line_stats import LineStats
from tracer.data.records import LINE
from tracer.recording.wrapping import functions_of, wrap, wrap_members, wrapping_of
from tracer.runtime.unrecorded import aside

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self, TextIO

    from tracer.api.line_stats import Config
    from tracer.data.line_timings import Key, Timing
    from tracer.recording.member_scope import Policies
    from tracer.runtime.atomic_files import AnyPath

P = ParamSpec("P")
T = TypeVar("T")

__all__ = ["LineProfiler", "LineStats"]

UNIT = 1e-9  # seconds: the unit of reported times, as in line_profiler


class LineProfiler:
    """LineProfiler(*functions, timer=None, timeunit=0.0)

    Counts and times the lines of functions, in every thread. As a decorator it takes whatever can
    be called (functions, generators, coroutines, methods, properties, partials, classes), and
    records during each call. Functions given to add_function() and its kin are recorded while the
    profiler is enabled.

    timer, timeunit: as tracer.Profile takes them. Figures are in units of 1e-9 seconds.
    """

    def __init__(
        self,
        *functions: Callable[..., Any],
        timer: Callable[[], float] | Literal["wall", "cpu"] | None = None,
        timeunit: float = 0.0,
    ) -> None:
        self.functions: list[FunctionType] = []
        self._codes: list[CodeType] = []  # in the recorder's order
        self._recorder = LineRecorder(timer, timeunit, first_lines=_first_lines)
        for function in functions:
            self.add_callable(function)

    # -- Which functions --

    @aside
    def add_function(self, func: Callable[..., Any]) -> None:
        """Record the lines of a function. Warns (UserWarning) of an object without code, and of a
        function with `__wrapped__`."""
        code = getattr(func, "__code__", None)
        if not isinstance(code, CodeType):
            warnings.warn(f"Could not extract a code object for the object {func!r}", stacklevel=3)
            return
        if hasattr(func, "__wrapped__"):
            warnings.warn(
                "Adding a function with a `.__wrapped__` attribute. You may want to profile the "
                f"wrapped function by adding `{func.__name__}.__wrapped__` instead.",
                stacklevel=3,
            )
        self.functions.append(func)  # type: ignore[arg-type]
        self.add_code(code)

    def add_code(self, code: CodeType) -> None:
        """Record the lines of a code object, which need not have a function yet."""
        if self._recorder.add_code(code):
            self._codes.append(code)

    def add_callable(
        self,
        func: object,
        guard: Callable[[Callable[..., Any]], bool] | None = None,
        name: str | None = None,
    ) -> Literal[0, 1]:
        """Record the lines of all functions that a callable is made of, without those for which
        `guard` returns True. Returns 1 if there is any, else 0. Raises TypeError for an object that
        cannot be called; `name` is for the message."""
        added: Literal[0, 1] = 0
        try:
            functions = functions_of(func)
        except TypeError as error:
            raise TypeError(f"{name}: {error}" if name else str(error)) from None
        for function in functions:
            if guard is not None and guard(function):
                continue
            mark = wrapping_of(function)
            for inner in [function] if mark is None else functions_of(mark.func):
                self.add_function(inner)
                added = 1
        return added

    def add_class(self, cls: type, *, scoping_policy: Policies = None, wrap: bool = False) -> int:
        """Record the lines of the functions of a class, and of the classes in it, as far as
        `scoping_policy` goes. The policy is a ScopingPolicy, its value, or a dict of one for each
        of "func", "class" and "module". With `wrap`, calls of the functions enable the profiler.
        Returns the number of functions."""
        return self._add_namespace(cls, scoping_policy, wrap, set())

    def add_module(
        self, mod: ModuleType, *, scoping_policy: Policies = None, wrap: bool = False
    ) -> int:
        """Record the lines of the functions and classes of a module; see add_class()."""
        return self._add_namespace(mod, scoping_policy, wrap, set())

    def _add_namespace(
        self, namespace: Any, policies: Policies, wrapping: bool, seen: set[int]
    ) -> int:
        from tracer.recording.member_scope import filters_of

        if not isinstance(namespace, (type, ModuleType)):
            raise TypeError(f"expected a class or a module, not {namespace!r}")
        accepts = filters_of(namespace, policies)
        seen.add(id(namespace))
        count = 0
        chosen = {}
        for name, member in vars(namespace).copy().items():
            before = count
            for part in _parts_of(member):
                kind = _kind_of(part)
                if id(part) in seen or not accepts[kind](part):
                    continue
                if kind == "func":
                    count += self.add_callable(part, self._is_wrapped)
                else:
                    count += self._add_namespace(part, policies, wrapping, seen)
            if count > before and not isinstance(member, (type, ModuleType)):
                chosen[name] = member
        if wrapping:
            wrap_members(namespace, chosen, self)
        return count

    def _is_wrapped(self, function: Callable[..., Any]) -> bool:
        mark = wrapping_of(function)
        return mark is not None and mark.profiler is self

    def __call__(self, func: Callable[P, T]) -> Callable[P, T]:
        """Decorate: record the lines of a callable during each of its calls."""
        self.add_callable(func, self._is_wrapped)
        return self.wrap_callable(func)

    @aside
    def wrap_callable(self, func: Callable[P, T]) -> Callable[P, T]:
        """A callable that enables the profiler during each call, and is otherwise the same."""
        wrapped: Callable[P, T] = wrap(func, self)
        return wrapped

    @staticmethod
    def get_underlying_functions(func: object) -> list[FunctionType]:
        """The Python functions that a callable is made of."""
        return functions_of(func)

    # -- When --

    @property
    def enable_count(self) -> int:
        """How many calls of enable_by_count() have had no disable_by_count() yet."""
        return self._recorder.holds

    def enable(self) -> None:
        """Start recording, or go on."""
        self._recorder.enable()

    def disable(self) -> None:
        """Stop recording."""
        self._recorder.disable()

    def enable_by_count(self) -> None:
        """Enable, if not enabled already. A disable_by_count() must follow."""
        self._recorder.hold()

    def disable_by_count(self) -> None:
        """Disable, once called as often as enable_by_count()."""
        # The events stay on: to switch them off is expensive where a decorated function is called
        # again and again.
        self._recorder.release()

    def __enter__(self) -> Self:
        self.enable_by_count()
        return self

    def __exit__(self, *error: object) -> None:
        self.disable_by_count()

    def run(self, cmd: str) -> Self:
        """Execute statements in the namespace of __main__, and record."""
        import __main__

        return self.runctx(cmd, vars(__main__), vars(__main__))

    def runctx(
        self, cmd: str, globals: dict[str, Any], locals: Mapping[str, object] | None = None
    ) -> Self:
        """Execute statements in these namespaces, and record."""
        with self:
            exec(cmd, globals, locals)
        return self

    def runcall(self, func: Callable[P, T], /, *args: P.args, **kw: P.kwargs) -> T:
        """Call a function and record. Returns the function's value."""
        with self:
            return func(*args, **kw)

    # -- The timings --

    @property
    def timer_unit(self) -> float:
        """The unit of all times, in seconds."""
        return UNIT

    @property
    def code_map(self) -> dict[CodeType, dict[int, Timing]]:
        """The timings of the lines of each code object: {code: {line: (line, hits, time)}}."""
        snapshot = self._recorder.snapshot()
        return dict(zip(self._codes, _timings_of(snapshot), strict=True))

    @property
    def last_time(self) -> dict[CodeType, object]:
        """Always empty: only the recorder knows which lines run now."""
        return {}

    @aside
    def get_stats(self) -> LineStats:
        """The timings until now. Recording goes on."""
        snapshot = self._recorder.snapshot()
        merged: dict[Key, dict[int, Timing]] = {}
        for (file, first, _, name), timings in zip(
            snapshot["codes"], _timings_of(snapshot), strict=True
        ):
            lines = merged.setdefault((file, first, name), {})
            for line, hits, time in timings.values():
                _, known_hits, known_time = lines.get(line, (line, 0, 0))
                lines[line] = (line, hits + known_hits, time + known_time)
        return LineStats({key: sorted(lines.values()) for key, lines in merged.items()}, UNIT)

    @aside
    def dump_stats(self, filename: AnyPath) -> None:
        """Write the timings to a `.lprof` file."""
        self.get_stats().to_file(filename)

    @aside
    def print_stats(
        self,
        stream: TextIO | None = None,
        output_unit: float | None = None,
        stripzeros: bool = False,
        details: bool = True,
        summarize: bool = False,
        sort: bool = False,
        rich: bool = False,
        *,
        config: Config = None,
    ) -> None:
        """Print the table of lines.

        stream: standard output by default. output_unit: seconds of the unit of times, 1e-9 by
        default. stripzeros: leave out functions that were never called. details: print the lines.
        summarize: end with a line for each function. sort: the longest last. rich: in colours, with
        the package rich. config: a TOML file with the widths of columns; False: no file; None: the
        file found from the current folder upwards.
        """
        self.get_stats().print(
            stream, output_unit, stripzeros, details, summarize, sort, rich, config=config
        )


def _first_lines(code: CodeType) -> bytes | None:
    """The lines of statements: one of several lines is counted at its first line."""
    from tracer.source.statements import first_lines

    return first_lines(code)


def _parts_of(member: object) -> list[Any]:
    """The functions, classes and modules that make up a member of a namespace."""
    if isinstance(member, ModuleType):
        return [member]
    try:
        return functions_of(member, classes=True)
    except TypeError:
        return []


def _kind_of(part: object) -> str:
    if isinstance(part, ModuleType):
        return "module"
    return "class" if isinstance(part, type) else "func"


def _timings_of(snapshot: dict[str, Any]) -> list[dict[int, Timing]]:
    """The timings of each code object, added up over all threads, in units of UNIT."""
    units = snapshot["seconds_per_tick"] / UNIT
    sums: list[dict[int, tuple[int, int]]] = [{} for _ in snapshot["codes"]]
    for thread in snapshot["threads"]:
        for code, line, hits, ticks, *_ in LINE.iter_unpack(thread["lines"]):
            known_hits, known_ticks = sums[code].get(line, (0, 0))
            sums[code][line] = hits + known_hits, ticks + known_ticks
    return [
        {line: (line, hits, round(ticks * units)) for line, (hits, ticks) in sorted(lines.items())}
        for lines in sums
    ]
