"""Exports hold the numbers of Stats, to the nanosecond.

test_exports_contract.py has what every format owes, test_exports_odd.py what is odd,
test_exports_callgrind.py callgrind. tests/readers asks the programs that the formats are for.
"""

import csv
import io
import json
import marshal
import re

import pytest

import tracer
from exporting import (
    export_of,
    exported,
    names_in_callgrind,
    nanoseconds,
    paths_by_hand,
    qualified,
    recorded,
    tree_of,
)
from formats.callgrind import read_callgrind
from formats.folded import read_folded
from formats.pprof import Pprof
from formats.speedscope import read_speedscope
from places import ROOT
from tracer._core import LineRecorder
from tracer.analysis.tree.call_tree import NO_ROW, paths_of
from tracer.analysis.tree.edges import Edge
from tracer.exports.export import Export


@pytest.fixture(scope="module")
def profile():
    return recorded()


@pytest.fixture(scope="module")
def stats(profile):
    return qualified(profile)


def own_times(stats):
    """{label: nanoseconds}, of functions that have any."""
    return {label: nanoseconds(row[2]) for label, row in stats.stats.items() if row[2]}


def by_last_frame(paths):
    """{function: time} of {path: time}."""
    total = {}
    for path, time in paths.items():
        total[path[-1]] = total.get(path[-1], 0) + time
    return total


def below(paths):
    """{function: time} of {path: time}, with all that it called, recursion counted once."""
    total = {}
    for path, time in paths.items():
        for function in set(path):
            total[function] = total.get(function, 0) + time
    return total


def test_folded(stats, profile):
    found = read_folded(export_of(profile, "folded"))
    assert {path[0] for path in found} == {"MainThread"}
    assert by_last_frame(found) == {
        f"{label[2]} (exporting:{label[1]})": time for label, time in own_times(stats).items()
    }


def test_the_size_is_known_before(profile):
    stats = qualified(profile)
    paths = paths_of(stats)
    assert Export(stats, "json", paths=paths).size() is None
    assert Export(stats, "folded", paths=paths).size() == len(exported(paths, "folded"))
    assert 0 < Export(stats, "pprof", paths=paths).size() < 10_000


def test_speedscope(stats, profile):
    [(thread, found)] = read_speedscope(export_of(profile, "speedscope"))
    assert thread == "MainThread"
    assert sum(found.values()) == nanoseconds(stats.total_tt)
    names = {}
    for label, time in own_times(stats).items():
        names[label[2]] = names.get(label[2], 0) + time
    assert by_last_frame(found) == names


def test_pprof(stats, profile):
    found = Pprof(export_of(profile, "pprof"))
    assert found.kinds == [("calls", "count"), ("wall", "nanoseconds")]
    assert found.texts[found.about[14]] == "wall"
    calls, times = {}, {}
    for path, (called, time), labels in found.samples:
        assert labels["thread"] == "MainThread"
        calls[path] = calls.get(path, 0) + called
        times[path] = times.get(path, 0) + time
    names = {label: f"exporting.{name}" for label, name in names_in_callgrind(stats).items()}
    rows = {names[label]: row for label, row in stats.stats.items()}
    assert by_last_frame(calls) == {name: row[1] for name, row in rows.items()}
    assert by_last_frame(times) == {name: nanoseconds(row[2]) for name, row in rows.items()}
    assert below(times) == {name: nanoseconds(row[3]) for name, row in rows.items()}
    lines = {found.name(f[1]): f[5] for f in found.functions.values()}
    assert lines == {names[label]: label[1] for label in stats.stats}


def test_pprof_of_cpu_time_says_so():
    profile = tracer.Profile(timer="cpu", threads=False)
    profile.record_call(sorted, [1])
    profile.disable()
    found = Pprof(export_of(profile, "pprof"))
    assert found.kinds[1] == ("cpu", "nanoseconds")


def test_pprof_of_one_profile_is_always_the_same(profile):
    data = export_of(profile, "pprof")
    assert data == export_of(profile, "pprof")
    assert data[4:8] == bytes(4)  # when it was packed


def test_pprof_tells_when_it_was_and_how_long_it_took():
    profile = recorded()
    runs = [tracer.RunInfo((), began, 0.25, 0.0, 0.0, 0) for began in (1.75e9, 1.5e9)]
    stats = tracer.Stats(*(profile.capture(run) for run in runs), names="qualname")
    about = Pprof(exported(paths_of(stats), "pprof", stats)).about
    assert (about[9], about[10]) == (1_500_000_000 * 10**9, 500_000_000)


def test_pprof_of_what_has_neither_calls_nor_time():
    """Such a node is no sample, but on the path of one."""
    paths = paths_by_hand(["a", "b"], tree_of([(1, 0, 0, 0), (2, 1, 1, 8)]))
    [(path, figures, _)] = Pprof(exported(paths, "pprof")).samples
    assert (path, figures) == (("main.a", "main.b"), (1, 8))


def test_pstats(profile):
    plain = tracer.Stats(profile)
    path = io.BytesIO(exported(paths_of(plain), "pstats", plain))
    assert marshal.load(path) == plain.stats
    assert path.read() == b""


