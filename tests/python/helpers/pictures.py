"""A program of known times for tests of what is printed and exported. Its clock stands still until
the program moves it, and its functions are always of the same file and lines."""

from __future__ import annotations

import tracer
from rows import Clock, record

FILE = "/here/app/work.py"
SOURCE = """
def leaf():
    clock.now += 1

class Shop:
    def middle(self):
        clock.now += 2
        leaf()
        leaf()

def top():
    Shop().middle()
    leaf()
    clock.now += 3

def numbers():
    for number in range(3):
        clock.now += 1
        yield number

def generate():
    for number in numbers():
        clock.now += number

def fall(depth):
    clock.now += 1
    if depth:
        fall(depth - 1)
"""


def program(source: str = SOURCE, file: str = FILE) -> dict:
    """What the source defines; its `clock` is a rows.Clock."""
    space = {"clock": Clock(), "__name__": "app.work"}
    exec(compile(source, file, "exec"), space)
    return space


def profile_of(function: str = "top", *args: object, source: str = SOURCE, file: str = FILE):
    """A finished tracer.Profile of one call of `function`; a unit of the clock is a second."""
    space = program(source, file)
    options = {"timer": space["clock"], "timeunit": 1.0, "builtins": False}
    return record(space[function], *args, **options)


def stats_of(*words: object, **options: object) -> tracer.Stats:
    return tracer.Stats(profile_of(*words, **options))
