"""Types of the C extension tracer._core (ext/types)."""

from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any, Literal, Self, SupportsFloat, SupportsIndex, TypeVar

from typing_extensions import Buffer

from tracer.data.overhead import Compensation, Costs
from tracer.data.section import RolledUp
from tracer.data.types import Label, StatsDict

# A function, or what staticmethod() and classmethod() make of one
_Decorated = TypeVar("_Decorated")

# ext/types/format_error.c
class ProfileFormatError(ValueError):
    reason: str
    path: str | None
    remedy: str | None
    def __init__(
        self, reason: str, *, path: str | None = None, remedy: str | None = None
    ) -> None: ...

# ext/types/module.c
class Backend(str):
    reason: str
    sees_all_callables: bool

# The back ends of all versions of Python. BACKENDS has those of this version, the best first.
BackendName = Literal["monitoring", "setprofile"]
BACKENDS: tuple[BackendName, ...]
BACKEND_TITLES: dict[str, str]

# ext/types/entries.c
class profiler_subentry(tuple[Any, ...]):
    code: CodeType | str
    callcount: int
    reccallcount: int
    totaltime: float
    inlinetime: float
    resumes: int

class profiler_entry(tuple[Any, ...]):
    code: CodeType | str
    callcount: int
    reccallcount: int
    totaltime: float
    inlinetime: float
    calls: list[profiler_subentry] | None
    resumes: int
    suspended: float
    waited: float
    longest: float
    longest_at: float

