"""Programs of steps, as real Python under a Profiler and as a plain model: test_model.py, and
tests/stress/programs.py.

A program is a list of steps. It is run as real Python functions and generators under a Profiler
whose timer only the program advances, and by a model that keeps nothing but the path of calls that
each tick and each call belongs to. What a figure means is written down here once more, on its own.
A step may clear the profiler: from there on the program is one that was profiled in the middle.
"""

from __future__ import annotations

import gc
import inspect
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import suppress
from itertools import pairwise
from typing import Any

from tracer._core import Profiler

FUNCTIONS = ["f0", "f1", "f2"]
GENERATORS = ["g0", "g1"]
SLOTS = 3
BUILTINS = {
    "next": "<built-in method builtins.next>",
    "throw": "<method 'throw' of 'generator' objects>",
    "close": "<method 'close' of 'generator' objects>",
}

# ("tick", ticks) ("call", function, steps, catches) ("raise",) ("look",) ("clear",)
# ("yield", catches, ticks) ("switch", greenlet)
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
        elif kind == "switch":
            world.switch(step[1])
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


OUT = "/stepprograms/out.py"  # the file of functions that a filter leaves out


class World:
    """All that a running program can reach. left_out: the functions that are of the file OUT."""

    def __init__(self, left_out: Collection[str] = ()) -> None:
        self.now = 0
        self.boom = Boom()
        self.looks: tuple[Any, ...] = ()
        self.look: Callable[[], Any] = tuple
        self.clear: Callable[[], Any] = tuple
        self.switch: Callable[[int], Any] = id
        names: dict[str, Any] = {"world": self, "Boom": Boom}
        for name in (*FUNCTIONS, *GENERATORS):
            suspend = "pass" if name in FUNCTIONS else SUSPEND.strip()
            file = OUT if name in left_out else "/stepprograms/in.py"
            exec(compile(TEMPLATE.format(name=name, suspend=suspend), file, "exec"), names)
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


def figures_of(entries: Iterable[Any], is_looked_at: Callable[[Any], object] = is_known) -> Figures:
    figures: Figures = {}
    entries = [entry for entry in entries if is_looked_at(entry)]
    for entry in entries:
        caller = name_of(entry.code)
        callees = [row for row in entry.calls or () if is_looked_at(row)]
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
    def __init__(self, name: str, seen: bool) -> None:
        self.name = name
        self.seen = seen


class Model:
    """Runs a program with a path of names for a stack, and books everything under that path."""

    def __init__(self, builtins: bool, left_out: Collection[str] = ()) -> None:
        self.builtins = builtins
        self.left_out = left_out
        self.switch: Callable[[int], object] = id
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
        is_out = name in self.left_out
        if name in BUILTINS.values() and above:
            is_out = above[-1].name in self.left_out
        self.stack = (*above, Frame(name, not is_out))
        if not is_out:
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
            frame.seen = frame.seen and frame.name not in BUILTINS.values()
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
                case ("switch", greenlet):
                    stack = self.stack
                    self.switch(greenlet)
                    self.stack = stack
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
            if not path:  # a filter leaves all of it out
                continue
            tottime[path[-1]] += ticks
            if len(path) > 1:
                tottime[path[-2:]] += ticks
            for key in {*path, *pairwise(path)}:
                cumtime[key] += ticks
        return {
            key: (calls[key], primitive[key], resumes[key], tottime[key], cumtime[key])
            for key in {*calls, *resumes, *cumtime, *self.before, *pairwise(self.before)}
        }
