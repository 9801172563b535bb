"""Random programs of calls, exceptions, generators, coroutines, greenlets and threads that take
turns, which write down when each of their stretches began and ended; and the slices that a timeline
should have of them. Time is a clock that the programs move.
"""

import _thread
import contextlib
import random
from collections import defaultdict
from typing import Any, NamedTuple

from rows import Clock, limited, stats_of

clock = Clock()

# What is written down: how, name or stack, tick.
BEGIN, END, SWITCH = range(3)


class Trouble(Exception):
    pass


class Step(NamedTuple):
    """what: "tick", "call", "try", "raise", "next", "green", "turn". steps: of what is called."""

    what: str
    amount: int = 0
    steps: tuple["Step", ...] = ()


class Actor:
    """One thread of the program."""

    def __init__(self, program: "Program") -> None:
        self.program = program
        self.lock = _thread.allocate_lock()
        self.lock.acquire()
        self.notes: list[tuple[int, Any, int]] = []
        self.greens: list[Any] = []
        self.is_over = False


class Program:
    def __init__(self, actors: int) -> None:
        self.actors = [Actor(self) for _ in range(actors)]
        self.suspended: list[Any] = []  # generators and coroutines, of all threads
        self.kept: list[Any] = []  # what must not be freed while the profile runs


# No step may be a Python function of its own: it would be in the profile.
BODY = """
        for step in steps:
            what = step.what
            if what == "tick":
                clock.now += step.amount
            elif what == "call":
                FUNCTIONS[step.amount](actor, step.steps)
            elif what == "try":
                try:
                    FUNCTIONS[step.amount](actor, step.steps)
                except Trouble:
                    pass
            elif what == "raise":
                raise Trouble
            elif what == "make":
                actor.program.suspended.append(MAKERS[step.amount](actor, step.steps))
            elif what == "next" and actor.program.suspended:
                generator = actor.program.suspended.pop(step.amount % len(actor.program.suspended))
                running = generator[0]
                generator[1][0] = actor
                try:
                    running.send(None)
                    actor.program.suspended.append(generator)
                except (StopIteration, Trouble):
                    actor.program.kept.append(generator)
            elif what == "green":
                me = greenlet.getcurrent()
                child = greenlet.greenlet(FUNCTIONS[step.amount])
                actor.program.kept.append(child)
                actor.notes.append((SWITCH, child, clock.now))
                try:
                    child.switch(actor, step.steps)
                except Trouble:
                    pass
                actor.notes.append((SWITCH, me, clock.now))
                if not child.dead:
                    actor.greens.append(child)
            elif what == "up" and greenlet.getcurrent().parent is not None and not inside:
                me = greenlet.getcurrent()
                actor.notes.append((SWITCH, me.parent, clock.now))
                me.parent.switch()
                actor.notes.append((SWITCH, me, clock.now))
            elif what == "down" and actor.greens and greenlet.getcurrent().parent is None:
                me = greenlet.getcurrent()
                child = actor.greens.pop()
                actor.notes.append((SWITCH, child, clock.now))
                try:
                    child.switch()
                except Trouble:
                    pass
                actor.notes.append((SWITCH, me, clock.now))
                if not child.dead:
                    actor.greens.append(child)
            elif what == "turn":
                other = actor.program.actors[step.amount % len(actor.program.actors)]
                if other is not actor and other.lock.locked() and not other.is_over:
                    other.lock.release()
                    actor.lock.acquire()
            elif what == "yield":
                YIELD
"""

PLAIN = """
def NAME(actor, steps):
    inside = False
    actor.notes.append((BEGIN, "NAME", clock.now))
    try:BODY
    finally:
        actor.notes.append((END, "NAME", clock.now))
"""

# `holder[0]`: the actor that resumes it.
MADE = """
DEF NAME(holder, steps):
    inside = True
    actor = holder[0]
    actor.notes.append((BEGIN, "NAME", clock.now))
    try:BODY
    finally:
        if actor is not None:
            actor.notes.append((END, "NAME", clock.now))

def make_NAME(actor, steps):
    holder = [actor]
    return NAME(holder, steps), holder
"""

YIELD = """holder[0] = None
                actor.notes.append((END, "NAME", clock.now))
                actor = None
                GIVE
                actor = holder[0]
                actor.notes.append((BEGIN, "NAME", clock.now))"""


class Awaited:
    """Suspends the coroutine that awaits it, once."""

    def __await__(self):
        return iter((None,))


def _define():
    try:
        import greenlet
    except ImportError:
        greenlet = None
    names: dict[str, Any] = {
        "BEGIN": BEGIN,
        "END": END,
        "SWITCH": SWITCH,
        "Trouble": Trouble,
        "clock": clock,
        "greenlet": greenlet,
        "FUNCTIONS": [],
        "MAKERS": [],
        "AWAITED": Awaited(),
    }
    for i in range(4):
        source = PLAIN.replace("BODY", BODY.replace("YIELD", "pass")).replace("NAME", f"plain{i}")
        exec(compile(source, "model.py", "exec"), names)
        names["FUNCTIONS"].append(names[f"plain{i}"])
    for kind, define, give in [("gen", "def", "yield"), ("coro", "async def", "await AWAITED")]:
        for i in range(2):
            body = BODY.replace("YIELD", YIELD.replace("GIVE", give))
            source = MADE.replace("BODY", body).replace("DEF", define).replace("NAME", f"{kind}{i}")
            exec(compile(source, "model.py", "exec"), names)
            names["MAKERS"].append(names[f"make_{kind}{i}"])
    return names


