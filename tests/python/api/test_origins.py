"""Heap.allocated(): where live objects were allocated, exactly; and what nobody is to notice of it.

Nothing here comes from a free list of the interpreter's: its block would be older than the object.
"""

import sys
import threading
import tracemalloc
from typing import ClassVar

import pytest

import heaps
import tracer
from allocations import HEAD, KEPT, keep, profiled
from heaps import line_of, row_of
from tracer._core import LineRecorder, find_origins
from tracer.api.origins import Call, Origin, Origins

counted = heaps.counted  # a fixture of all tests here
NOT_KNOWN = "(not known: older than the recording, or of no function of the program)"


class Thing:
    __slots__ = ("held",)


SIZE = sys.getsizeof(Thing())
NAME = f"{__name__}.Thing"


def fill(count, start=0):
    end = start + count
    while start < end:
        KEPT[start] = Thing()
        start += 1


def fill_three():
    KEPT[200] = Thing()
    KEPT[201] = Thing()
    KEPT[202] = Thing()


def test_each_function_has_its_objects():
    KEPT[250] = Thing()
    with tracer.Profile(memory=True):
        fill(100)
        fill_three()
        heap = tracer.heap()
        found = heap.allocated(Thing)
        assert heap.allocated(NAME).rows == found.rows
    assert found.rows == (
        row_of(fill, 100, 100 * SIZE),
        row_of(fill_three, 3, 3 * SIZE),
        Origin(1, SIZE, None, None, None),
    )
    assert (found.count, found.size) == (104, 104 * SIZE)
    assert repr(found) == (
        f"104 objects of {NAME}, {104 * SIZE:,} B, by allocating function\n"
        " index      count   %          size   %  allocated by\n"
        f"     0        100  96 {100 * SIZE:13,}  96  fill, {__file__}:{line_of(fill)}\n"
        f"     1          3   3 {3 * SIZE:13,}   3  fill_three, {__file__}:{line_of(fill_three)}\n"
        f"     2          1   1 {SIZE:13,}   1  {NOT_KNOWN}"
    )
    first, _, _ = repr(found).rpartition("\n")
    assert found.table(2) == f"{first}\n       1 more; table(None) has all"


def test_all_objects_are_in_it():
    with tracer.Profile(memory=True):
        fill(50)
        heap = tracer.heap()
    found = heap.allocated()
    assert (found.count, found.size) == (heap.count, heap.size)
    assert repr(found).startswith(f"{heap.count:,} objects, ")
    for kind in "dict", "str", "int", "tuple", "type":
        of_kind = heap.allocated(kind)
        assert (of_kind.count, of_kind.size) == heap[kind][1:]
    assert row_of(fill, 50, 50 * SIZE) in found.rows


def test_those_with_as_many_bytes_are_sorted_by_count_file_and_line():
    expected = [("c.py", 1, 2), (None, None, 1), ("a.py", 3, 1), ("a.py", 12, 1), ("b.py", 2, 1)]
    places = {
        None if file is None else (file, 1, "f", "f", line): (count, 96)
        for file, line, count in (expected[at] for at in (3, 2, 4, 1, 0))
    }
    rows = Origins.of_places(places, None, is_difference=False).rows
    assert [(row.file, row.line, row.count) for row in rows] == expected


def test_a_type_without_objects_has_no_row():
    with tracer.Profile(memory=True):
        found = tracer.heap().allocated("no.such")
    assert (found.rows, found.count, found.size) == ((), 0, 0)
    assert repr(found) == "0 objects of no.such, 0 B, by allocating function"


def test_a_difference_says_who_made_more():
    with tracer.Profile(memory=True):
        fill(10)
        before = tracer.heap()
        fill_three()
        KEPT[0] = KEPT[1] = None
        found = (tracer.heap() - before).allocated(Thing)
    assert found.rows == (row_of(fill_three, 3, 3 * SIZE), row_of(fill, -2, -2 * SIZE))
    assert repr(found) == (
        f"+1 objects of {NAME}, +{SIZE} B, by allocating function\n"
        " index      count          size  allocated by\n"
        f"     0         +3 {3 * SIZE:+13,}  fill_three, {__file__}:{line_of(fill_three)}\n"
        f"     1         -2 {-2 * SIZE:+13,}  fill, {__file__}:{line_of(fill)}"
    )


def test_what_grew_is_told():
    with tracer.Profile(memory=True):
        tracer.growth()
        fill(10)
        fill_three()
        found = tracer.growth().allocated(Thing)
        assert found.rows == (row_of(fill, 10, 10 * SIZE), row_of(fill_three, 3, 3 * SIZE))
        KEPT[0] = None
        assert tracer.growth().allocated(Thing).rows == ()


