"""Exports of hostile names and of pruned profiles, what the formats share, and from Python.

What holds for each format, odd profiles too, is in test_exports_contract.py.
"""

import csv
import io
import json
import pstats

import pytest

import tracer
from exporting import HOSTILE, exported, hostile_paths, paths_by_hand, recorded, tree_of
from formats.callgrind import read_callgrind
from formats.chrome import draw as read_chrome
from formats.folded import read_folded
from formats.pprof import Pprof
from natives import trained
from tracer.analysis.tree.call_tree import NO_ROW
from tracer.analysis.tree.pruning import pruned
from tracer.exports.export import FORMATS, Options, check_format
from tracer.exports.formats.csv import seconds
from tracer.exports.formats.pprof import Texts
from tracer.exports.names import distinct_names, shown
from tracer.exports.protobuf import Varints, integer, varint


@pytest.fixture(scope="module")
def profile():
    return recorded()


# -- Names -----------------------------------------------------------------------------------


def test_hostile_names_in_folded():
    found = read_folded(exported(hostile_paths(), "folded"))
    assert len(found) == len(HOSTILE)
    assert {path[0] for path in found} == {"thread: \\n"}
    assert sorted(found.values()) == [10 + row for row in range(len(HOSTILE))]
    assert "a:b (main:1)" in {path[1] for path in found}


def test_hostile_names_in_callgrind():
    _, own = read_callgrind(exported(hostile_paths(), "callgrind"))
    assert own == {"<program>": 0} | {shown(name): 10 + row for row, name in enumerate(HOSTILE)}


@pytest.mark.parametrize("name", ["json", "speedscope"])
def test_hostile_names_in_json(name):
    data = exported(hostile_paths(), name)
    data.decode("ascii")
    json.loads(data)["shared" if name == "speedscope" else "functions"]
    assert b"\\udcff" not in data.replace(b"\\\\udcff", b"")  # half a surrogate is no text


def test_hostile_names_in_pprof():
    found = Pprof(exported(hostile_paths(), "pprof"))
    assert sorted(values[1] for _, values, _ in found.samples) == list(range(10, 10 + len(HOSTILE)))
    assert found.samples[0][0] == ("main.a;b",)


def test_hostile_names_in_csv():
    rows = list(csv.DictReader(io.StringIO(exported(hostile_paths(), "csv").decode(), newline="")))
    assert {row["name"] for row in rows} >= {"a;b", "", "'=1+1", '"quoted",', "\\x00"}
    assert len(rows) == len(HOSTILE)


def test_seconds_in_csv():
    assert list(map(seconds, (0, 5, -5, 2 * 10**9 + 1, -(2 * 10**9) - 1))) == [
        "0.000000000",
        "0.000000005",
        "-0.000000005",
        "2.000000001",
        "-2.000000001",
    ]


def test_names_are_one_line_of_text():
    for name in HOSTILE:
        text = shown(name)
        assert text.encode().decode().isprintable()
        assert text
        assert text == text.strip()
    assert shown("plain name") == "plain name"


def test_names_are_told_apart():
    assert distinct_names(["a", "b", "a"], [1, 2, 3]) == ["a:1", "b", "a:3"]
    assert distinct_names(["a", "a", "a:1"], [1, 1, 5]) == ["a:1", "a:1#2", "a:1#3"]
    assert distinct_names(["a", "a", "a:1#2"], [1, 1, 5]) == ["a:1", "a:1#3", "a:1#2"]


# -- Pruning ---------------------------------------------------------------------------------


def test_pruning_keeps_sums():
    tree = tree_of(
        [
            (1, 0, 1, 5),  # main
            (2, 1, 1, 1),  # a: small
            (3, 2, 4, 2),  # below a: small
            (2, 2, 1, 0),  # b: 50
            (3, 1, 1, 50),
            (2, 3, 1, 3),  # c: small, joins a
            (1, 3, 1, 4),  # small, at the top
        ]
    )
    paths = pruned(paths_by_hand(["main", "a", "b", "c"], tree), 20)
    [found] = paths.trees
    rest = paths.rows.index(("~", 0, "<less than 20% each>"))
    assert list(zip(found.depth, found.row, found.calls, found.time, strict=True)) == [
        (0, NO_ROW, 0, 0),
        (1, 0, 1, 5),
        (2, rest, 6, 6),
        (2, 2, 1, 0),
        (3, 1, 1, 50),
        (1, rest, 1, 4),
    ]
    assert found.figures == tree.figures


def test_no_pruning_is_no_work():
    paths = paths_by_hand(["a"], tree_of([(1, 0, 1, 5)]))
    assert pruned(paths, 0) is paths


