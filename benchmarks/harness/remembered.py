"""Run the body of one program under what records memory, and print as JSON what that takes.

    times PROGRAM TURNS PROFILER...   {profiler: [seconds of the processor]}
    counts PROGRAM                    {"bare": .., "tracer": ..}: allocations
    peak PROGRAM tracer|memray        the most bytes that were live
    resident SIZE PROFILER            {"resident": bytes, "blocks": ..}: of many live blocks of SIZE
                                      bytes, or "mixed", by "tracer" or "tracer memory"

memory.py starts this script afresh for each. A process that takes times runs the body with the
profilers in turns, so that noise of the machine falls on all of them.
"""

import gc
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from time import process_time

from harness.figures import rotated
from harness.profilers import available
from harness.programs import PROGRAMS
from harness.report import complain

BLOCKS = 400_000  # that are live while resident memory is read
MIXED = "mixed"


def times(program, turns, *names):
    """Seconds of the processor that the body took, turn by turn. The first run has made what a
    program makes only once."""
    body = PROGRAMS[program].load()
    profilers = available(list(names))
    body()
    seconds = {profiler.name: [] for profiler in profilers}
    for turn in range(int(turns)):
        for profiler in rotated(profilers, turn):
            start, stop = profiler.make()
            gc.collect()
            start()
            began = process_time()
            body()
            seconds[profiler.name].append(process_time() - began)
            stop()
    return seconds


def recorded(body, **options):
    """A profile of the body, memory included."""
    from tracer import Profile

    profile = Profile(memory=True, **options)
    gc.collect()
    profile.enable()
    body()
    profile.disable()
    return profile


def allocations(profile):
    """How many there were, in all."""
    from tracer import Stats

    memory = profile.capture().memory
    rows = Stats(profile).seen_by("allocated").stats.values()
    others = memory.outside["allocated"].blocks + memory.other["allocated"].blocks
    return sum(row[1] for row in rows) + others


def counts(program):
    body = PROGRAMS[program].load()
    available(["floor"])  # the counter is in the same folder
    try:
        counter = importlib.import_module("bench_counter")
    except ImportError:
        complain("bench_counter is missing, allocations are not counted (`make bench-memory`)")
        return None
    body()
    gc.collect()
    counter.start()
    body()
    bare = counter.stop()
    return {"bare": bare, "tracer": allocations(recorded(body))}


def peak_of_memray(body):
    """The most bytes that were live at once, by a walk over memray's own records. Those that have
    no size of a request, of whole pages that allocators take, are left out."""
    from memray import AllocatorType, FileReader, Tracker

    pages = {AllocatorType.MMAP, AllocatorType.MUNMAP}
    frees = {AllocatorType.FREE, AllocatorType.PYMALLOC_FREE}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "memray.bin")
        gc.collect()
        with Tracker(path, trace_python_allocators=True):
            body()
        sizes, live, peak = {}, 0, 0
        for record in FileReader(path).get_allocation_records():
            if record.allocator in pages:
                continue
            live -= sizes.pop(record.address, 0)
            if record.allocator not in frees:
                sizes[record.address] = record.size
                live += record.size
                peak = max(peak, live)
    return peak


def peak(program, profiler):
    body = PROGRAMS[program].load()
    body()
    if profiler == "memray":
        return peak_of_memray(body)
    return recorded(body).capture().memory.peak.bytes


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def blocks_of(size):
    """A function that makes many live blocks of so many bytes; "mixed": those of heap.py."""
    if size == MIXED:
        return PROGRAMS["heap"].load()
    length = int(size) - sys.getsizeof(b"")

    def fill():
        kept = [None] * BLOCKS
        number = 0
        while number < BLOCKS:
            kept[number] = bytes(length)
            number += 1
        return kept

    return fill


def resident(size, profiler):
    """The resident bytes that live blocks take, with what records them."""
    from tracer import Profile

    fill = blocks_of(size)
    profile = Profile(memory=profiler == "tracer memory")
    gc.collect()
    gc.disable()
    before = resident_bytes()
    profile.enable()
    kept = fill()
    profile.disable()
    after = resident_bytes()
    memory = profile.capture().memory
    blocks = BLOCKS if memory is None else memory.live.blocks
    assert kept is not None
    return {"resident": after - before, "blocks": blocks}


WHAT = {"times": times, "counts": counts, "peak": peak, "resident": resident}


if __name__ == "__main__":
    print(json.dumps(WHAT[sys.argv[1]](*sys.argv[2:])))