def test_a_generator_allocates_where_it_is():
    def made():
        yield Thing()
        yield Thing()

    def take(generator):
        KEPT[0] = next(generator)
        KEPT[1] = next(generator)

    with tracer.Profile(memory=True):
        take(made())
        found = tracer.heap().allocated(Thing)
        calls = tracer.allocated_at(KEPT[1]).calls
    assert found.rows == (row_of(made, 2, 2 * SIZE),)
    assert [call.function.rpartition(".")[2] for call in calls[-3:]] == [
        "take",
        "<built-in method builtins.next>".rpartition(".")[2],
        "made",
    ]


def test_a_thread_that_has_ended_made_it():
    with tracer.Profile(memory=True):
        thread = threading.Thread(target=fill, args=(20,))
        thread.start()
        thread.join()
        fill_three()
        found = tracer.heap().allocated(Thing)
        calls = tracer.allocated_at(KEPT[0]).calls
    assert found.rows == (row_of(fill, 20, 20 * SIZE), row_of(fill_three, 3, 3 * SIZE))
    assert calls[-1].function == "fill"
    assert "test_a_thread_that_has_ended_made_it" not in [call.function for call in calls]


def test_past_the_limit_of_contexts_functions_stay_right():
    class Short(tracer.Profile):
        _limits: ClassVar[dict[str, int]] = {"_node_limit": 1}

    with Short(memory=True, builtins=False):
        fill(10)
        fill_three()
        found = tracer.heap().allocated(Thing)
        place = tracer.allocated_at(KEPT[0]).place
    assert found.rows == (row_of(fill, 10, 10 * SIZE), row_of(fill_three, 3, 3 * SIZE))
    assert place.function == "fill"


def test_code_that_is_left_out_is_part_of_its_caller():
    with tracer.Profile(memory=True, exclude="allocations"):
        keep(10)
        rows = tracer.heap().allocated(bytes).rows
    here = test_code_that_is_left_out_is_part_of_its_caller
    assert row_of(here, 10, 10 * (1000 + HEAD)) in rows


def test_a_block_that_is_used_again_is_of_who_used_it_last():
    with tracer.Profile(memory=True):
        fill(200)
        number = 0
        while number < 200:
            KEPT[number] = None
            number += 1
        fill_three()
        found = tracer.heap().allocated(Thing)
    assert found.rows == (row_of(fill_three, 3, 3 * SIZE),)


# -- Lines ------------------------------------------------------------------------------------


def by_line(function, *recorded):
    """What a call of `function` leaves of Things, by line, where its lines are recorded and those
    of the others."""
    recorder = LineRecorder("memory")
    for one in (function, *recorded):
        recorder.add_code(one.__code__)
    with tracer.Profile(memory=True), recorder:
        function()
        rows = tracer.heap().allocated(Thing).rows
        place = tracer.allocated_at(KEPT[0]).place
    return rows, place


def test_each_line_has_its_objects():
    def work():
        KEPT[0] = Thing()
        KEPT[1], KEPT[2] = Thing(), Thing()
        fill(10, 10)

    rows, place = by_line(work)
    name = work.__qualname__
    assert rows == (
        Origin(10, 10 * SIZE, name, __file__, line_of(work, 3)),
        Origin(2, 2 * SIZE, name, __file__, line_of(work, 2)),
        Origin(1, SIZE, name, __file__, line_of(work, 1)),
    )
    assert place == Call(name, __file__, line_of(work, 1))


def test_the_innermost_line_that_is_recorded_has_them():
    def work():
        KEPT[0] = Thing()
        fill(10, 10)

    rows, _ = by_line(work, fill)
    assert rows == (
        Origin(10, 10 * SIZE, "fill", __file__, line_of(fill, 3)),
        Origin(1, SIZE, work.__qualname__, __file__, line_of(work, 1)),
    )


def test_lines_of_a_thread_are_its_own():
    def work():
        KEPT[0] = Thing()
        thread = threading.Thread(target=fill_three)
        thread.start()
        thread.join()

    rows, _ = by_line(work, fill_three)
    assert set(rows) == {
        Origin(1, SIZE, work.__qualname__, __file__, line_of(work, 1)),
        Origin(1, SIZE, "fill_three", __file__, line_of(fill_three, 1)),
        Origin(1, SIZE, "fill_three", __file__, line_of(fill_three, 2)),
        Origin(1, SIZE, "fill_three", __file__, line_of(fill_three, 3)),
    }


# -- What it is not to do ---------------------------------------------------------------------


