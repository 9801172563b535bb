"""Measures the tracing overhead of calls, once a process: for the first Profile that subtracts it.

A traced call takes longer; part of the added time is in the callee, part in the caller. Both parts
are measured here with the real recorder on made-up code: a loop calls functions that do nothing.
There the processor foresees every jump. So a small program tells by which factor calls cost more in
code that is not one loop. data/overhead.py has the form in which profiles keep the costs.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

from tracer._core import Profiler, unrecorded
from tracer.data.overhead import KINDS, kind_of
from tracer.recording.small_program import SOURCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tracer.data.overhead import CallCosts, Cost, Costs

# By timer: reading the CPU time takes three times as long as reading the clock.
ROUNDS: dict[str | None, int] = {None: 7, "wall": 7, "cpu": 3}
CALLS = 1000
# How often the two that time more than one kind of call run in each round.
RUNS = 6

_known: dict[tuple[object, ...], Costs] = {}


def costs_for(timer: Any, builtins: Any, backend: Any) -> Costs:
    """The cost of a call of each of KINDS and of a "resume" in a Profiler with these options, in
    seconds. The first measurement takes less than 0.1 s. Raises ValueError for a timer that is not
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
# Types have no row, but their calls are reported, too.
TYPES = ("type(9)", "int(9)", "bool(9)", "float(9.0)", "str(s)", "tuple(t)")
# For each kind: the definition of a callee, a call of it, and the names of the different callees.
CALLED: dict[str, tuple[str, str, Sequence[str]]] = {
    "function": ("def f{n}(): pass", "f{n}()", [str(n) for n in range(63)]),
    "init": ("class C{n}:\n    def __init__(self): pass", "C{n}()", [str(n) for n in range(50)]),
    "builtin": ("t = ()", "{n}", BUILTINS),
    "method": ("s, l, d = '', [], {{}}", "{n}", METHODS),
    "unseen": ("s, t = '', ()", "{n}", TYPES),
}
CALLERS = {"body", *(f"calls{n}" for n in range(10)), *(f"g{n}" for n in range(32))}
HANDLED = f"def f(): pass\ndef body():\n    for _ in range({CALLS}): f(); abs(9)\n"
NOTHING = f"def body():\n    for _ in range({CALLS}): pass\n"
RESUMES = (
    "def numbers():\n    {before}for _ in range({calls}): yield\n"
    "def body():\n    for _ in numbers(): pass\n"
)
# More than 1024 bytes of code: the interpreter makes an int for the place of an event behind them.
LONG = "n = 0\n    " + "n = n\n    " * 300
# Calls that a function makes before they are that far from its start.
NEAR = 5


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
    for number, some in enumerate(_groups(names)):
        lines += [f"def calls{number}():", *("    " + call.format(n=name) for name in some)]
    callers = "; ".join(f"calls{number}()" for number, _ in enumerate(_groups(names)))
    lines += ["def body():", f"    for _ in range({CALLS // len(names)}): {callers}"]
    return "\n".join(lines)


def _groups(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[start : start + NEAR] for start in range(0, len(names), NEAR)]


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
        self.profiler = Profiler(**options, costs={})  # as one that is compensated
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

    def counts(self) -> dict[str, int]:
        """How many calls of each kind the profiler has recorded, and how many resumes."""
        found = dict.fromkeys([*KINDS, "resume"], 0)
        for entry in self.profiler.getstats():
            in_c = isinstance(entry.code, str)
            name = entry.code if isinstance(entry.code, str) else entry.code.co_name
            found[kind_of("~" if in_c else "", name)] += entry.callcount
            found["resume"] += entry.resumes
        return found


