"""Random programs against a plain model: every count and every time must be exactly equal.

A program is a list of steps. It is run as real Python functions and generators under a Profiler
whose timer only the program advances, and by a model that keeps nothing but the path of calls that
each tick and each call belongs to. What a figure means is written down here once more, on its own.
A step may clear the profiler: from there on the program is one that was profiled in the middle.
"""

from __future__ import annotations

import gc
import inspect
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tracer._core import Profiler

NO_LIMIT = 1_000_000
NODE_LIMITS = [NO_LIMIT, 0, 1, 3, 10]

FUNCTIONS = ["f0", "f1", "f2"]
GENERATORS = ["g0", "g1"]
SLOTS = 3
BUILTINS = {
    "next": "<built-in method builtins.next>",
    "throw": "<method 'throw' of 'generator' objects>",
    "close": "<method 'close' of 'generator' objects>",
}

# ("tick", ticks) ("call", function, steps, catches) ("raise",) ("look",) ("clear",)
# ("yield", catches, ticks)
# ("make", slot, generator, steps) ("next" | "throw" | "close", slot, catches)
Step = tuple[Any, ...]
Program = list[Step]
# {function or (caller, callee): (calls, primitive calls, resumes, tottime, cumtime)}
Figures = dict[Any, tuple[int, int, int, float, float]]


class Boom(BaseException):
    """What the programs raise. A world makes it beforehand, since making it would be a call."""


# -- The program as real Python ------------------------------------------------------------------

# Only steps are calls in here. Functions of one kind differ in their name only. Generators
# suspend inside a try, since 3.13 closes those that do not without ever going back to them.
TEMPLATE = """
def {name}(steps):
    for step in steps:
        kind = step[0]
        if kind == "tick":
            world.now += step[1]
        elif kind == "call":
            try:
                world.functions[step[1]](step[2])
            except Boom:
                if not step[3]:
                    raise
        elif kind == "raise":
            raise world.boom
        elif kind == "look":
            world.looks += (world.look(),)
        elif kind == "clear":
            world.clear()
        elif kind == "make":
            world.slots[step[1]] = world.generators[step[2]](step[3])
            world.kept += (world.slots[step[1]],)
        elif kind == "yield":
            {suspend}
        else:
            generator = world.slots[step[1]]
            try:
                if kind == "next":
                    next(generator, None)
                elif generator.gi_suspended and kind == "throw":
                    generator.throw(world.boom)
                elif generator.gi_suspended and kind == "close":
                    generator.close()
            except (Boom, ValueError, StopIteration):
                if not step[2]:
                    raise world.boom from None
"""

SUSPEND = """
            try:
                yield
            except Boom:
                if not step[1]:
                    raise
            finally:
                world.now += step[2]
"""


class World:
    """All that a running program can reach."""

    def __init__(self) -> None:
        self.now = 0
        self.boom = Boom()
        self.looks: tuple[Any, ...] = ()
        self.look: Callable[[], Any] = tuple
        self.clear: Callable[[], Any] = tuple
        names: dict[str, Any] = {"world": self, "Boom": Boom}
        for name in FUNCTIONS:
            exec(TEMPLATE.format(name=name, suspend="pass"), names)
        for name in GENERATORS:
            exec(TEMPLATE.format(name=name, suspend=SUSPEND.strip()), names)
        self.functions = [names[name] for name in FUNCTIONS]
        self.generators = [names[name] for name in GENERATORS]
        self.slots = [self.generators[0](()) for _ in range(SLOTS)]
        self.kept = tuple(self.slots)  # a generator that nobody keeps is closed there and then


def run_for_real(program: Program, **options: Any) -> tuple[list[Figures], dict[str, Any]]:
    """What the profiler says at each look and at the end, and its snapshot."""
    world = World()
    profiler = Profiler(lambda: world.now, 1.0, **options)
    world.look, world.clear = profiler.getstats, profiler.clear
    collecting = gc.isenabled()
    gc.disable()  # hypothesis has a function called at each collection, which would be a row
    try:
        profiler.record_call(world.functions[0], program)
    except Boom:
        pass
    finally:
        profiler.disable()
        if collecting:
            gc.enable()
    world.boom.__traceback__ = None
    looks = [figures_of(entries) for entries in (*world.looks, profiler.getstats())]
    return looks, profiler.snapshot()


def name_of(code: Any) -> str:
    return code if isinstance(code, str) else code.co_name


def is_known(row: Any) -> bool:
    """False for functions that run the test: clear() makes rows of them, which count nothing."""
    return row.callcount or row.resumes or name_of(row.code) in {*FUNCTIONS, *GENERATORS}


