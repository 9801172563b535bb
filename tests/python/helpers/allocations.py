"""What tests of memory share: functions that allocate what is known to the byte, and what a profile
says of each.

bytes(n) is one block of n + HEAD bytes on every version, of Python's allocator up to 512 bytes and
of malloc above. Loops count by while, up to 256: from 3.14 on, an iterator goes to a free list of
the interpreter's, and stays live there.
"""

import os
import platform

import pytest

import tracer
from tracer.runtime import preloading

# Where --memory=native can be tested.
NATIVE_MEMORY = [
    pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the library needs glibc"),
    pytest.mark.skipif(
        "libasan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer has a malloc of its own"
    ),
    pytest.mark.skipif(
        not preloading.is_loadable(preloading.LIBRARY),
        reason="LD_PRELOAD cannot have the path of this clone",
    ),
]
HEAD = 33
KEPT = [None] * 257


def keep(count, size=1000, start=0):
    end = start + count
    while start < end:
        KEPT[start] = bytes(size)
        start += 1


def drop(count, start=0):
    end = start + count
    while start < end:
        KEPT[start] = None
        start += 1


def profiled(function, *args, **options):
    profile = tracer.Profile(memory=True, **options)
    profile.runcall(function, *args)
    return profile


def shares(profile, measure):
    """{name of the function: (bytes, blocks, cumulative bytes)} of a measure, where it is not 0."""
    rows = tracer.Stats(profile).seen_by(measure).stats.items()
    found = {}
    for (_, _, name), (_, blocks, own, cumulative, _) in rows:
        share = (round(own * 1e9), blocks, round(cumulative * 1e9))
        if any(share):
            found[name] = share
    return found


def assert_adds_up(profile):
    """The sums over all functions are the totals, and allocated less freed is live."""
    memory = profile.capture().memory
    for measure, total in ("live", memory.live), ("peak", memory.peak):
        rows = tracer.Stats(profile).seen_by(measure).stats.values()
        outside = memory.outside[measure].bytes + memory.other[measure].bytes
        assert sum(round(own * 1e9) for _, _, own, _, _ in rows) + outside == total.bytes
        blocks = memory.outside[measure].blocks + memory.other[measure].blocks
        assert sum(blocks for _, blocks, _, _, _ in rows) + blocks == total.blocks
    rows = tracer.Stats(profile).seen_by("net").stats.values()
    net = sum(round(own * 1e9) for _, _, own, _, _ in rows)
    net += memory.outside["net"].bytes + memory.other["net"].bytes
    assert net == memory.live.bytes + memory.missed.bytes
