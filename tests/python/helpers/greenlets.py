"""For the tests of greenlets: a clock that they move, a Profile that reads it, and what most of
them need of a greenlet. Where the package greenlet is not installed, they are skipped.
"""

import pytest

import tracer
from rows import Clock

greenlet = pytest.importorskip("greenlet", reason="the package greenlet is not installed")

clock = Clock()


@pytest.fixture(autouse=True)
def clean():
    """For each module that imports this: the clock begins anew; greenlet has no trace function."""
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
