"""LineProfiler: lines recorded, with the interface of line_profiler.

The recording is in C (tracer._core.LineRecorder), what becomes of the timings in line_stats.py, and
what it takes to wrap a callable in recording/wrapping.py.
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

UNIT = 1e-9  # of the times that are reported: line_profiler's own


class LineProfiler:
    """LineProfiler(*functions, timer=None, timeunit=0.0)

    Counts and times the lines of functions. As a decorator, on whatever can be called (functions,
    generators, coroutines, methods, properties, partials, classes), it records during each call;
    with add_function() and its kin, while it is enabled. Recorded is every thread.

    timer, timeunit: as tracer.Profile takes them. Figures are in units of 1e-9 seconds.
    """

    def __init__(
        self,
        *functions: Callable[..., Any],
        timer: Callable[[], float] | Literal["wall", "cpu"] | None = None,
        timeunit: float = 0.0,
    ) -> None:
        self.functions: list[FunctionType] = []
        self._codes: list[CodeType] = []  # in the order of the recorder's
        self._recorder = LineRecorder(timer, timeunit, fold=_fold)
        for function in functions:
            self.add_callable(function)

    # -- What is profiled --

    @aside
    def add_function(self, func: Callable[..., Any]) -> None:
        """Record the lines of a function. UserWarning for what has no code."""
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
        """Record the lines of a code object, for which there may be no function yet."""
        if self._recorder.add_code(code):
            self._codes.append(code)

    def add_callable(
        self,
        func: object,
        guard: Callable[[Callable[..., Any]], bool] | None = None,
        name: str | None = None,
    ) -> Literal[0, 1]:
        """Record the lines of all functions that a callable is made of, but for those of which
        `guard` says True. Returns 1 if there is any. `name` is for the message of the TypeError
        that is raised for what is no callable."""
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
        `scoping_policy` goes: a ScopingPolicy, its value, or a dict of one for each of "func",
        "class" and "module". With `wrap` calls of them enable the profiler. Returns their number.
        """
        return self._add_namespace(cls, scoping_policy, wrap, set())

    def add_module(
        self, mod: ModuleType, *, scoping_policy: Policies = None, wrap: bool = False
    ) -> int:
        """Record the lines of the functions and classes of a module; as add_class()."""
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
        """How many more enables by count than disables there were."""
        return self._recorder.holds

    def enable(self) -> None:
        """Begin, or go on, to record."""
        self._recorder.enable()

    def disable(self) -> None:
        """Stop recording."""
        self._recorder.disable()

    def enable_by_count(self) -> None:
        """Enable, unless that is so already; to be followed by a disable_by_count()."""
        self._recorder.hold()

    def disable_by_count(self) -> None:
        """Disable, when this has been called as often as enable_by_count()."""
        # This leaves the events as they are: to take them down is dear where a decorated function
        # is called again and again.
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
        """Call, and record; the function's value."""
        with self:
            return func(*args, **kw)

    # -- What came of it --

    @property
    def timer_unit(self) -> float:
        """Seconds of the unit of all times."""
        return UNIT

    @property
    def code_map(self) -> dict[CodeType, dict[int, Timing]]:
        """The timings of the lines of each code object: {code: {line: (line, hits, time)}}."""
        snapshot = self._recorder.snapshot()
        return dict(zip(self._codes, _timings_of(snapshot), strict=True))

    @property
    def last_time(self) -> dict[CodeType, object]:
        """Nothing: the lines that run now are the recorder's to know."""
        return {}

    @aside
    def get_stats(self) -> LineStats:
        """What is recorded until now. Recording goes on."""
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
        """Write what is recorded to a `.lprof` file."""
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
        default. stripzeros: leave out what was never called. details: the lines. summarize: a line
        for each function at the end. sort: the longest last. rich: in colours, by the package rich.
        config: a TOML file with the widths of columns; False for none, None for the one that is
        found from the current folder upwards.
        """
        self.get_stats().print(
            stream, output_unit, stripzeros, details, summarize, sort, rich, config=config
        )


def _fold(code: CodeType) -> bytes | None:
    """A statement of several lines is counted at its first."""
    from tracer.source.statements import fold

    return fold(code)


def _parts_of(member: object) -> list[Any]:
    """The functions, classes and modules that a member of a namespace is, or is made of."""
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
    """The timings of each code object, all threads added up, in units."""
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