class _SmallProgram:
    """What tracing adds to the small program, beside what the costs of its calls come to."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.trial = _Trial(SOURCE, options)
        self.runs = 0

    def run(self) -> None:
        for _ in range(RUNS):
            self.trial.run()
        self.runs += RUNS

    def factor(self, costs: Costs) -> float:
        """By which calls cost more here than in loops."""
        counts = self.trial.counts()
        counts["unseen"] = counts["init"]  # no other type is called
        expected = sum(calls * sum(costs[kind][0]) for kind, calls in counts.items())
        added = (self.trial.total - self.trial.plain) * self.runs
        return min(max(added / expected, 1.0), 2.0) if expected > 0 else 1.0


class _Handlers:
    """How long tracer's handlers of events take where all that they need is in the caches."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.trial = _Trial(HANDLED, options)
        self.timed = [self.trial.profiler.snapshot()["handlers"]]  # until each round

    def run(self) -> None:
        for _ in range(RUNS):
            self.trial.run()
        self.timed.append(self.trial.profiler.snapshot()["handlers"])

    def seconds(self) -> CallCosts:
        """Of a call and its return: of functions written in Python, and in C. The median of the
        rounds: a mean with an interrupted handler in it says nothing."""
        tick = self.trial.profiler.snapshot()["seconds_per_tick"]

        def median(handler: int) -> float:
            means = sorted(
                tick * (later[handler][1] - sooner[handler][1]) / events
                for sooner, later in pairwise(self.timed)
                if (events := later[handler][0] - sooner[handler][0]) > 0
            )
            return means[len(means) // 2] if means else 0.0

        return (median(0), median(1)), (median(2), median(3))


def _of_caller(cost: Cost) -> Cost:
    return 0.0, sum(cost)


def _less(cost: Cost, seconds: float) -> Cost:
    callee, caller = cost
    return max(callee - max(seconds - caller, 0.0), 0.0), max(caller - seconds, 0.0)


def _times(cost: Cost, factor: float) -> Cost:
    callee, caller = cost
    return callee * factor, caller * factor


def _in_program(costs: Costs, factor: float) -> Costs:
    """Only a loop that calls one function costs what it does here: those are the calls again."""
    return {
        kind: (first, again) if kind == "resume" else (_times(first, factor), again)
        for kind, (first, again) in costs.items()
    }


def _measure(options: dict[str, Any]) -> Costs:
    kinds = list(KINDS if options["builtins"] else KINDS[:2])
    if options["builtins"] and Profiler(**options).backend == "monitoring":
        kinds.append("unseen")  # the other back end does not count them
    first = {kind: _Trial(_first(kind), options) for kind in kinds}
    again = {kind: _Trial(_again(kind), options) for kind in kinds}
    nothing = _Trial(NOTHING, options)
    resumes, far = (
        _Trial(RESUMES.format(before=before, calls=CALLS), options) for before in ("", LONG)
    )
    small, handlers = _SmallProgram(options), _Handlers(options)
    trials: list[_Trial | _SmallProgram | _Handlers] = [nothing, resumes, far, small, handlers]
    trials += [*first.values(), *again.values()]
    # The trials take turns, so that a busy moment of the machine spoils one sample of each.
    for _ in range(ROUNDS[options["timer"]]):
        for trial in trials:
            trial.run()
    nil = (0.0, 0.0), (0.0, 0.0)  # where not recorded
    costs: Costs = dict.fromkeys([*KINDS, "unseen"], nil)
    for kind in kinds:
        names = CALLED[kind][2]
        rounds = CALLS // len(names)
        callers = 0 if kind == "function" else rounds * len(_groups(names))
        aside = callers * sum(costs["function"][0])
        costs[kind] = (
            first[kind].cost(rounds * len(names), aside=aside),
            again[kind].cost(CALLS, idle=nothing.plain),
        )
    resume = resumes.cost(CALLS, idle=nothing.plain)
    costs["resume"] = resume, resume
    costs["unseen"] = _of_caller(costs["unseen"][0]), _of_caller(costs["unseen"][1])
    # A call of a class is one of what has no row: the cost of __init__ is what is left.
    of_class = costs["unseen"][0][1]
    costs["init"] = _less(costs["init"][0], of_class), _less(costs["init"][1], of_class)
    # A resume and its yield are two events, and of each a half falls on either side.
    half = max(sum(far.cost(CALLS)) - sum(resumes.cost(CALLS)), 0.0) / 4
    newer = {"handlers": handlers.seconds(), "far": ((half, half), (half, half))}
    return _in_program(costs, small.factor(costs)) | newer