# ext/types/profiler.c
class Profiler:
    def __init__(
        self,
        timer: Callable[[], float] | Literal["wall", "cpu"] | None = None,
        timeunit: float = 0.0,
        subcalls: bool = True,
        builtins: bool | Literal["all"] = True,
        *,
        threads: bool = True,
        backend: BackendName | None = None,
        include: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
        costs: Costs | None = None,
        timeline: int = 0,
        timeline_ring: bool = False,
        timeline_file: int = -1,
        memory: bool = False,
        native: int = False,
        slowdown: float = ...,
        rate: int = ...,
        lines: tuple[tuple[str, ...], ...] | None = ...,
        _node_limit: int = ...,
        _function_limit: int = ...,
    ) -> None: ...
    # An option that is left out keeps its value.
    def enable(self, subcalls: bool = ..., builtins: bool | Literal["all"] = ...) -> None: ...
    def disable(self) -> None: ...
    def clear(self) -> None: ...
    def getstats(self) -> list[profiler_entry]: ...
    def snapshot(self, *, slices: bool = True) -> dict[str, Any]: ...
    def hold_timeline(self, is_held: bool, /) -> None: ...
    def record_call(self, function: Callable[..., object], /, *args: object) -> object: ...
    def mute_and_call(self, function: Callable[..., object], /, *args: object) -> object: ...
    def note_exec(self) -> None: ...
    def ignore_thread(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    @property
    def enabled(self) -> bool: ...
    @property
    def last_event(self) -> int: ...
    @property
    def backend(self) -> Backend: ...

# ext/types/ranges.c
class range:
    def __new__(cls, name: object, /, category: object = None, **values: object) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def __call__(self, function: _Decorated, /) -> _Decorated: ...
    def end(self, **values: object) -> None: ...
    def copy(self) -> Self: ...
    @property
    def name(self) -> object: ...
    @property
    def category(self) -> object: ...

# ext/types/step_clock.c, step_reader.c
_Item = TypeVar("_Item")

class StepClock:
    def __init__(self, timer: Callable[[], float] | None = None, timeunit: float = 0.0) -> None: ...
    def step(self, items: float | None = None) -> None: ...
    def _change(self, items: float | None) -> None: ...  # of a subclass
    def _first_call(self) -> None: ...  # of a subclass
    def _call_begins(self) -> bool: ...
    def _step_ends(self) -> None: ...
    def _begin(self, due: int, /) -> None: ...
    def _end(self) -> None: ...
    def _columns(self, first: int = 0, /) -> tuple[int, bytes, bytes, bytes]: ...
    def _read(self, function: Callable[..., _Item], /, *args: Any, **names: Any) -> _Item: ...
    _due: int
    @property
    def step_number(self) -> int: ...
    @property
    def _seconds_per_tick(self) -> float: ...
    @property
    def _is_running(self) -> bool: ...

class StepReader(Iterator[_Item]):
    def __new__(cls, clock: StepClock, iterable: Iterable[_Item], /) -> Self: ...
    def __next__(self) -> _Item: ...

# ext/types/step_function.c
class StepFunction:
    def __new__(cls, clock: StepClock, function: Callable[..., object], /) -> Self: ...
    def __call__(self, *args: Any, **names: Any) -> Any: ...

# ext/types/instant_events.c
def mark(name: object, /, **values: object) -> None: ...
def counter(name: object, value: SupportsFloat | SupportsIndex, /) -> None: ...

class flow:
    def __init__(self, name: object, /) -> None: ...
    def begin(self) -> None: ...
    def end(self) -> None: ...
    @property
    def name(self) -> object: ...

# ext/types/line_recorder.c
class LineRecorder:
    def __init__(
        self,
        timer: Callable[[], float] | Literal["wall", "cpu", "memory"] | None = None,
        timeunit: float = 0.0,
        *,
        calls: bool = False,
        whole: bool = False,
        include: tuple[str, ...] = ...,
        exclude: tuple[str, ...] = ...,
        own: tuple[str, ...] = ...,
        own_but: tuple[str, ...] = ...,
        first_lines: Callable[[CodeType], bytes | None] | None = None,
        costs: tuple[float, float, float] | None = None,
        backend: Literal["monitoring", "settrace"] | None = None,
    ) -> None: ...
    def add_code(self, code: CodeType, /) -> bool: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def hold(self) -> None: ...
    def release(self) -> None: ...
    def clear(self) -> None: ...
    def snapshot(self) -> dict[str, Any]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    @property
    def enabled(self) -> bool: ...
    @property
    def holds(self) -> int: ...
    @property
    def backend(self) -> Backend: ...

# ext/types/dispatcher.c: no profile records what the thread does within `with unrecorded:`
class Dispatcher:
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...

unrecorded: Dispatcher

# ext/types/unrecorded.c
_Function = TypeVar("_Function", bound=Callable[..., object])
_Result = TypeVar("_Result")

def call_untracked(function: Callable[..., _Result], /, *args: object) -> _Result: ...
def call_soon(function: Callable[[], object], /) -> None: ...
def call_through(function: Callable[[], object], /) -> object: ...
def precede(function: _Function, before: Callable[..., object], /) -> _Function: ...
def follow(function: _Function, after: Callable[..., object], /) -> _Function: ...

# ext/types/gil_yielder.c
class GilYielder:
    def begin_in(self, seconds: float, /) -> None: ...
    def stop(self) -> None: ...
    @property
    def native_id(self) -> int: ...

# ext/types/records.c: the keys of a thread's packed records, in the order in which add_up()
# and call_paths() take them
RECORDS: tuple[str, ...]

# ext/types/sums.c
def add_up(
    threads: tuple[tuple[bytes, ...], ...],
    rows: bytes,
    labels: tuple[Label, ...],
    seconds_per_tick: float,
    callers: bool,
    compensation: Compensation | None = None,
    /,
) -> RolledUp: ...

# ext/types/paths.c: depth, row, calls, resumes, time, waited. call_paths() also tells which part of
# the last thread's running time compensation leaves.
_Columns = tuple[bytes, bytes, bytes, bytes, bytes, bytes]

def read_slices(
    slices: Buffer, nodes: Buffer, folded: Buffer, first: int, last: int, least: int, /
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]: ...
def recover_slices(slices: Buffer, least: int, node_count: int, /) -> bytes: ...
def go_on_slices(slices: Buffer, open: Buffer, least: int, ended: int, /) -> bytes: ...
def sum_bins(
    bins: Buffer,
    nodes: Buffer,
    folded: Buffer,
    unit: int,
    began: int,
    ended: int,
    first: int,
    last: int,
    whole: bool,
    /,
) -> tuple[bytes, bytes, bytes]: ...
def call_paths(
    threads: tuple[tuple[bytes, ...], ...],
    rows: bytes,
    unkept: int,
    seconds_per_tick: float,
    compensation: Compensation | None = None,
    /,
) -> tuple[_Columns, float]: ...

# ext/types/memory.c
def memory_view(
    nodes: bytes, overflow: bytes, memory: bytes, measure: int, /
) -> tuple[bytes, bytes]: ...
def sees_native_memory() -> bool: ...

# ext/types/objects.c
class Uncounted:
    def __new__(cls, payload: bytes) -> Self: ...
    @property
    def payload(self) -> bytes: ...

def count_objects(
    origins: bool = False, /
) -> tuple[
    list[tuple[str, str, int, int]],
    list[tuple[int, int, int]],
    list[tuple[str, str, _Place | None, int, int]] | None,
]: ...
def find_objects(type: type | str, limit: int, /) -> list[object]: ...

# ext/types/origins.c: file, line, name, qualified name; and with the line of an allocation
_Names = tuple[str, int, str, str]
_Place = tuple[str, int, str, str, int]

_Origin = tuple[_Place | None, int, int]  # with a count, and bytes

def find_origins(name: str, /) -> list[_Origin] | None: ...
def find_origin(object: object, /) -> tuple[str, int, list[_Names], _Place | None] | None: ...

# ("module", name) or ("variable", file, line, function, variable or None)
_Start = tuple[str, str] | tuple[str, str, int, str, str | None]
# What leads on, its name, and what it leads to: the name of a type, or a function
_Reference = tuple[str, str | int | tuple[str, ...] | None, str]

_Found = tuple[_Start, list[_Reference]]

def find_path(object: object, left_out: type, /) -> tuple[str, _Found | None]: ...

# An address; a text, a length or neither; the path
_Alive = tuple[int, str | int | None, _Found | None]

def find_paths(name: str, limit: int, /) -> list[_Alive]: ...

# ext/types/paths.c
def merge_paths(trees: tuple[_Columns, ...], /) -> _Columns: ...

# ext/types/contexts.c
def add_below(depths: Buffer, own: Buffer, /) -> bytes: ...
def fold_contexts(
    columns: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    rows: Buffer,
    numbers: Buffer,
    next: int,
    finding: int,
    recursion: bool,
    opens_imports: bool,
    /,
) -> tuple[
    tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes],
    tuple[bytes, bytes, bytes, bytes],
    bytes,
]: ...

# ext/types/trace_exports.c
def export_slices(
    form: str,
    slices: tuple[Buffer, ...],
    rows: bytes,
    in_c: bytes,
    pieces: tuple[bytes, ...],
    others: tuple[bytes, ...],
    times: tuple[float, int, int, int],
    number: int,
    write: Callable[[bytes], object],
    /,
) -> Any: ...
def count_slices(starts: Buffer, ends: Buffer, least: int, /) -> int: ...

# ext/types/compile.c
def compile_program(source: bytes, filename: str, /) -> CodeType: ...

# ext/types/process_usage.c
def usage() -> tuple[float, float, float, int, int]: ...

# ext/types/values.c
def read_profile(data: Buffer, /) -> tuple[StatsDict, dict[str, Any] | None, str | None]: ...
def pack_section(payload: Buffer, /) -> bytes: ...
