"""Profiles of samples in the exports: samples and counts are values of their own, and say how far
to trust them."""

import csv
import io
import json

import pytest

import tracer
from formats.folded import read_folded
from formats.pprof import Pprof
from formats.speedscope import read_speedscope
from made_samples import captured
from tracer.exports.export import FORMATS, Export

PATHS = {"main": 125, "main;load": 1250, "main;load;parse": 1000, "main;tidy": 125}
COUNTS = {"main": 1, "load": 40, "parse": "7000+"}
EDGES = {";main": 1, "main;load": 40, "load;parse": 7000}
MS = 1_000_000


def exported(name, **facts):
    stats = tracer.Stats(captured(PATHS, COUNTS, EDGES, **facts))
    out = io.BytesIO()
    Export(stats, name).write(out, title="work")
    return out.getvalue()


def test_json():
    found = json.loads(exported("json"))
    assert found["sampled"] == {
        "time_ns": 10_000 * MS, "samples": 2500, "effective_samples": 2500.0, "slowdown": 0.1,
    }  # fmt: skip
    assert {it["name"]: it["calls"] for it in found["functions"]} == {
        "main": {"calls": 1, "is_exact": True}, "load": {"calls": 40, "is_exact": True},
        "parse": {"calls": 7000, "is_exact": False}, "tidy": None,
    }  # fmt: skip
    [thread] = found["threads"]
    assert sum(thread["nodes"]["time_ns"]) == 10_000 * MS
    assert set(thread["nodes"]) == {"depth", "function", "time_ns"}
    of = {found["functions"][it["function"]]["name"]: it for it in thread["figures"]}
    assert (of["parse"]["ncalls"], of["tidy"]["ncalls"]) == (7000, None)
    unknown = ("primitive", "resumes", "suspended_ns", "waited_ns", "longest_ns", "longest_at_ns")
    assert {of["load"][figure] for figure in unknown} == {None}


def test_csv():
    rows = {it["name"]: it for it in csv.DictReader(io.StringIO(exported("csv").decode()))}
    assert {name: (it["ncalls"], it["counted"]) for name, it in rows.items()} == {
        "main": ("1", "exact"), "load": ("40", "exact"), "parse": ("7000", "at least"),
        "tidy": ("", ""),
    }  # fmt: skip
    unknown = ("primitive", "resumes", "suspended", "waited", "longest", "longest_at")
    assert {rows["load"][column] for column in unknown} == {""}
    assert float(rows["load"]["tottime_error"]) == pytest.approx(0.2)
    assert float(rows["load"]["cumtime_error"]) == pytest.approx(0.12)


def test_pprof_has_samples_cpu_and_calls():
    found = Pprof(exported("pprof"))
    assert found.kinds == [("samples", "count"), ("cpu", "nanoseconds"), ("calls", "count")]
    values = {}
    for path, numbers, _ in found.samples:
        known = values.get(path, (0, 0, 0))
        values[path] = tuple(a + b for a, b in zip(known, numbers, strict=True))
    names = {tuple(name.rpartition(".")[2] for name in path): it for path, it in values.items()}
    assert names == {
        ("main",): (125, 500 * MS, 1), ("main", "load"): (1250, 5000 * MS, 40),
        ("main", "load", "parse"): (1000, 4000 * MS, 0), ("main", "tidy"): (125, 500 * MS, 0),
        ("load", "parse"): (0, 0, 7000),
    }  # fmt: skip


def test_paths_have_their_time():
    folded = read_folded(exported("folded"))
    assert sum(dict(folded).values()) == 10_000 * MS
    assert read_speedscope(exported("speedscope"))


@pytest.mark.parametrize(
    "name", [it for it in FORMATS if FORMATS[it].needs in ("paths", "functions")]
)
def test_every_format_takes_them(name):
    assert exported(name)
