"""Memory in the exports: exact bytes of a program that is known to the byte, in every format.

bytes(n) is one block of n + 33 bytes.
"""

import csv
import gc
import io
import json

import pytest

import tracer
from formats.folded import read_folded
from formats.pprof import Pprof
from formats.speedscope import read_speedscope
from launch import traced
from tracer.exports.export import FORMATS, Export

KEPT = [None] * 200
BIG, SMALL, THROWN = 100_000 + 33, 1000 + 33, 2000 + 33


def big():
    KEPT[0] = bytes(100_000)


def small():
    place = 1
    while place < 101:
        KEPT[place] = bytes(1000)
        place += 1


def thrown():
    count = 0
    while count < 50:
        bytes(2000)
        count += 1


def drop():
    KEPT[0] = None


def work():
    big()
    small()
    thrown()
    drop()


@pytest.fixture(scope="module")
def profile():
    gc.collect()
    gc.disable()
    profile = tracer.Profile(memory=True)
    profile.runcall(work)
    gc.enable()
    KEPT[:] = [None] * len(KEPT)
    return profile


def exported(profile, name, **options):
    out = io.BytesIO()
    Export(tracer.Stats(profile), name, **options).write(out, title="work")
    return out.getvalue()


def named(found):
    """{name: figure} of the functions here, by the innermost frame of each path."""
    return {path[-1].partition(" (")[0].rpartition(".")[2]: figure for path, figure in found}


EXPECTED = {
    "big": (BIG, 1, 0, 0, 0, BIG, 1, 0, 0),
    "small": (100 * SMALL, 100, 0, 100 * SMALL, 100, 100 * SMALL, 100, 0, 0),
    "thrown": (50 * THROWN, 50, 50 * THROWN, 0, 0, THROWN, 1, 50, 50 * THROWN),
    "drop": (0, 0, BIG, 0, 0, 0, 0, 0, 0),
}
COLUMNS = [
    "allocated_bytes",
    "allocations",
    "freed_bytes",
    "live_bytes",
    "live_blocks",
    "peak_bytes",
    "peak_blocks",
    "temporary",
    "temporary_bytes",
]


def test_json_has_the_memory_of_each_function(profile):
    found = json.loads(exported(profile, "json"))
    functions = {it["name"]: it["memory"] for it in found["functions"]}
    assert list(functions["big"]) == COLUMNS
    assert {name: tuple(functions[name].values()) for name in EXPECTED} == EXPECTED


def test_json_has_the_memory_of_the_whole(profile):
    found = json.loads(exported(profile, "json"))["memory"]
    memory = profile.capture().memory
    assert (found["peak_bytes"], found["peak_blocks"]) == memory.peak
    assert (found["live_bytes"], found["live_blocks"]) == memory.live
    assert found["peak_bytes"] >= BIG + 100 * SMALL + THROWN
    assert found["peak_rss_bytes"] == memory.resident
    assert found["lost_allocations"] == 0
    (run,) = found["runs"]
    assert run["cut_off_ns"] is None
    points = list(memory.curve())
    curve = run["curve"]
    assert curve["at_ns"] == [round(it.at * 1e9) for it in points]
    assert curve["least_bytes"] == [it.least for it in points]
    assert curve["most_bytes"] == [it.most for it in points]
    assert curve["last_bytes"] == [it.last for it in points]
    assert curve["rss_bytes"] == [it.resident or None for it in points]


def test_csv_has_the_same_columns(profile):
    rows = list(csv.DictReader(exported(profile, "csv").decode().splitlines()))
    assert list(rows[0])[-len(COLUMNS) :] == COLUMNS
    found = {it["name"]: tuple(int(it[name]) for name in COLUMNS) for it in rows}
    assert {name: found[name] for name in EXPECTED} == EXPECTED


@pytest.mark.parametrize("name", ["json", "csv"])
def test_nothing_is_there_without_memory(name):
    plain = tracer.Profile()
    plain.runcall(work)
    found = exported(plain, name)
    assert b"peak" not in found
    assert b'"memory"' not in found


def test_two_runs_are_added_up(profile):
    out = io.BytesIO()
    Export(tracer.Stats(profile, profile), "json").write(out)
    found = json.loads(out.getvalue())
    functions = {it["name"]: it["memory"] for it in found["functions"]}
    assert tuple(functions["small"].values()) == tuple(2 * it for it in EXPECTED["small"])
    assert found["memory"]["peak_bytes"] == 2 * profile.capture().memory.peak.bytes
    assert len(found["memory"]["runs"]) == 2


BY_MEASURE = {
    "peak": {"big": BIG, "small": 100 * SMALL, "thrown": THROWN},
    "live": {"small": 100 * SMALL},
    "allocated": {"big": BIG, "small": 100 * SMALL, "thrown": 50 * THROWN},
    "temporary": {"thrown": 50 * THROWN},
}


