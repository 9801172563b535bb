"""Which native code ran, for which Python functions, and which CPU time each Python function used.

All of it is made from the native samples as data/native_view.py shows them: a tree in which native
functions stand below the contexts that they ran under. A sample stands for a period of CPU time, so
two standard errors of a sum of n samples are twice root n periods.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from tracer.analysis.tree.call_tree import NANOSECONDS, paths_of
from tracer.analysis.tree.folding import OPEN, OPENED, Folding
from tracer.analysis.tree.parts import with_rows_above
from tracer.data.native_view import OVERHEAD

if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths, Row, Tree
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label

SPECIAL = f"<{OVERHEAD}>"


class Cpu(NamedTuple):
    """CPU time by samples. seconds; error: two standard errors of these, in seconds."""

    seconds: float
    error: float


class NativeCpu(NamedTuple):
    """A native function. own: while it ran itself; cumulative: also while what it called ran, in
    the outermost of its calls. callers: the functions for which it ran itself, and the parts of its
    own time, the largest first: the program's own that are nearest above; where only libraries are
    above, the nearest Python function. A thread that Python does not know has none.
    cumulative_callers: the same of its cumulative time."""

    own: Cpu
    cumulative: Cpu
    callers: tuple[tuple[Label, float], ...]
    cumulative_callers: tuple[tuple[Label, float], ...]


class FunctionCpu(NamedTuple):
    """A function of the call tree, with the native functions that ran for its own code. exact: its
    own time as it was traced, in seconds. native: of the CPU time. overhead: tracer's own work for
    its calls, which is not in `cpu`. waiting: what the exact time has more than the CPU time and
    the overhead, where that is more than two standard errors; else 0."""

    exact: float
    cpu: Cpu
    native: float
    overhead: float
    waiting: float


class Native(NamedTuple):
    functions: dict[Label, NativeCpu]
    by_caller: dict[Label, FunctionCpu]


class Whole(NamedTuple):
    """Of all threads. cpu: seconds of CPU by samples, and of them in native functions, in the
    interpreter's own loop, and in tracer's code. samples: how many there were. rate: samples in a
    second of CPU; hz: as many were asked for. unit: the seconds that a sample stands for, on the
    mean."""

    cpu: float
    native: float
    interpreter: float
    overhead: float
    samples: int
    rate: float
    hz: int
    unit: float

    def cpu_of(self, seconds: float) -> Cpu:
        return Cpu(seconds, 2 * sqrt(max(seconds, 0.0) * self.unit))


def whole_of(profiles: ProfileSet, view: ProfileSet | None = None) -> Whole:
    """Raises ValueError where no native code was sampled."""
    seen = paths_of(profiles.seen_by_native() if view is None else view, profiles.names)
    cpu: Counter[str] = Counter()
    for tree in seen.trees:
        for row, time in zip(tree.row[1:], tree.time[1:], strict=True):
            is_overhead = seen.rows[row].name == SPECIAL
            kind = "overhead" if is_overhead else "native" if row in seen.natives else "interpreter"
            cpu[kind] += time
    taken = [it.native for it in profiles.captures if it.native is not None]
    samples, seconds = sum(it.signals for it in taken), cpu.total() / NANOSECONDS
    native, interpreter, overhead = (
        cpu[kind] / NANOSECONDS for kind in ("native", "interpreter", "overhead")
    )
    rate = samples / seconds if seconds else 0.0
    unit = seconds / samples if samples else 0.0
    hz = max(it.hz for it in taken)
    return Whole(seconds, native, interpreter, overhead, samples, rate, hz, unit)


def native_of(profiles: ProfileSet) -> Native:
    """Raises ValueError where no native code was sampled."""
    view = profiles.seen_by_native()
    whole = whole_of(profiles, view)
    paths = paths_of(view, profiles.names)
    sums = _Sums(paths)
    for tree in paths.trees:
        sums.add(tree)

    def shares(callers: Counter[int], whole: int) -> tuple[tuple[Label, float], ...]:
        return tuple(
            (paths.rows[caller], time / (whole or 1)) for caller, time in callers.most_common()
        )

    functions: dict[Label, NativeCpu] = {
        paths.rows[row]: NativeCpu(
            whole.cpu_of(sums.own[row] / NANOSECONDS),
            whole.cpu_of(sums.cumulative[row] / NANOSECONDS),
            shares(sums.callers[row], sums.own[row]),
            shares(sums.cumulative_callers[row], sums.cumulative[row]),
        )
        for row in sums.cumulative
    }
    by_caller: dict[Label, FunctionCpu] = {}
    for row in {*sums.interpreter, *sums.native, *sums.overhead}:
        label = paths.rows[row]
        native = sums.native[row] / NANOSECONDS
        cpu = whole.cpu_of(sums.interpreter[row] / NANOSECONDS + native)
        overhead = sums.overhead[row] / NANOSECONDS
        exact = profiles.stats[label][2] if label in profiles.stats else 0.0
        more = exact - cpu.seconds - overhead
        is_certain = more > whole.cpu_of(cpu.seconds + overhead + whole.unit).error
        by_caller[label] = FunctionCpu(exact, cpu, native, overhead, more if is_certain else 0.0)
    return Native(functions, by_caller)


class _Sums:
    """Nanoseconds by row. own, cumulative, and both by callers: of native functions. interpreter,
    native, overhead: of the functions of the call tree, by what ran for their own code."""

    def __init__(self, paths: Paths) -> None:
        self.rows: tuple[Row, ...] = paths.rows
        self.natives = paths.natives
        roles = Folding(paths).roles
        self.programs: set[int] = {row for row, role in enumerate(roles) if role in (OPEN, OPENED)}
        self.own: Counter[int] = Counter()
        self.cumulative: Counter[int] = Counter()
        self.callers: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self.cumulative_callers: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self.interpreter: Counter[int] = Counter()
        self.native: Counter[int] = Counter()
        self.overhead: Counter[int] = Counter()

    def add(self, tree: Tree) -> None:
        totals = tree.totals()
        for node, above in with_rows_above(tree):
            row, own = tree.row[node], tree.time[node]
            if row not in self.natives and self.rows[row].name != SPECIAL:
                self.interpreter[row] += own
                continue
            below = [it for it in above if it not in self.natives]
            if row in self.natives:
                caller = self._caller(below)
                self.own[row] += own
                if own and caller is not None:
                    self.callers[row][caller] += own
                if row not in above:
                    self.cumulative[row] += totals[node]
                    if caller is not None:
                        self.cumulative_callers[row][caller] += totals[node]
            if below:
                (self.native if row in self.natives else self.overhead)[below[-1]] += own

    def _caller(self, path: list[int]) -> int | None:
        """For which function of a path native code ran: see NativeCpu."""
        python = [row for row in path if self.rows[row].file != "~"]
        found = (row for row in reversed(python) if row in self.programs)
        return next(found, python[-1] if python else None)
