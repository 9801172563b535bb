"""Profiles with a timeline by a clock that the test moves, and what they were told."""

import threading
import types

import tracer
from rows import Clock
from tracer.data.records import NODE

LISTS = ("ranges", "marks", "counters", "flows", "collections", "forks")
NAMES = ["thread", "node", "start", "end", "name", "category", "values", "task", "end_thread"]
ERRORS = [ValueError("no"), KeyError(), RecursionError(), MemoryError(), SystemExit(3)]


def told(profile, name):
    """One of the lists of the profile's timeline."""
    return profile.snapshot()["timeline"][name]


def function_at(profile, thread, node):
    """The name of the function that a node is of."""
    snapshot = profile.snapshot()
    _, function, *_ = list(NODE.iter_unpack(snapshot["threads"][thread]["nodes"]))[node]
    return snapshot["functions"][function][2]


def in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


class Rude:
    """Raises whatever it is asked."""

    def __init__(self, error):
        self.error = error

    def __float__(self):
        raise self.error

    __str__ = __repr__ = __float__


class Range(types.SimpleNamespace):
    @property
    def span(self):
        return self.name, self.start, self.end


class Recording:
    """A profile, its clock and its ranges."""

    def __init__(self, **options):
        self.clock = Clock()
        self.profile = tracer.Profile(self.clock, 1.0, timeline=True, **options)

    def __enter__(self):
        self.profile.enable()
        return self

    def __exit__(self, *error):
        self.profile.disable()

    def wait(self, ticks):
        self.clock.now += ticks

    def list(self, name):
        return told(self.profile, name)

    def ranges(self):
        return [Range(**dict(zip(NAMES, each, strict=True))) for each in self.list("ranges")]

    def spans(self):
        return [each.span for each in self.ranges()]