def test_a_node_with_just_as_much_as_is_asked_for_stays():
    paths = paths_by_hand(["main", "a"], tree_of([(1, 0, 1, 8), (2, 1, 1, 2)]))
    assert list(pruned(paths, 20).trees[0].row) == [NO_ROW, 0, 1]
    assert list(pruned(paths, 20.1).trees[0].row) == [NO_ROW, 0, 2]


# -- From Python -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_stats_export(tmp_path, name):
    path = tmp_path / "exported"
    of_natives = FORMATS[name].needs == "native"
    found = trained().made() if of_natives else recorded(timeline=True, memory=True)
    tracer.Stats(found).export(name, path)
    assert path.read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["exported"]


def test_stats_export_of_a_part(tmp_path):
    path = tmp_path / "exported"
    stats = tracer.Stats(recorded(timeline=True))
    stats.export("chrome", path, start=10e-9, end=200e-9, least=50e-9)
    found = read_chrome(path.read_bytes()).slices
    assert [(start, end) for [*those] in found.values() for _, start, end, _ in those] == [
        (10, 195)
    ]
    stats.export("speedscope", path)
    drawn = path.read_bytes()
    stats.export("speedscope", path, paths=True)
    assert drawn != path.read_bytes()


def test_stats_export_of_one_thread(profile, tmp_path):
    tracer.Stats(profile).threads[0].export("folded", tmp_path / "exported")
    assert read_folded((tmp_path / "exported").read_bytes())


def test_stats_export_of_a_minimum(profile, tmp_path):
    path = tmp_path / "exported"
    tracer.Stats(profile).export("folded", path, minimum=10)
    assert any(path[-1] == "<less than 10% each>" for path in read_folded(path.read_bytes()))
    with pytest.raises(ValueError, match=r"csv has no .* to leave out; .*folded.* have"):
        tracer.Stats(profile).export("csv", path, minimum=10)
    with pytest.raises(ValueError, match=r"101: give a percentage, from 0 to 100"):
        tracer.Stats(profile).export("folded", path, minimum=101)


def test_exports_of_pstats_are_read_by_pstats(profile, tmp_path):
    path = tmp_path / "exported"
    stats = tracer.Stats(profile)
    stats.export("pstats", path)
    assert pstats.Stats(str(path)).stats == stats.stats


def test_unknown_format(profile, tmp_path):
    with pytest.raises(ValueError, match=r"unknown format 'svg'; choose from callgrind, chrome, "):
        tracer.Stats(profile).export("svg", tmp_path / "exported")
    assert list(tmp_path.iterdir()) == []
    assert check_format("csv").suffix == ".csv"


def test_an_export_that_fails_leaves_the_older_file(profile, tmp_path, monkeypatch):
    path = tmp_path / "exported"
    path.write_text("older")

    def fails(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tracer.exports.formats.folded.write", fails)
    with pytest.raises(OSError, match="No space left") as raised:
        tracer.Stats(profile).export("folded", path)
    assert raised.value.filename == str(path)
    assert path.read_text() == "older"
    assert len(list(tmp_path.iterdir())) == 1


def test_numbers_of_protocol_buffers():
    assert [varint(n) for n in (0, 1, 127, 128, 300)] == [
        b"\0",
        b"\1",
        b"\x7f",
        b"\x80\1",
        b"\xac\2",
    ]
    assert varint(2**64 - 1) == varint(-1) == b"\xff" * 9 + b"\1"
    varints = Varints()
    for number in (2**14, 123_456_789, 2**28 - 1):
        assert varints.low[number % 2**14] + varints.small[number >> 14] == varint(number)
    assert integer(1, 0) == b""
    assert integer(2, 5) == b"\x10\5"
    assert Options().progress(3) is None


def test_pprof_of_times_of_every_size():
    """From 2**14 and 2**28 on, times are written differently; no call and no time is no sample."""
    times = [0, 1, *(edge + step for edge in (2**14, 2**28, 2**40) for step in (-1, 0, 1))]
    nodes = [(1, row, 1, time) for row, time in enumerate(times)]
    nodes.append((1, len(times), 0, 0))
    paths = paths_by_hand([f"f{row}" for row in range(len(nodes))], tree_of(nodes))
    found = Pprof(exported(paths, "pprof")).samples
    assert [values for _, values, _ in found] == [(1, time) for time in times]
    assert [path[-1][-2:].lstrip("f") for path, _, _ in found] == list(map(str, range(len(times))))


def test_the_first_text_of_pprof_is_the_empty_one():
    texts = Texts()
    assert [texts.number(text) for text in ("a", "", "b", "a")] == [1, 0, 2, 1]
    assert list(texts.numbers) == ["", "a", "b"]