def figures_of(entries: Iterable[Any]) -> Figures:
    figures: Figures = {}
    entries = [entry for entry in entries if is_known(entry)]
    for entry in entries:
        caller = name_of(entry.code)
        callees = [row for row in entry.calls or () if is_known(row)]
        for key, row in [(caller, entry)] + [((caller, name_of(row.code)), row) for row in callees]:
            assert key not in figures
            primitive = row.callcount - row.reccallcount
            figures[key] = (
                row.callcount,
                primitive,
                row.resumes,
                row.inlinetime,
                row.totaltime,
            )
    return figures


# -- The model -----------------------------------------------------------------------------------


class Frame:
    def __init__(self, name: str) -> None:
        self.name = name
        self.seen = True


class Model:
    """Runs a program with a path of names for a stack, and books everything under that path."""

    def __init__(self, builtins: bool) -> None:
        self.builtins = builtins
        self.stack: tuple[Frame, ...] = ()
        self.before: tuple[str, ...] = ()  # the path of what ran at the last clear()
        self.entered: Counter[tuple[tuple[str, ...], bool]] = Counter()  # (path, resumed)
        self.ticks: Counter[tuple[str, ...]] = Counter()
        self.looks: list[Figures] = []
        self.slots = [(GENERATORS[0], self.steps([], True)) for _ in range(SLOTS)]
        self.kept: list[object] = []  # as in World

    def run(self, program: Program) -> list[Figures]:
        with suppress(Boom):
            self.call(FUNCTIONS[0], program)
        return [*self.looks, self.figures()]

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(frame.name for frame in self.stack if frame.seen)

    def within(self, name: str, resumed: bool, action: Callable[[], object]) -> None:
        above = self.stack
        self.stack = (*above, Frame(name))
        self.entered[self.path, resumed] += 1
        try:
            action()
        finally:
            self.stack = above

    def clear(self) -> None:
        """Only Python functions run already: nobody can tell which builtin called them."""
        self.entered.clear()
        self.ticks.clear()
        for frame in self.stack:
            frame.seen = frame.name not in BUILTINS.values()
        self.before = self.path

    def call(self, name: str, program: Program) -> None:
        self.within(name, False, lambda: list(self.steps(program, False)))

    def steps(self, program: Program, suspends: bool) -> Generator[None, None, None]:
        for step in program:
            match step:
                case ("tick", ticks):
                    self.ticks[self.path] += ticks
                case ("call", function, inner, catches):
                    try:
                        self.call(FUNCTIONS[function], inner)
                    except Boom:
                        if not catches:
                            raise
                case ("raise",):
                    raise Boom
                case ("look",):
                    self.looks.append(self.figures())
                case ("clear",):
                    self.clear()
                case ("make", slot, generator, inner):
                    self.kept.append(self.slots[slot])
                    self.slots[slot] = (GENERATORS[generator], self.steps(inner, True))
                case ("yield", catches, ticks):
                    if suspends:
                        try:
                            yield
                        except Boom:
                            if not catches:
                                raise
                        finally:
                            self.ticks[self.path] += ticks
                case (kind, slot, catches):
                    try:
                        self.go_on(kind, *self.slots[slot])
                    except (Boom, ValueError, StopIteration):
                        if not catches:
                            raise Boom from None

    def go_on(self, kind: str, name: str, generator: Generator[None, None, None]) -> None:
        state = inspect.getgeneratorstate(generator)
        suspended = state == inspect.GEN_SUSPENDED
        actions: dict[str, Callable[[], object]] = {
            "next": lambda: next(generator, None),
            "throw": lambda: generator.throw(Boom()),
            "close": generator.close,
        }

        def enter() -> None:
            if suspended or state == inspect.GEN_CREATED:
                self.within(name, suspended, actions[kind])
            else:
                actions[kind]()  # over or running: its frame is not entered

        if kind == "next" or suspended:
            if self.builtins:
                self.within(BUILTINS[kind], False, enter)
            else:
                enter()

    def figures(self) -> Figures:
        """The figures by their definitions, from all the paths at once."""
        calls, primitive, resumes, tottime, cumtime = (Counter[Any]() for _ in range(5))
        for (path, resumed), times in self.entered.items():
            function, edge = path[-1], path[-2:]
            for key, seen in ((function, path[:-1]), (edge, tuple(pairwise(path[:-1])))):
                if len(edge) == 2 or key == function:
                    (resumes if resumed else calls)[key] += times
                    if not resumed and key not in seen:
                        primitive[key] += times
        for path, ticks in self.ticks.items():
            tottime[path[-1]] += ticks
            if len(path) > 1:
                tottime[path[-2:]] += ticks
            for key in {*path, *pairwise(path)}:
                cumtime[key] += ticks
        return {
            key: (calls[key], primitive[key], resumes[key], tottime[key], cumtime[key])
            for key in {*calls, *resumes, *self.before, *pairwise(self.before)}
        }


