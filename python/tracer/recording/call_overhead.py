"""Measures the tracing overhead of calls, once a process: for the first Profile that subtracts it.

A traced call takes longer; part of the added time is in the callee, part in the caller. Both parts
are measured here with the real recorder on made-up code: a loop calls functions that do nothing.
data/overhead.py has the form in which profiles keep the costs.
"""

from __future__ import annotations

from time import perf_counter

from tracer._core import Profiler, unrecorded
from tracer.data.overhead import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tracer.data.overhead import Cost, Costs

# By timer: reading the CPU time takes three times as long as reading the clock.
ROUNDS: dict[str | None, int] = {None: 7, "wall": 7, "cpu": 3}
CALLS = 1000

_known: dict[tuple[object, ...], Costs] = {}


def costs_for(timer: Any, builtins: Any, backend: Any) -> Costs:
    """The cost of a call of each of KINDS and of a "resume" in a Profiler with these options, in
    seconds. The first measurement takes less than 50 ms. Raises ValueError for a timer that is not
    "wall" or "cpu"."""
    check_timer(timer)
    options = {"timer": timer, "builtins": builtins, "backend": backend, "threads": False}
    key = (timer, builtins, str(Profiler(**options).backend))
    if key not in _known:
        with unrecorded:  # no other profile records this
            _known[key] = _measure(options)
    return _known[key]


def check_timer(timer: Any) -> None:
    if timer not in (*ROUNDS,):  # by ==: any object may be given
        raise ValueError(
            "the cost of a timer of your own is not known: leave out timer= or compensate=True"
        )


# -- What is run ----------------------------------------------------------------------------------

# The builtins that programs call most are among these. The interpreter has shortcuts for them,
# which it does not take where calls are reported.
BUILTINS = (
    "abs(9)",
    "len(t)",
    "isinstance(9, int)",
    "hash(9)",
    "id(9)",
    "callable(9)",
    "getattr(t, 'count')",
    "repr(9)",
)
METHODS = (
    "l.append(9)",
    "d.get(9)",
    "s.startswith('a')",
    "l.clear()",
    "s.lower()",
    "d.keys()",
    "s.strip()",
    "d.items()",
)
# For each kind: the definition of a callee, a call of it, and the names of the different callees.
CALLED: dict[str, tuple[str, str, Sequence[str]]] = {
    "function": ("def f{n}(): pass", "f{n}()", [str(n) for n in range(63)]),
    "init": ("class C{n}:\n    def __init__(self): pass", "C{n}()", [str(n) for n in range(50)]),
    "builtin": ("t = ()", "{n}", BUILTINS),
    "method": ("s, l, d = '', [], {{}}", "{n}", METHODS),
}
CALLERS = {"body", "calls", *(f"g{n}" for n in range(32))}
NOTHING = f"def body():\n    for _ in range({CALLS}): pass\n"
RESUMES = (
    f"def numbers():\n    for _ in range({CALLS}): yield\n"
    "def body():\n    for _ in numbers(): pass\n"
)


def _again(kind: str) -> str:
    """A loop that calls one callee."""
    definition, call, names = CALLED[kind]
    name = names[0]
    return f"{definition}\ndef body():\n    for _ in range({CALLS}): {call}\n".format(n=name)


def _first(kind: str) -> str:
    """A loop that calls a caller, which calls each of many callees once."""
    definition, call, names = CALLED[kind]
    if kind == "function":  # each calls two more, as functions do; the last ones are the leaves
        return "\n".join(
            [f"def g{n}():\n    g{2 * n}(); g{2 * n + 1}()" for n in range(1, 16)]
            + [f"def g{n}():\n    f{2 * n}(); f{2 * n + 1}()" for n in range(16, 32)]
            + [f"def f{n}(): pass" for n in range(32, 64)]
            + [f"def body():\n    for _ in range({CALLS // 63}): g1()"]
        )
    lines = [definition.format(n=name) for name in names]
    lines += ["def calls():", *("    " + call.format(n=name) for name in names)]
    lines += ["def body():", f"    for _ in range({CALLS // len(names)}): calls()"]
    return "\n".join(lines)


# -- Measuring ------------------------------------------------------------------------------------


def compiled(source: str) -> Callable[[], object]:
    """The function body() of a source, new: the interpreter has not specialized its code yet."""
    space: dict[str, Any] = {"__name__": "calibration"}
    exec(source, space)
    body: Callable[[], object] = space["body"]
    return body


class _Trial:
    """The shortest times that a source took, in seconds. plain: untraced. total: traced. leaf:
    traced, one call of a leaf, a function that calls nothing."""

    def __init__(self, source: str, options: dict[str, Any]) -> None:
        self.bodies = compiled(source), compiled(source)
        self.profiler = Profiler(**options)
        self.plain = self.total = self.leaf = float("inf")

    def run(self) -> None:
        plain, traced = self.bodies
        began = perf_counter()
        plain()
        self.plain = min(self.plain, perf_counter() - began)
        leaves, calls, total = self.recorded()
        self.profiler.enable()
        traced()
        self.profiler.disable()
        more_leaves, more_calls, more_total = self.recorded()
        self.total = min(self.total, more_total - total)
        if more_calls > calls:
            self.leaf = min(self.leaf, (more_leaves - leaves) / (more_calls - calls))

    def recorded(self) -> tuple[float, int, float]:
        """(time in the leaves, calls and resumes of the leaves, time in all functions)"""
        entries = self.profiler.getstats()
        leaves = [entry for entry in entries if getattr(entry.code, "co_name", "") not in CALLERS]
        return (
            sum(entry.inlinetime for entry in leaves),
            sum(entry.callcount + entry.resumes for entry in leaves),
            sum(entry.inlinetime for entry in entries),
        )

    def cost(self, count: int, idle: float = 0.0, aside: float = 0.0) -> Cost:
        """What tracing adds to each of `count` calls: (seconds of the callee, of the caller).

        Half of an untraced call's time is taken as the callee's, half as the caller's. idle:
        seconds that the caller takes without the calls. aside: seconds that tracing adds to other
        calls.
        """
        half = max(self.plain - idle, 0.0) / count / 2
        added = max(self.total - self.plain - aside, 0.0) / count
        callee = min(max(self.leaf - half, 0.0), added)
        return callee, added - callee


def _measure(options: dict[str, Any]) -> Costs:
    kinds = KINDS if options["builtins"] else KINDS[:2]
    first = {kind: _Trial(_first(kind), options) for kind in kinds}
    again = {kind: _Trial(_again(kind), options) for kind in kinds}
    nothing, resumes = _Trial(NOTHING, options), _Trial(RESUMES, options)
    # The trials take turns, so that a busy moment of the machine spoils one sample of each.
    for _ in range(ROUNDS[options["timer"]]):
        for trial in (nothing, resumes, *first.values(), *again.values()):
            trial.run()
    costs: Costs = dict.fromkeys(KINDS, ((0.0, 0.0), (0.0, 0.0)))  # where not recorded
    for kind in kinds:
        names = CALLED[kind][2]
        rounds = CALLS // len(names)
        aside = 0.0 if kind == "function" else rounds * sum(costs["function"][0])
        costs[kind] = (
            first[kind].cost(rounds * len(names), aside=aside),
            again[kind].cost(CALLS, idle=nothing.plain),
        )
    resume = resumes.cost(CALLS, idle=nothing.plain)
    costs["resume"] = resume, resume
    return costs
