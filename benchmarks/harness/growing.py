"""Programs that can be made as large as needed in one respect, for growth.py and ends.py.

Each program is a body that makes a known number of calls and of nodes in the call tree. This file
times nothing.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from types import FunctionType

ENOUGH = 200_000  # calls in a body, at least, so that it can be timed


@dataclass(frozen=True)
class Work:
    run: Callable[[], object]
    calls: int
    nodes: int
    before: int = 1  # how often it runs under tracer until its memory is measured


def make_functions(source: str, count: int) -> list[FunctionType]:
    """So many functions that differ in name and line, and have code of their own."""
    namespace: dict[str, object] = {}
    exec(source, namespace)
    template = next(value for value in namespace.values() if isinstance(value, FunctionType))
    made = []
    for number in range(count):
        name = f"{template.__name__}{number}"
        code = template.__code__.replace(
            co_name=name, co_qualname=name, co_firstlineno=number + 1, co_filename="growing.py"
        )
        made.append(FunctionType(code, namespace, name))
    return made


def functions(count: int) -> Work:
    """That many functions, called one after the other from one place."""
    made = make_functions("def f(): pass", count)
    rounds = max(1, ENOUGH // count)

    def run():
        for _ in range(rounds):
            for function in made:
                function()

    return Work(run, rounds * count, count)


def edges(count: int) -> Work:
    """Callers that each call the same callees: about so many pairs of both."""
    callers = make_functions("def f(callees):\n for g in callees: g()", max(1, isqrt(count)))
    callees = make_functions("def g(): pass", count // len(callers))
    rounds = max(1, ENOUGH // count)

    def run():
        for _ in range(rounds):
            for caller in callers:
                caller(callees)

    pairs = len(callers) * len(callees)
    return Work(run, rounds * (len(callers) + pairs), len(callers) + pairs)


def depth(count: int) -> Work:
    """One function that calls itself to that depth."""
    (down,) = make_functions("def f(n, f):\n if n: f(n - 1, f)", 1)
    rounds = max(1, ENOUGH // count)

    def run():
        for _ in range(rounds):
            down(count - 1, down)

    return Work(run, rounds * count, count)


def contexts(count: int) -> Work:
    """Two functions that call each other in every order: about so many calling contexts."""
    left, right = make_functions("def f(n, f, g):\n if n: f(n - 1, f, g); g(n - 1, g, f)", 2)
    levels = count.bit_length() - 1
    nodes = 2**levels - 1
    rounds = max(1, ENOUGH // nodes)

    def run():
        for _ in range(rounds):
            left(levels - 1, left, right)

    return Work(run, rounds * nodes, nodes)


def threads(count: int) -> Work:
    """That many threads, each with its share of the calls of one function."""
    (function,) = make_functions("def f(): pass", 1)
    share = max(1000, 5 * ENOUGH // count)

    def body():
        for _ in range(share):
            function()

    def run():
        started = [threading.Thread(target=body) for _ in range(count)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()

    return Work(run, share * count, 2 * count)


def events(count: int) -> Work:
    """One function, called again and again, until tracer has seen so many enters and leaves."""
    (function,) = make_functions("def f(): pass", 1)
    at_once = min(count, 1_000_000)

    def run():
        for _ in range(at_once // 2):
            function()

    return Work(run, at_once // 2, 1, count // at_once)