# -- Programs ------------------------------------------------------------------------------------

ticks = st.integers(1, 9)
catches = st.booleans()
slots = st.integers(0, SLOTS - 1)
tick = st.tuples(st.just("tick"), ticks)
go_on = st.tuples(st.sampled_from(["next", "next", "next", "throw", "close"]), slots, catches)
suspend = st.tuples(st.just("yield"), catches, ticks)
rest = st.sampled_from([("raise",), ("look",), ("clear",)])
simple = st.one_of(tick, tick, go_on, go_on, suspend, suspend, rest)


def nested(inner: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    call = st.tuples(st.just("call"), st.integers(0, len(FUNCTIONS) - 1), inner, catches)
    make = st.tuples(st.just("make"), slots, st.integers(0, len(GENERATORS) - 1), inner)
    return st.lists(st.one_of(simple, call, call, make), max_size=6)


programs = st.recursive(st.lists(simple, max_size=5), nested, max_leaves=30)

TICK, LOOK, CLEAR, YIELD = ("tick", 1), ("look",), ("clear",), ("yield", False, 2)
MUTUAL: Program = [("tick", 1)]
for depth in range(12):
    MUTUAL = [("tick", depth), ("call", depth % 3, MUTUAL, False), LOOK, ("tick", 2)]
SELF: Program = [("raise",)]
for depth in range(12):
    SELF = [TICK, ("call", 0, SELF, depth == 6), TICK, LOOK]
INTERLEAVED: Program = [
    ("make", 0, 0, [TICK, YIELD, ("next", 1, True), YIELD, TICK]),
    ("make", 1, 1, [TICK, YIELD, ("next", 0, True), LOOK, YIELD, ("call", 1, [TICK], False)]),
    ("make", 2, 0, [("next", 0, False), YIELD, ("next", 2, True), ("next", 1, False)]),
    *[("next", slot, True) for slot in (0, 1, 2, 0, 1, 1)],
    ("call", 2, [("next", 2, True), ("throw", 0, True), LOOK, ("next", 1, True)], True),
    ("close", 2, True),
    ("close", 1, True),
]
IN_THE_MIDDLE: Program = [
    ("make", 0, 0, [TICK, ("call", 1, [TICK, CLEAR, LOOK, TICK], False), YIELD, TICK]),
    TICK,
    ("call", 1, [TICK, ("next", 0, False), TICK, ("call", 1, [TICK, LOOK], False)], False),
    ("next", 0, False),
    ("call", 0, [TICK], False),
]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(program=programs, builtins=st.booleans())
@example(program=MUTUAL, builtins=False)
@example(program=SELF, builtins=False)
@example(program=INTERLEAVED, builtins=False)
@example(program=INTERLEAVED, builtins=True)
@example(program=IN_THE_MIDDLE, builtins=True)
def test_every_figure_is_the_models(program: Program, builtins: bool) -> None:
    expected = Model(builtins).run(program)
    for limit in NODE_LIMITS:
        looks, _ = run_for_real(program, builtins=builtins, _node_limit=limit)
        assert looks == expected, f"with at most {limit} nodes"


@pytest.mark.parametrize("program", [MUTUAL, SELF, INTERLEAVED])
def test_the_limits_make_it_overflow(program: Program) -> None:
    """Otherwise the test above would show nothing of overflow."""
    whole = run_for_real(program)[1]["threads"][0]
    assert len(whole["folds"]) == 0
    assert count_nodes(whole) > max(NODE_LIMITS[1:])
    for limit in NODE_LIMITS[1:]:
        thread = run_for_real(program, _node_limit=limit)[1]["threads"][0]
        assert len(thread["folds"]) > 0
        assert count_nodes(thread) == 1 + limit  # the root is no part of the limit


def count_nodes(thread: dict[str, Any]) -> int:
    return len(thread["nodes"]) // 40  # the size of a trc_node_record


def test_the_model_by_hand() -> None:
    """f0 ticks 1, calls f1 (2), which calls f0 (3); then resumes g0 (4, and 5 when it goes on)."""
    program: Program = [
        ("tick", 1),
        ("call", 1, [("tick", 2), ("call", 0, [("tick", 3)], False)], False),
        ("make", 0, 0, [("tick", 4), ("yield", False, 5)]),
        ("next", 0, False),
        ("next", 0, False),
    ]
    assert Model(builtins=False).run(program) == [
        {
            "f0": (2, 1, 0, 4, 15),
            "f1": (1, 1, 0, 2, 5),
            "g0": (1, 1, 1, 9, 9),
            ("f0", "f1"): (1, 1, 0, 2, 5),
            ("f1", "f0"): (1, 1, 0, 3, 3),
            ("f0", "g0"): (1, 1, 1, 9, 9),
        }
    ]
