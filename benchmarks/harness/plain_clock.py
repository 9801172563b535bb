"""Runs a program, and tells which part of the real time one of its functions took.

    python plain_clock.py FILE TARGET [-m MODULE | SCRIPT] WORDS

truths.py copies this file beside a program, whose source it gives the decorator. It knows no
profiler. FILE gets the seconds of the function, and those of the whole run, as JSON.

The seconds of a function are those in which it runs in one thread at least: a recursion and threads
that do the same count once. A coroutine has the time from its begin to its end, a generator the
time in which it makes items. What the clock itself costs is measured, and taken off.
"""

import functools
import gc
import importlib
import inspect
import json
import runpy
import sys
import threading
from pathlib import Path
from time import perf_counter

TURNS, CALLS = 20, 5_000  # by which the clock's own cost is measured
COLLECTOR = "garbage collector"


class Clock:
    """Runs while a function does. As a context, it is entered and left with each call."""

    def __init__(self):
        self.lock = threading.Lock()
        self.active = 0
        self.since = 0.0
        self.seconds = 0.0
        self.calls = 0
        self.outermost = 0

    def __enter__(self):
        with self.lock:
            if self.active == 0:
                self.outermost += 1
                self.since = perf_counter()
            self.active += 1
            self.calls += 1

    def __exit__(self, *_):
        with self.lock:
            self.active -= 1
            if self.active == 0:
                self.seconds += perf_counter() - self.since

    def collected(self, phase, _):
        """As one of gc.callbacks."""
        if phase == "start":
            self.__enter__()
        else:
            self.__exit__()


clock = Clock()


def clocked(function, clock=clock):
    """The function, for whose calls the clock runs."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            with clock:
                return await function(*args, **kwargs)

    elif inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            items = function(*args, **kwargs)
            while True:
                with clock:
                    try:
                        item = next(items)
                    except StopIteration as stopped:
                        return stopped.value
                yield item

    else:

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with clock:
                return function(*args, **kwargs)

    return wrapper


def clocked_method(name):
    """The decorator of a class whose method has no source of its own."""

    def decorate(cls):
        setattr(cls, name, clocked(getattr(cls, name)))
        return cls

    return decorate


def costs():
    """The seconds that a clocked call takes more, and those of them that the clock counts. The best
    turn is the one that was disturbed least."""

    def nothing():
        pass

    def loop(function):
        begun = perf_counter()
        for _ in range(CALLS):
            function()
        return perf_counter() - begun

    plain, clocks, counted = [], [], []
    for _ in range(TURNS):
        measure = Clock()
        plain.append(loop(nothing))
        clocks.append(loop(clocked(nothing, measure)))
        counted.append(measure.seconds)
    return (min(clocks) - min(plain)) / CALLS, min(counted) / CALLS


def run(words):
    """Runs `-m MODULE WORDS` or `SCRIPT WORDS` as the interpreter does."""
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path[0] = str(Path(words[0]).parent.absolute())
        runpy.run_path(words[0], run_name="__main__")


def main(file, target, *words):
    each, counted = costs()
    sys.path[0] = ""
    begun = perf_counter()
    if target == COLLECTOR:
        gc.callbacks.append(clock.collected)
    elif ":" in target:  # a function of a library
        module, _, name = target.partition(":")
        library = importlib.import_module(module)
        setattr(library, name, clocked(getattr(library, name)))
    try:
        run(list(words))
    finally:
        whole = perf_counter() - begun - each * clock.calls
        inner = clock.calls - clock.outermost
        seconds = clock.seconds - counted * clock.outermost - each * inner
        Path(file).write_text(json.dumps({"seconds": seconds, "whole": whole}))


if __name__ == "__main__":
    import plain_clock  # the programs' one, with their clock

    plain_clock.main(*sys.argv[1:])
