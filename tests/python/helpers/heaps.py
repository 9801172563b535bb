"""What tests of tracer.heap() share: what there is more than before; where a function is, and the
row of what it allocated."""

import sys

import pytest

import tracer
from tracer.api.origins import Origin


@pytest.fixture(autouse=True)
def counted(nothing_is_kept):
    """For each module that names this: a census has imported what it needs, and no garbage is
    collected meanwhile."""
    tracer.heap()


def more_than(baseline):
    """{kind: (count, size)} of what there is more than at an earlier census."""
    found = tracer.heap() - baseline
    return {kind.name: (kind.count, kind.size) for kind in found.kinds}


def size_of(*items):
    return sum(map(sys.getsizeof, items))


def line_of(function, offset=0):
    return function.__code__.co_firstlineno + offset


def row_of(function, count, size):
    file = function.__code__.co_filename
    return Origin(count, size, function.__qualname__, file, line_of(function))