NAMES = _define()
# Programs whose greenlets never ended: those would end in the profile of another program.
LEFT: list[Program] = []
HAS_GREENLETS = NAMES["greenlet"] is not None


def compose(dice: random.Random, size: int, depth: int = 0) -> tuple[Step, ...]:
    """Random steps of a function's body."""
    steps = []
    for _ in range(size):
        kind = dice.choices(
            [
                "tick",
                "call",
                "try",
                "raise",
                "make",
                "next",
                "green",
                "up",
                "down",
                "turn",
                "yield",
            ],
            [
                *(30, 20 if depth < 6 else 0, 10 if depth < 6 else 0, 2 if depth else 0, 5, 14),
                *(3 if HAS_GREENLETS and depth < 4 else 0, 4 * HAS_GREENLETS, 4 * HAS_GREENLETS),
                *(6, 10),
            ],
        )[0]
        inner = kind in ("call", "try", "green", "make")
        steps.append(
            Step(
                kind,
                dice.choice([0, 1, 1, 2, 7, 50]) if kind == "tick" else dice.randrange(4),
                compose(dice, dice.randrange(7), depth + 1) if inner else (),
            )
        )
    return tuple(steps)


def play(program: Program, scripts: list[tuple[Step, ...]], profile: Any) -> None:
    """Runs a script in each thread; one runs at a time. The first is this thread."""
    plain = NAMES["FUNCTIONS"][0]
    over = [_thread.allocate_lock() for _ in scripts]

    def run(number: int) -> None:
        actor = program.actors[number]
        actor.lock.acquire()
        for step in scripts[number]:
            with contextlib.suppress(Trouble):
                plain(actor, (step,))
        finish(number)

    def finish(number: int) -> None:
        actor = program.actors[number]
        actor.is_over = True
        for other in program.actors:
            if not other.is_over and other.lock.locked():
                other.lock.release()
                break
        over[number].release()

    for lock in over:
        lock.acquire()
    profile.enable()
    for number in range(1, len(scripts)):
        _thread.start_new_thread(run, (number,))
    program.actors[0].lock.release()
    run(0)
    for lock in over:
        lock.acquire()
    profile.disable()


class Stretch(NamedTuple):
    start: int
    end: int
    name: str
    depth: int


def expected(notes: list[tuple[int, Any, int]]) -> list[Stretch]:
    """The stretches of one thread, by when they began."""
    stacks: dict[Any, list[str]] = defaultdict(list)
    begun: list[Any] = []
    here: Any = None
    first: Any = None
    open_: list[int] = []
    for how, what, tick in notes:
        if how == BEGIN:
            open_.append(len(begun))
            begun.append((tick, what, len(open_) - 1))
            stacks[here].append(what)
        elif how == END:
            place = open_.pop()
            start, name, depth = begun[place]
            assert name == what == stacks[here].pop()
            begun[place] = Stretch(start, tick, name, depth)
        else:
            if first is None:
                first = NAMES["greenlet"].getcurrent()
            to = None if what.parent is None else what
            if to is here:
                continue
            for place in open_:
                start, name, depth = begun[place]
                begun[place] = Stretch(start, tick, name, depth)
            here, open_ = to, []
            for name in stacks[here]:
                open_.append(len(begun))
                begun.append((tick, name, len(open_) - 1))
    assert not open_
    return begun


def told(capture: Any, thread: Any) -> list[Stretch]:
    """The slices of the model's functions in one thread of a capture."""
    slices = thread.read()
    names = [label[2] for label in capture.functions]
    depths: list[int] = []
    stretches = []
    for i, node in enumerate(slices.nodes):
        parent = slices.parents[i]
        name = names[thread.functions[node]] if node else ""
        is_ours = name[:-1] in ("plain", "gen", "coro")
        above = depths[parent] if parent >= 0 else 0
        depths.append(above + is_ours)
        if is_ours:
            stretches.append(Stretch(slices.starts[i], slices.ends[i], name, above))
    return stretches


def both(seed: int, actors: int, **options: Any) -> tuple[Any, list[list[Stretch]], list[Any]]:
    """A random program: its timeline, what that tells of each thread, and what it should tell."""
    dice = random.Random(seed)
    clock.now = 0
    program = Program(actors)
    scripts = [compose(dice, 40) for _ in range(actors)]
    profile = limited(clock, 1.0, builtins=False, timeline=True, **options)
    play(program, scripts, profile)
    capture = stats_of(profile).captures[0]
    threads = [told(capture, thread) for thread in capture.timeline.threads]
    stretches = [expected(actor.notes) for actor in program.actors]
    for generator, _ in program.suspended:
        generator.close()
    LEFT.append(program)
    return capture.timeline, threads, stretches
