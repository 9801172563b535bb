"""What the threads of a stress run do: calls of every kind, and a count of their own of them.

Each function adds itself to the counts of its Work, once a call, so that a profile can be held
against them; CALLERS is the truth about who calls whom. Checks are in identities.py.
"""

import math
import random
import threading
from collections import Counter
from contextlib import suppress

HYPOT = "<built-in method math.hypot>"
SORTED = "<built-in method builtins.sorted>"
REVERSE = "<method 'reverse' of 'list' objects>"

# Who calls each function that is written in Python. C stands for whatever is written in C.
C = "<"
CALLERS = {
    "turn": {"run", "spawn"},
    "leaf": {"deep", "catch", "steps", "abandoned", "wander", "manage", "body", "chaos", C},
    "fib": {"turn", "fib"},
    "deep": {"turn", "deep"},
    "even": {"turn", "odd"},
    "odd": {"even"},
    "throw": {"catch", "throw"},
    "catch": {"turn"},
    "steps": {"iterate", "delegate"},
    "delegate": {"iterate"},
    "iterate": {"turn"},
    "abandoned": {"abandon", "turn", C},  # turn: when abandon's frame goes, after its return
    "abandon": {"turn"},
    "wander": {"meet", C},
    "meet": {"turn"},
    "order": {"sort", C},
    "<genexpr>": {"sort", C},
    "sort": {"turn"},
    "__init__": {"manage", "body", "spawn", C},
    "__enter__": {"manage"},
    "__exit__": {"manage"},
    "manage": {"turn"},
    "made": {"make"},
    "make": {"turn"},
    "body": {"drive", C},
    "__await__": {"body", "drive", C},  # throw() goes straight to it
    "drive": {"turn"},
    "spawn": {"turn"},
}
# These are on the stack of a thread once at most.
NEVER_RECURSIVE = set(CALLERS) - {"fib", "deep", "even", "odd", "throw"}


class Stop(Exception):
    """Raised in one place and caught in another."""


class Manager:
    def __init__(self, counts):
        counts["__init__"] += 1
        self.counts = counts

    def __enter__(self):
        self.counts["__enter__"] += 1
        return self

    def __exit__(self, kind, error, traceback):
        self.counts["__exit__"] += 1
        return kind is Stop


class Pause:
    """Awaitable; suspends once."""

    def __init__(self, counts):
        counts["__init__"] += 1
        self.counts = counts

    def __await__(self):
        self.counts["__await__"] += 1
        yield


class Work:
    """The work of one thread. `shared` holds generators that any thread may go on with."""

    def __init__(self, seed, shared):
        self.random = random.Random(seed)
        self.shared = shared
        self.counts = Counter()
        self.guests = Counter()  # what threads of spawn() did

    def turn(self):
        """One piece of work, chosen at random."""
        self.counts["turn"] += 1
        kind = self.random.randrange(12)
        size = self.random.randrange(1, 12)
        if kind == 0:
            self.fib(size % 7)
        elif kind == 1:
            self.deep(size * 8)
        elif kind == 2:
            self.even(size)
        elif kind == 3:
            self.catch(size)
        elif kind == 4:
            self.iterate(size)
        elif kind == 5:
            self.abandon(size)
        elif kind == 6:
            self.meet()
        elif kind == 7:
            self.sort(size)
        elif kind == 8:
            self.manage(size)
        elif kind == 9:
            self.make(size)
        elif kind == 10:
            self.drive(size)
        elif size == 1:
            self.spawn()

    # -- Calls and exceptions --

    def leaf(self):
        self.counts["leaf"] += 1

    def fib(self, n):
        self.counts["fib"] += 1
        return n if n < 2 else self.fib(n - 1) + self.fib(n - 2)

    def deep(self, depth):
        self.counts["deep"] += 1
        if depth:
            self.deep(depth - 1)
        else:
            self.leaf()

    def even(self, n):
        self.counts["even"] += 1
        return n == 0 or self.odd(n - 1)

    def odd(self, n):
        self.counts["odd"] += 1
        return n != 0 and self.even(n - 1)

    def throw(self, depth):
        self.counts["throw"] += 1
        if depth:
            try:
                self.throw(depth - 1)
            finally:
                self.counts["unwound"] += 1
        raise Stop

    def catch(self, depth):
        self.counts["catch"] += 1
        try:
            self.throw(depth)
        except Stop:
            self.leaf()

    def manage(self, size):
        self.counts["manage"] += 1
        for i in range(size):
            with Manager(self.counts):
                self.leaf()
                if i % 2:
                    raise Stop

    # -- Generators and coroutines --

    def steps(self, n):
        self.counts["steps"] += 1
        for i in range(n):
            yield i
            self.counts["steps, resumed"] += 1
        self.leaf()

    def delegate(self, n):
        self.counts["delegate"] += 1
        yield from self.steps(n)

    def iterate(self, n):
        self.counts["iterate"] += 1
        for _ in self.steps(n):
            pass
        for _ in self.delegate(n):
            pass

    def abandoned(self):
        self.counts["abandoned"] += 1
        try:
            yield 1
            yield 2
        except Stop:
            pass
        finally:
            self.leaf()

    def abandon(self, how):
        """Begin a generator and end it in one of the ways there are, or just let it go. (On 3.11 a
        generator that was never begun is counted all the same, when it is closed.)"""
        self.counts["abandon"] += 1
        generator = self.abandoned()
        next(generator)
        if how % 5 == 1:
            generator.close()
        elif how % 5 == 2:
            with suppress(StopIteration):
                generator.throw(Stop)
        elif how % 5 == 3:
            generator.send(None)

    def wander(self):
        self.counts["wander"] += 1
        yield from range(20)

    def meet(self):
        """Put a generator among the shared ones, and go on with one that another thread began."""
        self.counts["meet"] += 1
        generator = self.wander()
        next(generator)
        self.shared.append(generator)
        try:
            other = self.shared.pop(0)
        except IndexError:
            return
        if next(other, None) is not None:
            self.shared.append(other)

    async def body(self, n):
        self.counts["body"] += 1
        for _ in range(n):
            await Pause(self.counts)
        self.leaf()

    def drive(self, n):
        self.counts["drive"] += 1
        coroutine = self.body(n)
        try:
            for _ in range(n + self.random.randrange(2)):
                coroutine.send(None)
        except StopIteration:
            return
        with suppress(Stop, StopIteration):
            coroutine.throw(Stop)

    # -- Functions written in C --

    def order(self, value):
        self.counts["order"] += 1
        return -value

    def sort(self, size):
        self.counts["sort"] += 1
        self.counts[SORTED] += 1
        values = sorted(range(size), key=self.order)
        list(map(self.order, values))
        self.counts["<genexpr>"] += 1
        any(value < 0 for value in values)
        for value in values:
            self.counts[HYPOT] += 1
            math.hypot(value, size)
        self.counts[REVERSE] += 1
        values.reverse()

    # -- Functions and threads that come and go --

    def make(self, number):
        self.counts["make"] += 1
        space = {"counts": self.counts}
        exec("def made():\n    counts['made'] += 1", space)
        for _ in range(number):
            space["made"]()

    def spawn(self):
        """A thread that lives for one piece of work."""
        self.counts["spawn"] += 1
        self.counts["__init__"] += 1
        guest = Work(self.random.random(), self.shared)
        thread = threading.Thread(target=guest.turn, name="guest")
        thread.start()
        thread.join()
        self.guests += guest.counts + guest.guests
