"""A line recorder that is dropped while it records, holds beside enable(), code with odd names."""

import marshal
import sys

import pytest

import tracer
from launch import plain
from rows import Clock
from tracer._core import LineRecorder


def leaf():
    return 1


def hits(recorder):
    snapshot = recorder.snapshot()
    lines = tracer.Lines([snapshot]).functions
    return sum(line.hits for function in lines for line in function.lines)


@pytest.mark.parametrize("again", ["", "    def __del__(self): self.enable()\n"])
def test_it_is_dropped_while_it_records(again):
    """Its finalizer may be the program's, and may enable the recorder once more."""
    code = (
        "import gc, sys\n"
        "from tracer._core import LineRecorder\n"
        "class Dropped(LineRecorder):\n"
        "    def __del__(self): pass\n"
        f"{again}"
        "for cycle in False, True:\n"
        "    recorder = Dropped()\n"
        "    recorder.add_code(gc.collect.__class__ and (lambda: 1).__code__)\n"
        "    recorder.enable()\n"
        "    if cycle: recorder.itself = recorder\n"
        "    del recorder\n"
        "    gc.collect()\n"
        "if hasattr(sys, 'monitoring'):\n"
        "    assert [sys.monitoring.get_tool(i) for i in range(2, 6)] == [None] * 4\n"
        "else:\n"
        "    assert sys.gettrace() is None\n"
    )
    found = plain("-c", code, flags=["-X", "dev"])
    assert (found.returncode, found.stderr) == (0, b"")


def test_holds_beside_enable_and_disable():
    recorder = LineRecorder()
    recorder.add_code(leaf.__code__)
    recorder.hold()
    recorder.disable()
    leaf()
    recorder.hold()
    leaf()
    recorder.release()
    leaf()
    assert hits(recorder) == 1
    recorder.enable()
    recorder.hold()
    recorder.release()
    leaf()
    recorder.disable()
    leaf()
    assert hits(recorder) == 2
    recorder.hold()
    recorder.__init__()
    assert not recorder.enabled
    recorder.release()
    recorder.hold()
    assert recorder.enabled
    recorder.disable()


def test_names_are_plain_strings():
    class Name(str):
        pass

    odd = leaf.__code__.replace(co_name=Name("odd"), co_filename=Name("odd.py"))
    recorder = LineRecorder()
    recorder.add_code(odd)
    marshal.dumps(recorder.snapshot())
    profile = tracer.Profile()
    profile.record_call(exec, odd)
    profile.disable()
    marshal.dumps(profile.snapshot())


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf"), 1e300])
def test_costs_that_make_no_sense(cost):
    with pytest.raises(ValueError, match=r"^costs must be "):
        LineRecorder(costs=(0.0, cost, 0.0))


@pytest.mark.parametrize("place", range(3))
def test_a_unit_that_no_cost_can_be_counted_in(place):
    """The largest cost that there is in the smallest units that hold it, and in smaller ones."""
    costs = tuple(1000.0 if at == place else 0.0 for at in range(3))
    LineRecorder(Clock(), 1000.0 / 2**62, costs=costs)
    for timeunit in (1000.0 / 2**63, 5e-324):
        with pytest.raises(ValueError, match=r"^timeunit is too small: "):
            LineRecorder(Clock(), timeunit, costs=costs)


def test_a_code_object_of_too_many_lines():
    space = {}
    exec(
        compile("def f():\n    x = 1\n" + "\n" * 1_100_000 + "    return x\n", "<far>", "exec"),
        space,
    )
    recorder = LineRecorder()
    recorder.add_code(space["f"].__code__)
    with recorder:
        space["f"]()
    assert recorder.snapshot()["left_out"] == 1
    assert sys.getrefcount(space["f"].__code__) < 100
