"""Which objects a census lists: those of all generations of the collector, whatever the program did
to the module gc, and without a word to the program's audit hooks."""

import gc
import subprocess
import sys

import pytest

import tracer

LISTS_RINGS = sys.version_info < (3, 12)  # later, the interpreter itself visits the objects


class Thing:
    pass


NAME = f"{__name__}.Thing"


@pytest.fixture(autouse=True)
def nothing_is_collected():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_objects_of_all_generations_count():
    before = tracer.heap()
    kept = [[Thing()], None, None]
    gc.collect(1)
    kept[1] = [Thing(), Thing()]
    gc.collect(0)
    kept[2] = [Thing(), Thing(), Thing()]
    assert (tracer.heap() - before)[NAME].count == 6
    assert len(tracer.heap().of(Thing, 10)) == 6
    gc.collect()
    assert (tracer.heap() - before)[NAME].count == 6


@pytest.mark.parametrize("thresholds", [(0, 0, 0), (123, 4, 5), (2_000_000_000, 1, 1)])
def test_thresholds_of_the_program_make_no_difference(thresholds):
    usual = gc.get_threshold()
    gc.set_threshold(*thresholds)
    try:
        before = tracer.heap()
        kept = [Thing(), Thing()]
        assert (tracer.heap() - before)[NAME].count == len(kept)
    finally:
        gc.set_threshold(*usual)


def test_without_the_rings_there_is_the_list(monkeypatch):
    kept = [Thing(), Thing(), Thing()]
    by_rings = tracer.heap()
    monkeypatch.setattr(gc, "get_threshold", lambda: (1, 2, 3))
    by_list = tracer.heap()
    assert by_list[NAME].count == by_rings[NAME].count == len(kept)
    monkeypatch.setattr(gc, "get_objects", list)
    if LISTS_RINGS:
        with pytest.raises(RuntimeError, match="get_objects is not the interpreter's own"):
            tracer.heap()
    else:
        assert tracer.heap()[NAME].count == len(kept)


def test_the_list_of_the_module_gc_does_not_matter(monkeypatch):
    kept = [Thing(), Thing()]
    monkeypatch.setattr(gc, "get_objects", list)
    assert tracer.heap()[NAME].count == len(kept)


def test_objects_count_though_nobody_has_imported_gc(monkeypatch):
    """The walk asks that module up to 3.11, and may not import it once it has begun."""
    from tracer._core import count_objects, find_objects

    kept = [Thing(), Thing()]
    monkeypatch.delitem(sys.modules, "gc")
    types, _, _ = count_objects()
    assert [row[2] for row in types if row[:2] == (__name__, "Thing")] == [len(kept)]
    sys.modules.pop("gc", None)
    assert len(find_objects(NAME, 10)) == len(kept)


AUDITED = """
import gc, sys, tracer
kept = [object() for _ in range(10)]
tracer.heap(), tracer.why(kept[3]), tracer.growth()
told = []
sys.addaudithook(lambda event, words: told.append(event))
tracer.heap(), tracer.why(kept[3]), tracer.heap().of("list", 3), tracer.growth()
told, seen = [], told
print([event for event in seen if event.startswith("gc.")])
gc.get_objects()
print(told)
"""


def test_no_audit_hook_is_told():
    done = subprocess.run([sys.executable, "-c", AUDITED], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == "[]\n['gc.get_objects']\n"