@pytest.mark.parametrize("measure", BY_MEASURE)
def test_folded_is_in_bytes(profile, measure):
    found = named(read_folded(exported(profile, "folded", measure=measure)).items())
    assert {name: found.get(name) for name in BY_MEASURE[measure]} == BY_MEASURE[measure]
    assert set(found).isdisjoint(set(EXPECTED) - set(BY_MEASURE[measure]))


@pytest.mark.parametrize("measure", BY_MEASURE)
def test_speedscope_is_in_bytes(profile, measure):
    data = exported(profile, "speedscope", measure=measure)
    document = json.loads(data)
    assert {it["unit"] for it in document["profiles"]} == {"bytes"}
    assert document["name"].startswith("work - ")
    ((_, paths),) = read_speedscope(data)
    found = named(paths.items())
    assert {name: found.get(name) for name in BY_MEASURE[measure]} == BY_MEASURE[measure]
    assert set(found).isdisjoint(set(EXPECTED) - set(BY_MEASURE[measure]))


@pytest.mark.parametrize("minimum", [0, 30])
def test_pprof_has_all_measures(profile, minimum):
    """Below a minimum, each measure leaves out what is small in it; its sum stays."""
    found = Pprof(exported(profile, "pprof", measure="live", minimum=minimum))
    names = ["alloc", "inuse", "peak", "temporary"]
    kinds = [(f"{it}_{what}", unit) for it in names for what, unit in UNITS]
    assert found.kinds == kinds
    assert found.texts[found.about[14]] == "inuse_space"
    sums = {}
    for path, values, labels in found.samples:
        assert labels["thread"] == "MainThread"
        assert len(values) == len(kinds)
        assert sum(map(bool, values)) <= 2  # a sample is of one measure
        row = sums.setdefault(path[-1].rpartition(".")[2], [0] * len(kinds))
        row[:] = map(sum, zip(row, values, strict=True))
    measures = ["allocated", "live", "peak", "temporary"]
    for place, measure in enumerate(measures):
        for name, size in BY_MEASURE[measure].items():
            if minimum == 0:
                assert sums[name][2 * place + 1] == size
        whole = sum(row[2 * place + 1] for row in sums.values())
        assert whole == sum(
            round(own * 1e9)
            for _, _, own, _, _ in tracer.Stats(profile).seen_by(measure).stats.values()
        )
    if minimum:
        assert sums["thrown"][3] == 0
        assert sums["thrown"][7] == 50 * THROWN
    else:
        assert sums["thrown"] == [50, 50 * THROWN, 0, 0, 1, THROWN, 50, 50 * THROWN]


UNITS = [("objects", "count"), ("space", "bytes")]


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"folded", "pprof", "speedscope"}))
def test_other_formats_refuse(profile, name, tmp_path):
    with pytest.raises(ValueError, match="can have memory in the place of time: folded, pprof, sp"):
        tracer.Stats(profile).export(name, tmp_path / "out", memory="peak")


def test_what_else_is_refused(profile, tmp_path):
    stats = tracer.Stats(profile)
    with pytest.raises(ValueError, match="unknown measure 'net'; choose from peak, live, allocat"):
        stats.export("folded", tmp_path / "out", memory="net")
    with pytest.raises(ValueError, match="memory is by path, and has no part of a timeline"):
        stats.export("speedscope", tmp_path / "out", memory="live", start=1.0)
    plain = tracer.Profile()
    plain.runcall(work)
    with pytest.raises(ValueError, match="no memory was recorded"):
        tracer.Stats(plain).export("folded", tmp_path / "out", memory="live")
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, profile):
    folder = tmp_path_factory.mktemp("exports")
    profile.dump_stats(folder / "memory.out")
    plain = tracer.Profile()
    plain.runcall(work)
    plain.dump_stats(folder / "plain.out")
    return folder


@pytest.mark.parametrize(("words", "measure"), [([], "peak"), (["-s", "temporary"], "temporary")])
def test_the_command(folder, words, measure):
    run = traced(
        *("export", "memory.out", "--to", "folded", "--memory", *words, "-o", "-"), cwd=folder
    )
    assert (run.returncode, run.stderr) == (0, b"")
    found = named(read_folded(run.stdout).items())
    assert {name: found.get(name) for name in BY_MEASURE[measure]} == BY_MEASURE[measure]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plain.out", "--to=folded", "--memory"], "plain.out: no memory was recorded: give --mem"),
        (["memory.out", "--to=folded", "-s", "live"], "-s live is of memory; give --memory, too\n"),
        (["memory.out", "--to=csv", "--memory"], "--memory: csv has it without being asked; thes"),
        (["memory.out", "--to=chrome", "--memory"], "--memory: chrome has no paths by it; these "),
        (
            ["memory.out", "--to=speedscope", "--memory", "--from=1s"],
            "--memory: memory is by path, and has no part of a timeline; give one of them\n",
        ),
        (["memory.out", "--to=folded", "--memory", "-s", "net"], "-s 'net': choose from peak, liv"),
    ],
)
def test_what_the_command_refuses(folder, words, said):
    run = traced("export", *words, "-o", "out", cwd=folder)
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr.decode().startswith(f"tracer: {said}")
    assert not (folder / "out").exists()
