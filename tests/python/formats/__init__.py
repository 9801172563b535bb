"""Readers of the exports, one module a format, as plain as can be. test_exports_contract.py holds
what they read beside what was recorded.

A module has
    names(paths)  what read() calls each of paths.rows: anything that can be a key
    read(data)    a Found of what the bytes of an export hold, which it takes apart by itself
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


def reader_of(name):
    """The module that reads this format; a test without one fails."""
    if find_spec(f"formats.{name}") is None:
        pytest.fail(
            f"nothing reads {name} back: write tests/python/formats/{name}.py with names(paths) "
            "and read(data), as tests/python/formats/__init__.py says",
            pytrace=False,
        )
    return import_module(f"formats.{name}")


def add(figures, key, number):
    """Add to what a dict has for a key."""
    figures[key] = figures.get(key, 0) + number