def test_csv(stats, profile):
    rows = list(csv.DictReader(io.StringIO(export_of(profile, "csv").decode(), newline="")))
    assert [nanoseconds(float(row["cumtime"])) for row in rows] == sorted(
        (nanoseconds(row[3]) for row in stats.stats.values()), reverse=True
    )
    for row in rows:
        label = row["file"], int(row["line"]), row["name"]
        primitive, ncalls, tottime, cumtime, _ = stats.stats[label]
        assert row["module"] == "exporting"
        assert (int(row["ncalls"]), int(row["primitive"])) == (ncalls, primitive)
        assert float(row["tottime"]) == pytest.approx(tottime)
        assert float(row["cumtime"]) == pytest.approx(cumtime)
        resumes = stats.resumes.get(label)
        assert int(row["resumes"]) == (resumes.total if resumes else 0)
        assert float(row["suspended"]) == pytest.approx(resumes.suspended if resumes else 0)
    assert len(rows) == len(stats.stats)


def test_json(stats, profile):
    document = json.loads(export_of(profile, "json"))
    assert (document["format"], document["estimated"]) == (1, None)
    [thread] = document["threads"]
    labels = [(f["file"], f["line"], f["name"]) for f in document["functions"]]
    found = {labels[figures["function"]]: figures for figures in thread["figures"]}
    for label, (primitive, ncalls, tottime, cumtime, _) in stats.stats.items():
        figures = found[label]
        assert (figures["ncalls"], figures["primitive"]) == (ncalls, primitive)
        assert figures["tottime_ns"] == nanoseconds(tottime)
        assert figures["cumtime_ns"] == nanoseconds(cumtime)
    nodes = thread["nodes"]
    assert {len(column) for column in nodes.values()} == {len(nodes["depth"])}
    assert nodes["depth"][0] == 1
    assert sum(nodes["time_ns"]) == nanoseconds(stats.total_tt)
    assert sum(nodes["calls"]) == stats.total_calls
    assert thread["edges"] == []


def keys_of(value, path=""):
    """The keys of a document, those of objects in lists as `list[].key`."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield from keys_of(item, f"{path}[].")
        return
    for key, inner in value.items():
        found = list(keys_of(inner, f"{path}{key}")) if isinstance(inner, list) else []
        if isinstance(inner, dict):
            found = list(keys_of(inner, f"{path}{key}."))
        yield from found or [f"{path}{key}"]


def test_json_is_written_down():
    page = ROOT / "docs" / "guide" / "exports.md"
    text = page.read_text().partition("\n## json\n")[2]
    rows = [line.split("|")[1] for line in text.partition("\n## ")[0].splitlines() if "|" in line]
    documented = {key for row in rows for key in re.findall(r"`([^`]+)`", row)}
    tree = tree_of([(1, 0, 1, 5)])
    tree.edges = [Edge(NO_ROW, 0, 1, 1, 0, 2, 3), Edge(0, 0, 1, 1, 0, 2, 3)]
    document = json.loads(exported(paths_by_hand(["a"], tree), "json"))
    with tracer.StepProfiler() as profiler:
        profiler.step()
    steps = json.loads(export_of(profiler.stats.captures[0], "json"))["steps"]
    lines = LineRecorder("memory")
    lines.add_code(nanoseconds.__code__)
    with tracer.Profile(memory=True) as profile, lines:
        nanoseconds(0.5)
    capture = profile.capture()
    capture.memory_data["lines"] = lines.snapshot()
    of_memory = json.loads(export_of(capture, "json"))
    function = {**document["functions"][0], **of_memory["functions"][0]}
    of_memory = {key: of_memory[key] for key in ("memory", "lines")}
    whole = {**document, "steps": steps, "functions": [function], **of_memory}
    assert set(keys_of(whole)) == documented
    callers = [edge["caller"] for edge in document["threads"][0]["edges"]]
    assert callers == [None, 0]


def test_threads_are_told_apart_by_their_names():
    """Threads of one name count as one: so runs of one program add up."""
    paths = paths_by_hand(
        ["work", "more"],
        tree_of([(1, 0, 2, 30)], "MainThread", 11),
        tree_of([(1, 0, 3, 50)], "pool", 12),
        tree_of([(1, 0, 4, 70), (2, 1, 1, 5)], "pool", 13),
        tree_of([], "idle", 14),
    )
    times = {
        ("MainThread", "work (main:1)"): 30,
        ("pool", "work (main:1)"): 120,
        ("pool", "work (main:1)", "more (main:2)"): 5,
    }
    assert read_folded(exported(paths, "folded")) == times
    document = exported(paths, "speedscope")
    assert read_speedscope(document) == [
        ("MainThread", {("work",): 30}),
        ("pool", {("work",): 120, ("work", "more"): 5}),
        ("idle", {}),
    ]
    assert json.loads(document)["activeProfileIndex"] == 1
    samples = Pprof(exported(paths, "pprof")).samples
    assert [(values, labels) for _, values, labels in samples] == [
        ((2, 30), {"thread": "MainThread", "thread_id": 11}),
        ((3, 50), {"thread": "pool", "thread_id": 12}),
        ((4, 70), {"thread": "pool", "thread_id": 13}),
        ((1, 5), {"thread": "pool", "thread_id": 13}),
    ]
    calls, own = read_callgrind(exported(paths, "callgrind"))
    assert (own["work"], calls["<program>", "work"]) == (150, (9, 155))
    threads = json.loads(exported(paths, "json"))["threads"]
    assert [thread["ident"] for thread in threads] == [11, 12, 13, 14]
