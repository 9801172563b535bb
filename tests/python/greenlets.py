"""Greenlets for their tests: a clock that these move, a Profile that reads it, and the ways of a
greenlet that most of them need. Where the package greenlet is not installed, they are skipped.
"""

import pytest

import tracer
from rows import Clock

greenlet = pytest.importorskip("greenlet", reason="the package greenlet is not installed")

clock = Clock()


@pytest.fixture(autouse=True)
def clean():
    """Of each module that imports it: the clock begins anew, and greenlet has no trace function."""
    clock.now = 0
    yield
    assert greenlet.gettrace() is None


def measure(program, **options):
    """A finished Profile of one call; Python functions only."""
    profile = tracer.Profile(clock, 1.0, **{"builtins": False, **options})
    profile.runcall(program)
    return profile


def up(*values):
    """Switch to the parent, whose call of switch() this ends."""
    return greenlet.getcurrent().parent.switch(*values)


def leaf():
    clock.now += 1


class Trouble(Exception):
    pass
