"""What the tests of native samples share: whether this system has them, programs that use so much
CPU that some samples must be there, and questions to what was recorded. How many samples there are
depends on the machine, and on what else it does: on a busy one a signal comes late, and the last
ones not at all. So no test asks for an exact number, and those that need many go on until there are
as many."""

import ctypes
import os
import platform
import shutil
import subprocess
import sys
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import tracer
from tracer.data.records import NODE
from tracer.data.samples import IN_OVERHEAD, samples_of

HAS_GLIBC = sys.platform == "linux" and bool(os.confstr("CS_GNU_LIBC_VERSION"))
IS_THERE = HAS_GLIBC and platform.machine() in ("x86_64", "aarch64")
NEEDS_COUNTS = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="Python 3.11 cannot switch off events, so nothing is counted"
)
NEEDS_SAMPLES = pytest.mark.skipif(
    not IS_THERE, reason="native code is sampled on Linux with glibc"
)

HZ = 200
ENOUGH = 0.4  # seconds of CPU: eighty periods
MANY = 50  # samples
COARSE = 6  # Linux's CLOCK_MONOTONIC_COARSE, which goes on with each tick of the kernel
TICK = time.clock_getres(COARSE) if sys.platform == "linux" else 0.0
DATA = os.urandom(1 << 18)
COMPILER = os.environ.get("CC") or shutil.which("cc")
SOURCE = Path(__file__).with_name("slow.c")
COUNT = 20000  # values that slow_sum() adds up


def spin(seconds=ENOUGH):
    """Runs Python code alone."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        number = 0
        while number < 20000:
            number += 1


def compress(seconds=ENOUGH):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        zlib.compress(DATA)


class Place(NamedTuple):
    """Where samples fell. function: the name of the Python function, "" at the root of a thread;
    functions: of the native stack, the outermost first; libraries: theirs."""

    function: str
    functions: tuple[str, ...]
    libraries: tuple[str, ...]
    kind: int


def places(capture):
    """The weights of samples by Place, of all threads."""
    found = Counter()
    native = capture.native
    for thread in capture.threads:
        nodes = list(NODE.iter_unpack(thread.records["nodes"]))
        for sample in samples_of(thread.native):
            name = "" if sample.node == 0 else capture.functions[nodes[sample.node][1]].name
            frames = [frame.function for frame in native.frames_of(sample.stack)]
            stack = tuple(frame.name for frame in frames), tuple(frame.library for frame in frames)
            found[Place(name, *stack, sample.kind)] += sample.weight
    return found


def at(capture, function):
    """The places at a function of this name, but for overhead."""
    return {
        place: weight
        for place, weight in places(capture).items()
        if place.function == function and place.kind != IN_OVERHEAD
    }


def again(profile, call, signals=MANY):
    """Calls, and calls again until the profile, which is enabled, has so many samples more."""
    until = profile.capture().native.signals + signals
    call()
    while profile.capture().native.signals < until:
        call()


def record(call, *, signals=MANY, **options):
    """A capture of calls of this, with so many samples at least."""
    profile = tracer.Profile(native=HZ, **options)
    with profile:
        again(profile, call, signals)
    return profile.capture()


def compiled(folder, *options):
    """A library of slow.c, with debugging information."""
    shutil.copy(SOURCE, folder)
    built = folder / "slow.so"
    words = [COMPILER, "-g", *options, "-shared", "-fPIC", "-o", built, folder / "slow.c"]
    subprocess.run([*words, "-Wl,--build-id"], check=True, capture_output=True)
    return built


def line_of(text):
    """The number of the first line of slow.c with this text."""
    return next(at for at, line in enumerate(SOURCE.read_text().split("\n"), 1) if text in line)


def recorded_in(library, seconds=ENOUGH):
    """A capture of `seconds` of CPU in a library that compiled() made."""
    slow = ctypes.CDLL(library).slow_outer
    slow.restype = ctypes.c_double
    values = (ctypes.c_double * COUNT)(*range(COUNT))

    def call():
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            slow(values, ctypes.c_size_t(COUNT), 50)

    return record(call)
