"""Random programs of steps under several profiles at once, held against the model of each.

    programs.py [--count N] [--seed N]

A program runs in one piece, in threads one after the other, or in greenlets that switch in the
middle. A generator that one of them makes goes on in another. Each profile has options of its own:
whether it records builtins, whether a filter leaves some of the functions out, and how many nodes
it may have. One with a timer of the program's own must have every figure of the model, one with the
wall clock, which takes the short way where it is alone, every count. The seed repeats a run.
"""

from __future__ import annotations

import _thread
import argparse
import gc
import random
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "helpers"))

from stepprograms import (
    BUILTINS,
    FUNCTIONS,
    GENERATORS,
    OUT,
    SLOTS,
    Boom,
    Figures,
    Model,
    Program,
    World,
    figures_of,
    name_of,
)
from tracer._core import BACKENDS, Profiler

try:
    from greenlet import getcurrent, greenlet
except ImportError:  # then there are none
    greenlet = None

NAMES = (*FUNCTIONS, *GENERATORS)
KNOWN = {*NAMES, *BUILTINS.values()}
NO_LIMIT = 1_000_000


class Options(NamedTuple):
    """Those of one profile."""

    backend: str
    builtins: bool
    is_filtered: bool
    is_timed: bool  # it has a timer of the program's own
    node_limit: int


class Case(NamedTuple):
    mode: str  # "whole", "threads" or "greenlets"
    programs: list[Program]
    left_out: list[str]
    profiles: list[Options]


# -- Drawing -------------------------------------------------------------------------------------


def drawn_program(chance: random.Random, depth: int, can_switch: bool) -> Program:
    return [drawn_step(chance, depth, can_switch) for _ in range(chance.randrange(1, 7))]


def drawn_step(chance: random.Random, depth: int, can_switch: bool) -> tuple[Any, ...]:
    catches, slot = chance.random() < 0.6, chance.randrange(SLOTS)
    kinds = ["tick"] * 4 + ["next"] * 4 + ["throw", "close"] + ["yield"] * 4
    kinds += ["call"] * 6 * (depth > 0) + ["make"] * 4 * (depth > 0) + ["switch"] * 3 * can_switch
    kinds += ["raise"] * (chance.random() < 0.3) + ["clear"] * (chance.random() < 0.2)
    kind = chance.choice(kinds)
    if kind == "tick":
        return kind, chance.randrange(1, 10)
    if kind == "call":
        inner = drawn_program(chance, depth - 1, can_switch)
        return kind, chance.randrange(len(FUNCTIONS)), inner, catches
    if kind == "make":
        inner = drawn_program(chance, depth - 1, can_switch)
        return kind, slot, chance.randrange(len(GENERATORS)), inner
    if kind == "yield":
        return kind, catches, chance.randrange(1, 10)
    if kind == "switch":
        return kind, chance.randrange(4)
    return (kind,) if kind in ("raise", "clear") else (kind, slot, catches)


def drawn_case(chance: random.Random) -> Case:
    mode = chance.choice(["whole", "threads", *(["greenlets"] if greenlet else [])])
    count = 1 if mode == "whole" else chance.randrange(2, 5)
    programs = [drawn_program(chance, 3, mode == "greenlets") for _ in range(count)]
    left_out = [name for name in NAMES if chance.random() < 0.4]
    profiles = [
        Options(
            chance.choice(BACKENDS),
            mode != "greenlets" and chance.random() < 0.5,
            chance.random() < 0.5,
            chance.random() < 0.6,
            chance.choice([NO_LIMIT, NO_LIMIT, 0, 1, 3, 10]),
        )
        for _ in range(chance.choice([1, 1, 2, 3]))
    ]
    return Case(mode, programs, left_out, profiles)


# -- Playing -------------------------------------------------------------------------------------


def in_greenlets(programs: list[Program], run: Any, tell_switch: Any) -> None:
    """Runs each program in a greenlet; `tell_switch` gets the function that switches."""
    stacks = [greenlet(run) for _ in programs]
    has_begun = [False] * len(stacks)

    def switch(number: int) -> None:
        number %= len(stacks)
        stack = stacks[number]
        if stack is getcurrent() or stack.dead:
            return
        begins, has_begun[number] = not has_begun[number], True
        stack.switch(*([programs[number]] if begins else []))

    tell_switch(switch)
    for number, stack in enumerate(stacks):
        while not stack.dead:
            switch(number)


def in_threads(programs: list[Program], run: Any) -> None:
    over = _thread.allocate_lock()

    def run_and_tell(program: Program) -> None:
        try:
            run(program)
        finally:
            over.release()

    for program in programs:
        over.acquire()
        _thread.start_new_thread(run_and_tell, (program,))
        with over:
            pass


def play(case: Case, run: Any, tell_switch: Any) -> None:
    if case.mode == "threads":
        in_threads(case.programs, run)
    elif case.mode == "greenlets":
        in_greenlets(case.programs, run, tell_switch)
    else:
        run(case.programs[0])


def is_of_the_model(row: Any) -> bool:
    return name_of(row.code) in KNOWN


def recorded(case: Case) -> list[Figures]:
    """What each profile has in the end."""
    world = World(case.left_out)
    profiles = [
        Profiler(
            *((lambda: world.now, 1.0) if options.is_timed else ()),
            backend=options.backend,
            builtins=options.builtins,
            exclude=(OUT,) if options.is_filtered else (),
            _node_limit=options.node_limit,
        )
        for options in case.profiles
    ]

    def run(program: Program) -> None:
        with suppress(Boom):
            world.functions[0](program)

    def tell_switch(switch: Any) -> None:
        world.switch = switch

    world.clear = lambda: [profiler.clear() for profiler in profiles]
    for profiler in profiles:
        profiler.enable()
    play(case, run, tell_switch)
    for profiler in profiles:
        profiler.disable()
    world.boom.__traceback__ = None
    return [figures_of(profiler.getstats(), is_of_the_model) for profiler in profiles]


def expected(case: Case, options: Options) -> Figures:
    model = Model(options.builtins, case.left_out if options.is_filtered else ())

    def run(program: Program) -> None:
        model.stack = ()
        with suppress(Boom):
            model.call(FUNCTIONS[0], program)

    def tell_switch(switch: Any) -> None:
        model.switch = switch

    play(case, run, tell_switch)
    return model.figures()


def compared(figures: Figures, is_timed: bool) -> Figures:
    """Without what counts nothing, as what ran at a clear(); without a timer, the counts alone."""
    shown = {key: row if is_timed else (*row[:3], 0, 0) for key, row in figures.items()}
    return {key: row for key, row in shown.items() if any(row)}


def differences(case: Case) -> list[str]:
    found = []
    for options, figures in zip(case.profiles, recorded(case), strict=True):
        want = compared(expected(case, options), options.is_timed)
        have = compared(figures, options.is_timed)
        found += [
            f"{options}: {key}: {have.get(key)}, but the model has {want.get(key)}"
            for key in {**want, **have}
            if have.get(key) != want.get(key)
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    asked = parser.parse_args()
    version = sys.version.split()[0]
    print(f"programs: python {version}, {asked.count} programs, seed {asked.seed}", flush=True)
    gc.disable()
    differing = 0
    for number in range(asked.count):
        case = drawn_case(random.Random(f"{asked.seed} {number}"))
        found = differences(case)
        if found:
            differing += 1
            print(f"program {number} differs: {case}", *found, sep="\n    ", flush=True)
        if number % 100 == 0:
            gc.collect()
    print(f"programs: {asked.count} played, {differing} differ")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
