"""Garbage collections of a profile: by the innermost function, and by the latest one of some."""

import gc
import marshal
import threading
import weakref

import pytest

import tracer
from tracer._core import pack_section
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.collected import Collected, Collections, by_function
from tracer.data.capture import Capture
from tracer.data.records import COLLECTIONS, NO_ROW, NODE, OVERFLOW
from tracer.data.section import dumps

pytestmark = pytest.mark.usefixtures("no_collections")

NS = 1e-9  # a tick


def node(caller, function):
    return NODE.pack(caller, function, 1, 0, 0, 0)


# main: work: sort, sort: helper; then helper; functions 0 to 3, and one that is left out, 4
NODES = [(0, NO_ROW), (0, 0), (1, 1), (2, 2), (2, 4), (4, 3), (1, 3)]
MAIN, WORK, SORT, HELPER = range(10, 14)
ROWS = [MAIN, WORK, SORT, HELPER, NO_ROW]


def collections_of(*found, folds=()):
    records = {
        "nodes": b"".join(node(*it) for it in NODES),
        "folds": b"".join(OVERFLOW.pack(*it, 1, 0, 1, 0, 0, 0) for it in folds),
        "collections": b"".join(COLLECTIONS.pack(*it) for it in found),
    }
    return Collections(records, ROWS, NS)


@pytest.mark.parametrize(
    ("at", "row", "below"),
    [
        (0, NO_ROW, NO_ROW),  # where no function ran
        (1, MAIN, MAIN),
        (2, WORK, WORK),
        (3, SORT, WORK),
        (4, WORK, WORK),  # left out: its caller stands for it
        (5, HELPER, WORK),
        (6, HELPER, MAIN),
    ],
)
def test_of_a_context(at, row, below):
    collections = collections_of((at, 0, 3, 70, 40))
    found = collections.below({MAIN, WORK}.__contains__)
    assert list(found) == [Collected(row, below, 3, 70, 40)]


def test_contexts_do_not_mislead_each_other():
    collections = collections_of(*((at, 0, 1, 1, 1) for at in (5, 3, 6, 0, 1, 5, 2)))
    found = [(one.row, one.below) for one in collections.below({WORK}.__contains__)]
    assert found == [
        (HELPER, WORK),
        (SORT, WORK),
        (HELPER, NO_ROW),
        (NO_ROW, NO_ROW),
        (MAIN, NO_ROW),
        (HELPER, WORK),
        (WORK, WORK),
    ]


@pytest.mark.parametrize(
    ("fold", "row", "below"),
    [
        ((1, 2), SORT, WORK),
        ((2, 1), WORK, WORK),
        ((2, 3), HELPER, NO_ROW),
        ((NO_ROW, 3), HELPER, NO_ROW),
        ((1, 4), WORK, WORK),
        ((4, 4), NO_ROW, NO_ROW),
    ],
)
def test_of_calls_whose_path_was_not_kept(fold, row, below):
    collections = collections_of((1, 1, 2, 5, 4), folds=[(0, 0), fold])
    assert list(collections.below({WORK}.__contains__)) == [Collected(row, below, 2, 5, 4)]


def test_without_collections_nothing_is_looked_at():
    def never(row):
        raise AssertionError

    assert list(Collections({"collections": b""}, (), NS).below(never)) == []


class Garbage:
    def __init__(self, ticks):
        self.itself = self
        kept.append(weakref.ref(self, ticks.append))


kept = []
ticks = []  # of the clock; a collection adds one for each piece of garbage


def sort(pieces):
    for _ in range(pieces):
        Garbage(ticks)
    gc.collect()


def work():
    sort(2)
    ticks.append(None)
    helper()


def helper():
    sort(5)
    sort(0)
    gc.collect(0)


@pytest.fixture
def profile():
    return tracer.Profile(lambda: len(ticks), NS, builtins=False)


def found_in(stats, *functions):
    """{(name, name): (collections, nanoseconds, longest)} below these functions."""
    paths = paths_of(stats)
    names = [row.name for row in paths.rows]
    names_of = dict(enumerate(names)) | {NO_ROW: ""}
    found = paths.collected(lambda row: names[row] in functions)
    assert [it.time for it in found] == sorted((it.time for it in found), reverse=True)
    merged = paths.merged().collections
    assert by_function(merged, lambda row: names[row] in functions) == found
    return {(names_of[it.row], names_of[it.below]): tuple(it[2:]) for it in found}


def test_of_a_profile(profile):
    profile.runcall(work)
    stats = tracer.Stats(profile)
    assert found_in(stats, "work", "helper") == {
        ("sort", "helper"): (2, 5, 5),
        ("sort", "work"): (1, 2, 2),
        ("helper", "helper"): (1, 0, 0),
    }
    assert found_in(stats) == {("sort", ""): (3, 7, 5), ("helper", ""): (1, 0, 0)}
    stats.strip_dirs()
    assert found_in(stats) == {("sort", ""): (3, 7, 5), ("helper", ""): (1, 0, 0)}


def test_threads_are_added_up(profile):
    with profile:
        for _ in range(3):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    stats = tracer.Stats(profile)
    assert found_in(stats) == {("sort", ""): (9, 21, 5), ("helper", ""): (3, 0, 0)}
    found = [found_in(alone) for alone in stats.by_thread()]
    assert [it for it in found if it] == [{("sort", ""): (3, 7, 5), ("helper", ""): (1, 0, 0)}] * 3


def test_files_keep_them_and_so_do_merged_ones(profile, tmp_path):
    profile.runcall(work)
    found = found_in(tracer.Stats(profile), "work")
    one, two = str(tmp_path / "one.out"), str(tmp_path / "two.out")
    profile.dump_stats(one)
    assert found_in(tracer.Stats(one), "work") == found
    tracer.Stats(one, profile).dump_stats(two)
    twice = {at: (2 * number, 2 * time, longest) for at, (number, time, longest) in found.items()}
    assert found_in(tracer.Stats(two), "work") == twice
    assert found_in(tracer.Stats(Capture(profile.snapshot())), "work") == found


def test_an_older_file_has_none(profile, tmp_path):
    profile.runcall(work)
    section = tracer.Stats(profile).captures[0].section()
    section["threads"] = tuple(
        {key: value for key, value in thread.items() if key != "collections"}
        for thread in section["threads"]
    )
    (tmp_path / "old.out").write_bytes(dumps(section))
    stats = tracer.Stats(tmp_path / "old.out")
    assert found_in(stats) == {}
    assert stats.stats == tracer.Stats(profile).stats


@pytest.mark.parametrize("records", [COLLECTIONS.pack(2**31, 0, 1, 1, 1), b"?"])
def test_a_damaged_file(profile, tmp_path, records):
    profile.runcall(work)
    section = tracer.Stats(profile).captures[0].section()
    section["threads"] = ({**section["threads"][0], "collections": records},)
    payload = marshal.dumps(section, 4)
    path = tmp_path / "damaged.out"
    path.write_bytes(marshal.dumps({}, 4) + pack_section(payload) + payload)
    with pytest.raises(tracer.ProfileFormatError):
        tracer.Stats(path)


def test_memory_and_native_samples_have_none(profile):
    both = tracer.Profile(memory=True, timeline=True, builtins=False)
    both.runcall(work)
    assert found_in(tracer.Stats(both))
    assert found_in(tracer.Stats(both).seen_by("allocated")) == {}