def test_it_is_in_no_figure_of_memory():
    def work(look):
        keep(100)
        if look:
            heap = tracer.heap()
            heap.allocated(bytes).table(None)
            tracer.allocated_at(KEPT[0])
            tracer.growth()
        keep(10)

    profiled(work, True)  # which imports what it needs
    KEPT[:] = [None] * len(KEPT)
    seen = []
    for look in (False, True):
        profile = profiled(work, look)
        memory = profile.capture().memory
        rows = profile.getstats()
        assert any(getattr(row.code, "co_name", "") == "keep" for row in rows)
        seen.append((memory.live.bytes, memory.peak.bytes))
        KEPT[:] = [None] * len(KEPT)
    assert abs(seen[0][0] - seen[1][0]) < 1000
    assert abs(seen[0][1] - seen[1][1]) < 1000


def test_it_keeps_nothing_alive():
    with tracer.Profile(memory=True):
        KEPT[0] = [Thing()]
        count = sys.getrefcount(KEPT[0][0])
        heap = tracer.heap()
        found, at = heap.allocated(), tracer.allocated_at(KEPT[0][0])
        after = sys.getrefcount(KEPT[0][0])
        KEPT[0] = None
        assert tracer.heap()[Thing].count == 0
    assert after == count
    assert found.count == heap.count
    assert at.kind == NAME


def test_no_census_counts_it():
    with tracer.Profile(memory=True):
        fill(10)
        before = tracer.heap()
        found = before.allocated()
        after = tracer.heap()
    assert found.count == before.count
    assert (after - before)["tuple"].count == 0
    assert (after - before)["tracer.api.origins.Origins"].count == 0


NOBODY = "enable a Profile\\(memory=True\\)"


def test_without_a_recording_nobody_knows():
    before = tracer.heap()
    with pytest.raises(RuntimeError, match=NOBODY):
        before.allocated(Thing)
    with pytest.raises(RuntimeError, match=NOBODY):
        tracer.allocated_at(before)
    assert find_origins(NAME) is None
    with tracer.Profile(), pytest.raises(RuntimeError, match=NOBODY):
        tracer.heap().allocated(Thing)
    with tracer.Profile(memory=True):
        fill(10)
        during = tracer.heap()
        with pytest.raises(RuntimeError, match=NOBODY):
            (during - before).allocated(Thing)
    with pytest.raises(RuntimeError, match=NOBODY):
        tracer.heap().allocated(Thing)
    assert during.allocated(Thing).rows == (row_of(fill, 10, 10 * SIZE),)


def test_where_another_tool_took_the_hooks_off_nobody_knows():
    tracemalloc.start()
    try:
        with tracer.Profile(memory=True):
            fill(10)
            assert tracer.heap().allocated(Thing).rows == (row_of(fill, 10, 10 * SIZE),)
            tracemalloc.stop()
            assert tracer.heap()[Thing].count == 10
            with pytest.raises(RuntimeError, match=NOBODY):
                tracer.heap().allocated(Thing)
            with pytest.raises(RuntimeError, match=NOBODY):
                tracer.allocated_at(KEPT[0])
    finally:
        tracemalloc.stop()


def test_a_profile_that_begins_anew_knows_nothing_of_before():
    profile = tracer.Profile(memory=True)
    with profile:
        fill(10)
    with profile:
        fill_three()
        found = tracer.heap().allocated(Thing)
        profile.clear()
        fill(5, 100)
        cleared = tracer.heap().allocated(Thing)
    not_known = (None, None, None)
    assert found.rows == (Origin(10, 10 * SIZE, *not_known), row_of(fill_three, 3, 3 * SIZE))
    assert cleared.rows == (Origin(13, 13 * SIZE, *not_known), row_of(fill, 5, 5 * SIZE))


def test_bad_input_is_told():
    with tracer.Profile(memory=True):
        heap = tracer.heap()
    with pytest.raises(TypeError, match=r"allocated\(\) takes a type or its name, not int"):
        heap.allocated(3)
    with pytest.raises(ValueError, match="limit must be 1 or more, not 0"):
        heap.allocated().table(0)
    with pytest.raises(TypeError, match="limit must be a whole number, not str"):
        heap.allocated().table("all")
    with pytest.raises(TypeError, match="name must be a str, not type"):
        find_origins(Thing)


def test_the_page_of_a_running_program_asks_for_one_type():
    assert find_origins(NAME) is None
    with tracer.Profile(memory=True):
        fill(10)
        fill_three()
        found = find_origins(NAME)
        assert find_origins("no.such") == []
    assert sorted((place[3], count, size) for place, count, size in found) == [
        ("fill", 10, 10 * SIZE),
        ("fill_three", 3, 3 * SIZE),
    ]
    assert found[0][0][0] == __file__
