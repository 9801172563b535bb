"""The files of tracer.compat.torch: traces, folders for TensorBoard, stacks."""

import gzip
import json
import os
import re
import socket

import pytest

from places import HELPERS
from torching import CLOCK, Profile, load, loop, told, train  # noqa: F401, a fixture
from tracer.compat.torch import record_function, schedule, tensorboard_trace_handler

pytestmark = pytest.mark.results


@pytest.fixture(autouse=True)
def at_the_sources(monkeypatch):
    monkeypatch.chdir(HELPERS)


@pytest.fixture
def profiler():
    return loop(Profile(schedule=schedule(wait=0, warmup=1, active=2, repeat=1)), 4)


def exported(profiler, path):
    profiler.export_chrome_trace(str(path))
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def slices(document):
    """(category, bare name, start, duration) of the slices, by their starts, the outer first."""
    found = [
        (it["cat"], it["name"].rpartition(": ")[2], round(it["ts"]), round(it["dur"]))
        for it in document["traceEvents"]
        if it["ph"] == "X" and "<module>" not in it["name"] and "Clock" not in it["name"]
    ]
    return sorted(found, key=lambda it: (it[2], -it[3], it[0] == "python_function"))


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_a_trace_has_steps_ranges_and_calls(profiler, tmp_path, name):
    document = exported(profiler, tmp_path / name)
    ran = [it for it in slices(document) if it[1] in STEP or it[1].startswith("Profiler")]
    assert ran == [
        ("user_annotation", "ProfilerStep#1", 0, 3069),
        *of_step(0),
        ("user_annotation", "ProfilerStep#2", 3069, 3069),
        *of_step(3069),
    ]


STEP = ("train", "load", "forward", "matmul", "backward")


def of_step(at):
    return [
        ("python_function", "train", at, 3069),
        ("python_function", "load", at + 1, 7),
        ("user_annotation", "forward", at + 11, 52),
        ("python_function", "forward", at + 12, 50),
        ("python_function", "matmul", at + 22, 20),
        ("python_function", "matmul", at + 42, 20),
        ("user_annotation", "backward", at + 63, 3004),
        ("python_function", "backward", at + 67, 3000),
    ]


def test_what_stands_before_the_events(profiler, tmp_path):
    profiler.add_metadata("model", 'the "small" one')
    profiler.add_metadata_json("layers", "[1, 2]")
    profiler.preset_metadata_json("layers", "[]")
    profiler.preset_metadata_json("seed", "7")
    document = exported(profiler, tmp_path / "trace.json")
    del document["traceEvents"]
    facts = {name: document.pop(name) for name in ("baseTimeNanoseconds", "otherData", "trace_id")}
    assert document == {
        "schemaVersion": 1,
        "deviceProperties": [],
        "model": 'the "small" one',
        "layers": [1, 2],
        "seed": 7,
        "host_name": socket.gethostname(),
        "displayTimeUnit": "ms",
        "traceName": str(tmp_path / "trace.json"),
    }
    assert re.fullmatch("[0-9A-F]{32}", facts["trace_id"])


def test_options_are_told_in_the_trace(tmp_path, told):  # noqa: F811
    with Profile(with_stack=True, record_shapes=True) as profiler:
        load()
    document = exported(profiler, tmp_path / "trace.json")
    assert (document["with_stack"], document["record_shapes"]) == (1, 1)
    assert "with_flops" not in document


def test_metadata_that_is_no_json(profiler):
    with pytest.raises(ValueError, match=r"metadata 'k': 'v' is no JSON .*add_metadata\(\) takes"):
        profiler.add_metadata_json("k", "v")


def test_functions_in_c_are_operators(tmp_path):
    def work():
        CLOCK.now += sum([3])

    with Profile() as profiler:
        work()
    found = slices(exported(profiler, tmp_path / "trace.json"))
    assert ("cpu_op", "<built-in method builtins.sum>", 0, 0) in found


