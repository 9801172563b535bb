"""Readers of the exports, one module a format, as plain as can be. test_exports_contract.py holds
what they read beside what was recorded.

A module has
    names(paths)  what read() calls each of paths.rows: anything that can be a key
    read(data)    a Found of what the bytes of an export hold, which it takes apart by itself
    draw(data)    a Drawn, of an export of a timeline

What has no draw() cannot show a timeline, and what has no read() shows nothing else.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import pytest

NO_PLACE = "the format has no place for a sentence"


class Function(NamedTuple):
    """Times are nanoseconds, or percent: see Found. None where the format does not hold it."""

    calls: int | None
    own: float | None
    cumulative: float | None


class Calls(NamedTuple):
    """cost: a time as those of Function, shared out as by call_costs.py; None where the format
    holds no cost, or one of another kind."""

    calls: int
    cost: float | None


class Found(NamedTuple):
    """What a format holds; None where it does not.

    functions: {name: Function}, of all threads. edges: {(caller, callee): Calls}, without calls by
    nobody. paths: {(thread, name, ...): own time}, and path_calls the same with calls. rule: the
    text that says by which rule paths were estimated; NO_PLACE where there are paths and no room
    for it. title: the title, unescaped, as viewers show it.

    percent: whether the times of functions and calls are percent of the time of all threads. error:
    how far off they may be, as the format rounds them.
    """

    functions: dict | None = None
    edges: dict | None = None
    paths: dict | None = None
    path_calls: dict | None = None
    rule: str | None = None
    title: str | None = None
    percent: bool = False
    error: float = 0


class Drawn(NamedTuple):
    """What an export of a timeline holds; None where the format has no place for it. Times are
    nanoseconds.

    slices: {thread: [(name, start, end, depth)]}, callers before callees. own: {(thread, name,
    ...): own time}, without what had none. opened: the names of slices that had not ended.
    intervals: {(name, start, end): values}. instants: [(at, name, values)]. counters: {name: [(at,
    value)]}. flows: [(name, thread, at, thread, at)]. places: {name: (file, line)}. notes: a text
    that has all notes in it.
    """

    slices: dict | None = None
    own: dict | None = None
    opened: set | None = None
    intervals: dict | None = None
    instants: list | None = None
    counters: dict | None = None
    flows: list | None = None
    places: dict | None = None
    title: str | None = None
    notes: str = ""


def own_of(slices):
    """The own time of each path, of slices as in Drawn."""
    own = {}
    for thread, those in slices.items():
        path = [thread]
        for name, start, end, depth in those:
            path[depth + 1 :] = [name]
            add(own, tuple(path), end - start)
            if depth:
                add(own, tuple(path[:-1]), start - end)
    return {path: time for path, time in own.items() if time}


def opened_and_closed(steps):
    """[(name, start, end, depth, values)], outer ones first, of (begins, at, name, values) in order
    of time. An end closes what began last."""
    found, opened = [], []
    for begins, at, name, values in steps:
        if begins:
            opened.append(len(found))
            found.append([name, at, None, len(opened) - 1, values])
        else:
            found[opened.pop()][2] = at
    assert not opened
    return [tuple(one) for one in found]


def reader_of(name):
    """The module that reads this format; a test without one fails."""
    if find_spec(f"formats.{name}") is None:
        pytest.fail(
            f"nothing reads {name} back: write tests/python/helpers/formats/{name}.py with "
            "names(paths) and read(data), as tests/python/helpers/formats/__init__.py says",
            pytrace=False,
        )
    return import_module(f"formats.{name}")


def add(figures, key, number):
    """Add to what a dict has for a key."""
    figures[key] = figures.get(key, 0) + number
