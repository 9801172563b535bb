"""What tracing itself costs: measured once a process, before the first Profile that takes it out.

A call that is traced takes longer, and the time that it takes longer lies partly in what is called,
partly in who calls. Both parts are measured here, with the real recorder, on code made for that:
functions that do nothing, called by a loop. Taking them out of the times is add_up()'s work.
"""

from __future__ import annotations

from time import perf_counter

from tracer._core import Profiler, unrecorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    # Seconds that a call adds to the time of the called, and of the caller.
    Cost: TypeAlias = tuple[float, float]
    # That of the first from an activation of the caller, and that of those after it.
    CallCosts: TypeAlias = tuple[Cost, Cost]
    Costs: TypeAlias = dict[str, CallCosts]  # by kind; of a resume both are the same
    Compensation: TypeAlias = tuple[bytes, tuple[CallCosts, ...], Cost]

KINDS = ("function", "init", "builtin", "method")
ROUNDS = 9
CALLS = 400

_known: dict[tuple[object, ...], Costs] = {}


def costs_for(timer: Any, builtins: Any, backend: Any) -> Costs:
    """What a call of each of KINDS, and a "resume", costs in a Profiler with these options. Takes
    less than 50 ms, the first time. ValueError for a timer that is not "wall" or "cpu"."""
    if timer not in (None, "wall", "cpu"):
        raise ValueError(
            "what a timer of your own costs is not known: leave out timer= or compensate=True"
        )
    profiler = Profiler(timer, builtins=builtins, backend=backend, threads=False)
    key = (timer, builtins, str(profiler.backend))
    if key not in _known:
        with unrecorded:  # it is in no other profile
            _known[key] = _measure(profiler)
    return _known[key]


def kind_of(filename: str, name: str) -> str:
    """The kind of a function with this label. A class that is called has events of its own, which
    are in no row: they count as the cost of its __init__."""
    if filename != "~":
        return "init" if name == "__init__" else "function"
    return "method" if name.startswith("<method ") else "builtin"


# -- What is run ----------------------------------------------------------------------------------

BUILTINS = ["abs", "hash", "repr", "ascii", "callable", "id", "bin", "oct", "hex", "chr"]
METHODS = [
    "lower",
    "upper",
    "strip",
    "lstrip",
    "rstrip",
    "isalpha",
    "isdigit",
    "islower",
    "isupper",
    "isspace",
    "title",
]
# Of each kind: the definition of a thing to be called, the call, and how many different ones.
CALLED = {
    "function": ("def f{n}(): pass", "f{n}()", [str(n) for n in range(63)]),
    "init": ("class C{n}:\n    def __init__(self): pass", "C{n}()", [str(n) for n in range(50)]),
    "builtin": ("from builtins import {n} as f{n}", "f{n}(9)", BUILTINS),
    "method": ("s = ''", "s.{n}()", METHODS),
}
NOTHING = f"def body():\n    for _ in range({CALLS}): pass\n"
RESUMES = (
    f"def numbers():\n    for _ in range({CALLS}): yield\n"
    "def body():\n    for _ in numbers(): pass\n"
)


def _again(kind: str) -> str:
    """A loop that calls one thing."""
    definition, call, names = CALLED[kind]
    name = names[0]
    return f"{definition}\ndef body():\n    for _ in range({CALLS}): {call}\n".format(n=name)


def _first(kind: str) -> str:
    """Many things that are each called once by their caller, which is itself called by a loop."""
    definition, call, names = CALLED[kind]
    if kind == "function":  # each calls two more, as functions do
        return "\n".join(
            [f"def f{n}():\n    f{2 * n}(); f{2 * n + 1}()" for n in range(1, 32)]
            + [f"def f{n}(): pass" for n in range(32, 64)]
            + [f"def body():\n    for _ in range({CALLS // 63}): f1()"]
        )
    lines = [definition.format(n=name) for name in names]
    lines += ["def calls():", *("    " + call.format(n=name) for name in names)]
    lines += ["def body():", f"    for _ in range({CALLS // len(names)}): calls()"]
    return "\n".join(lines)


# -- Measuring ------------------------------------------------------------------------------------


def _compiled(source: str) -> Callable[[], object]:
    """Its function body(), fresh: what the interpreter has learnt of another is not in it."""
    space: dict[str, Any] = {"__name__": "calibration"}
    exec(source, space)
    body: Callable[[], object] = space["body"]
    return body


def _plain(source: str) -> float:
    body = _compiled(source)
    body()
    times = []
    for _ in range(ROUNDS):
        began = perf_counter()
        body()
        times.append(perf_counter() - began)
    return min(times)


def _traced(source: str, profiler: Profiler) -> Cost:
    """The time in what was called, and in body() and calls()."""
    body = _compiled(source)
    parts = []
    for _ in range(ROUNDS):
        profiler.clear()
        profiler.enable()
        body()
        profiler.disable()
        callee = caller = 0.0
        for entry in profiler.getstats():
            if getattr(entry.code, "co_name", "") in ("body", "calls"):
                caller += entry.inlinetime
            else:
                callee += entry.inlinetime
        parts.append((callee, caller))
    return min(callee for callee, _ in parts), min(caller for _, caller in parts)


def _cost(source: str, idle: float, count: int, profiler: Profiler) -> Cost:
    """A plain call is half the callee's time and half the caller's, who spends `idle` besides."""
    plain = _plain(source)
    callee, caller = _traced(source, profiler)
    half = max(plain - idle, 0.0) / 2
    return max(callee - half, 0.0) / count, max(caller - idle - half, 0.0) / count


def _measure(profiler: Profiler) -> Costs:
    idle = _plain(NOTHING)
    costs: Costs = {}
    for kind in KINDS:
        names = CALLED[kind][2]
        again = _cost(_again(kind), idle, CALLS, profiler)
        first = _cost(_first(kind), 0.0, CALLS // len(names) * len(names), profiler)
        costs[kind] = first, again
    resume = _cost(RESUMES, idle, CALLS, profiler)
    costs["resume"] = resume, resume
    return costs


# -- For add_up() ---------------------------------------------------------------------------------


def compensation_of(costs: Costs, labels: Iterable[tuple[str, str]]) -> Compensation:
    """The costs as add_up() takes them; `labels` are file and name of each function."""
    position = {kind: number for number, kind in enumerate(KINDS)}
    kinds = bytes(position[kind_of(filename, name)] for filename, name in labels)
    return kinds, tuple(costs[kind] for kind in KINDS), costs["resume"][0]