def test_a_range_that_overlaps_calls_stands_beside_them(tmp_path):
    def begin():
        mark = record_function("open")
        mark.__enter__()
        CLOCK.now += 4
        return mark

    def work():
        mark = begin()
        CLOCK.now += 5
        mark.__exit__(None, None, None)

    with Profile() as profiler:
        work()
    events = exported(profiler, tmp_path / "trace.json")["traceEvents"]
    found = [(it["ph"], it["ts"]) for it in events if it["name"] == "open"]
    assert found == [("b", 0), ("e", 9)]


def test_a_step_that_was_cut_says_so(tmp_path):
    profiler = loop(Profile(schedule=schedule(wait=0, warmup=1, active=5)), 3)
    events = exported(profiler, tmp_path / "trace.json")["traceEvents"]
    args = {it["name"]: it["args"] for it in events if it["name"].startswith("ProfilerStep")}
    assert args == {
        "ProfilerStep#1": {},
        "ProfilerStep#2": {},
        "ProfilerStep#3": {"finished": False},
    }


def test_lists_export_too(profiler, tmp_path):
    profiler.key_averages().export_chrome_trace(str(tmp_path / "averages.json"))
    profiler.events().export_chrome_trace(str(tmp_path / "events.json"))
    sizes = [(tmp_path / name).stat().st_size for name in ("averages.json", "events.json")]
    assert min(sizes) > 1000


# -- A folder for TensorBoard ----------------------------------------------------------------------


def test_a_folder_gets_a_file_of_each_cycle(tmp_path):
    folder = tmp_path / "log" / "run"
    ready = tensorboard_trace_handler(str(folder))
    loop(Profile(schedule=schedule(wait=1, warmup=1, active=1, repeat=3), on_trace_ready=ready), 10)
    names = sorted(path.name for path in folder.iterdir())
    worker = re.escape(f"{socket.gethostname()}_{os.getpid()}")
    assert len(names) == 3
    assert all(re.fullmatch(rf"{worker}\.\d{{16,}}\.pt\.trace\.json", name) for name in names)
    steps = [
        [it[1] for it in slices(json.loads((folder / name).read_text())) if "Step" in it[1]]
        for name in names
    ]
    assert steps == [["ProfilerStep#2"], ["ProfilerStep#5"], ["ProfilerStep#8"]]


def test_a_name_and_packed_files(tmp_path):
    with Profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path), "worker0", True)):
        load()
    (path,) = tmp_path.iterdir()
    assert re.fullmatch(r"worker0\.\d+\.pt\.trace\.json\.gz", path.name)
    assert json.loads(gzip.decompress(path.read_bytes()))["schemaVersion"] == 1


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    ready = tensorboard_trace_handler(str(tmp_path / "file" / "log"))
    wrong = pytest.raises(RuntimeError, match=r"cannot make the folder .*; name another")
    with wrong, Profile(on_trace_ready=ready):
        load()


# -- Stacks ----------------------------------------------------------------------------------------


def test_stacks_are_lines_for_a_flame_graph(tmp_path):
    with Profile(with_stack=True) as profiler:
        train()
    profiler.export_stacks(str(tmp_path / "stacks.txt"), "self_cpu_time_total")
    found = {}
    for line in (tmp_path / "stacks.txt").read_text().splitlines():
        path, _, time = line.rpartition(" ")
        assert " " not in path
        names = [frame.rpartition(":_")[2] for frame in path.split(";")]
        if "train" in names:
            found[tuple(names[names.index("train") :])] = int(time)
    assert found == {
        ("train",): 12,
        ("train", "load"): 7,
        ("train", "forward"): 10,
        ("train", "forward", "matmul"): 40,
        ("train", "backward"): 3000,
    }


def test_stacks_by_a_gpus_time(tmp_path, told):  # noqa: F811
    with Profile() as profiler:
        train()
    profiler.export_stacks(str(tmp_path / "stacks.txt"), "self_cuda_time_total")
    assert told() == [
        "tracer: metric='self_cuda_time_total': tracer records no GPU; written by "
        "self_cpu_time_total"
    ]
    assert (tmp_path / "stacks.txt").read_text().count("\n") >= 5
