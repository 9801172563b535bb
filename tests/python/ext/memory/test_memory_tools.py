"""Memory is recorded beside a tool with hooks of its own on Python's allocators, which takes blocks
for itself: allocating.c. No hook comes twice into a chain, and the chain is known to reach tracer.
"""

import pytest

from clibrary import compiled
from survival import survives

PROGRAM = """
import ctypes, tracemalloc
from allocations import HEAD, drop, keep, shares
from tracer._core import find_origin

tool = ctypes.PyDLL({library!r})

def made():
    return bytearray(1000)

def live(profile):
    return shares(profile, "live").get("keep", (0, 0))[:2]


gc.disable()
profile = tracer.Profile(memory=True)
"""


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """begun(program): the same after PROGRAM."""
    library = str(compiled(tmp_path_factory.mktemp("allocating"), "allocating"))

    def run(program):
        survives(PROGRAM.format(library=library) + program)

    return run


def test_a_tool_on_top_takes_blocks_for_itself(begun):
    """The latest block that tracer was told of is the tool's then, not the one that was asked for.
    Where objects were allocated stays known."""
    begun("""
with profile:
    tool.allocating_start()
    found = made()
    origin = find_origin(found)
    again = find_origin(found)
    tool.allocating_stop()
assert origin is not None and again is not None
assert origin[3][2] == "made", origin
assert profile.capture().memory.cut_off is None
still_works(profile)
""")


def test_it_begins_anew_below_that_tool(begun):
    """The hooks stayed below the tool: another one on top would call itself for ever."""
    begun("""
profile.enable()
tool.allocating_start()
profile.disable()
profile.clear()
profile.enable()
keep(1)
tool.allocating_stop()
keep(10)
profile.disable()
assert live(profile) == (10 * (1000 + HEAD), 10), live(profile)
assert profile.capture().memory.cut_off is None
still_works(profile)
""")


def test_a_tool_puts_the_hooks_back_that_came_off(begun):
    """It noted them when they were on. They are not what comes below themselves."""
    begun("""
tracemalloc.start()
profile.enable()
tool.allocating_start()
tracemalloc.stop()       # takes tracer's hooks off, and the tool's
profile.disable()
profile.enable()
profile.disable()        # the hooks came off as they went on
tool.allocating_stop()   # those that were over tracemalloc's are back
profile.clear()
with profile:
    keep(10)
assert live(profile) == (10 * (1000 + HEAD), 10), live(profile)
assert profile.capture().memory.cut_off is None
still_works(profile)
""")
