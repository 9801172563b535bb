"""Measures the tracing overhead of lines, once a process, before the first recorder that needs it.

The recorder adds up the costs of all events below a line and returns them with the line's time.
data/lines.py subtracts them. call_overhead.py measures calls of functions.
"""

from __future__ import annotations

from time import perf_counter

from tracer._core import LineRecorder, Profiler, unrecorded
from tracer.recording.call_overhead import check_timer, compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    # Seconds of (an event on a line, entering or leaving a function, a C call with its end).
    LineCosts: TypeAlias = tuple[float, float, float]

ROUNDS = 7
TIMES = 1000

LOOP = f"def body():\n    for _ in range({TIMES}):\n        "
LINES = LOOP + "\n        ".join(["x = _"] * 4)
CALLS = "def f(): pass\n" + LOOP + "f()"
C_CALLS = LOOP + "\n        ".join(["abs(9)"] * 4)

_known: dict[tuple[object, ...], LineCosts] = {}


def line_costs_for(timer: Any, functions: dict[str, Any] | None) -> LineCosts:
    """The costs of events in a LineRecorder with this timer, in seconds.

    functions: the options of a Profiler that records at the same time; the LineRecorder then sees
    calls. None: it sees none. The first measurement takes less than 50 ms. Raises ValueError for a
    timer that is not "wall" or "cpu".
    """
    check_timer(timer)
    key = (timer, functions is None or tuple(sorted(functions.items())))
    if key not in _known:
        with unrecorded:  # no other profile records this
            _known[key] = _measure(timer, functions)
    return _known[key]


class _Trial:
    """The shortest times that a body took, in seconds: `plain` and, with lines timed, `timed`."""

    def __init__(self, source: str, timer: Any, functions: dict[str, Any] | None) -> None:
        self.plain_body, self.body = compiled(source), compiled(source)
        self.recorder = LineRecorder(timer, calls=functions is not None)
        # A recorder that sees calls sees those of functions whose lines are not timed, too.
        callee = self.body.__globals__.get("f")
        for function in (self.body, callee if functions is None else None):
            if function is not None:
                self.recorder.add_code(function.__code__)
        self.profiler = None if functions is None else Profiler(**functions, threads=False)
        self.plain = self.timed = float("inf")

    def run(self) -> None:
        began = perf_counter()
        self.plain_body()
        self.plain = min(self.plain, perf_counter() - began)
        if self.profiler is not None:
            self.profiler.enable()
        self.recorder.enable()
        began = perf_counter()
        self.body()
        self.timed = min(self.timed, perf_counter() - began)
        self.recorder.disable()
        if self.profiler is not None:
            self.profiler.disable()

    def added(self) -> float:
        return max(self.timed - self.plain, 0.0)


def _measure(timer: Any, functions: dict[str, Any] | None) -> LineCosts:
    lines, calls, c_calls = (_Trial(source, timer, functions) for source in (LINES, CALLS, C_CALLS))
    for _ in range(ROUNDS):  # in turn, so that a busy moment spoils one sample of each
        for trial in (lines, calls, c_calls):
            trial.run()
    line = lines.added() / (5 * TIMES)
    if functions is None:  # a call of a timed function adds its line and its end
        call = calls.added() / TIMES - 3 * line
    else:  # a call adds its beginning and its end
        call = (calls.added() / TIMES - 2 * line) / 2
    c_call = (c_calls.added() / TIMES - 5 * line) / 4
    return line, max(call, 0.0), max(c_call, 0.0)
