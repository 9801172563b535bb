"""Generators for tests of suspended time, a clock that they move, and a Profile that reads it."""

import sys

from rows import Clock, limited

clock = Clock()


def measure(program, *args, **options):
    """A finished Profile of one call; Python functions only."""
    profile = limited(clock, 1.0, builtins=False, **options)
    profile.runcall(program, *args)
    return profile


def leaf():
    clock.now += 5


def advance(generator):
    """Resumes a generator that the profile knows nothing of."""
    return next(generator, None)


def ticking():
    clock.now += 1
    yield "first"
    clock.now += 2
    yield "second"
    clock.now += 4


def guarded():
    """A generator that notices whatever ends it."""
    try:
        clock.now += 1
        yield "first"
        clock.now += 2
        yield "second"
    finally:
        clock.now += 8


def inner():
    clock.now += 1
    yield
    clock.now += 2


def outer():
    clock.now += 10
    yield from inner()
    clock.now += 20


def countdown(number):
    clock.now += 1
    yield number
    if number:
        yield from countdown(number - 1)


def by_for():
    for _ in ticking():
        clock.now += 10


def closing_is_told():
    """Whether the interpreter tells of closing a generator that holds no try: 3.13.0 does not."""

    def tell(frame, event, arg):
        if frame.f_code is ticking.__code__:
            told.append(event)

    told = []
    generator = ticking()
    before = sys.getprofile()
    sys.setprofile(tell)
    next(generator)
    generator.close()
    sys.setprofile(before)
    return told != ["call", "return"]
