"""Files of tracer.compat.paddle: their names, what load_profiler_result() reads of them, and what
it says of others. tests/frameworks/test_paddle.py has Paddle read them."""

import json
import random
import re

import pytest

import tracer
import tracer.compat.paddle as profiler
from paddles import World
from tracer.compat.paddle import RecordEvent
from tracer.compat.paddle_parts.nodes import Node, ProfilerResult, root_node
from tracer.compat.paddle_parts.states import TracerEventType as Type

pytestmark = pytest.mark.results

NAME = r"_time_\d{4}(_\d\d){5}_\d{6}\.paddle_trace\."


@pytest.fixture
def world(monkeypatch, tmp_path):
    return World(monkeypatch, tmp_path)


def listed(node, depth=0):
    """(depth, type, name, nanoseconds) of the events below a node. What a module is called depends
    on the folder in which the tests are run."""
    for child in node.children_node:
        name = re.sub(r"^([a-z.]+\.)?(?=test_)", "", child.name)
        yield depth, child.type.name, name, child.end_ns - child.start_ns
        yield from listed(child, depth + 1)


def work(world):
    sorted([2, 1], key=lambda number: world.wait(3) or number)


def program(world, **options):
    with profiler.Profiler(scheduler=(1, 2), **options) as prof:
        for _ in range(3):
            with RecordEvent("mine"):
                work(world)
            world.wait(1)
            prof.step()
    return prof


EVENTS = [
    (0, "ProfileStep", "ProfileStep#1", 7_000_000),
    (1, "PythonUserDefined", "mine", 6_000_000),
    (2, "PythonOp", "test_compat_paddle_files.work", 6_000_000),
    (3, "Operator", "builtins.sorted", 6_000_000),
]


def test_a_pb_file_has_steps_ranges_and_calls(world, tmp_path):
    program(world, on_trace_ready=profiler.export_protobuf(str(tmp_path / "log"), "worker"))
    (path,) = (tmp_path / "log").iterdir()
    assert re.fullmatch(rf"worker{NAME}pb", path.name)
    result = profiler.load_profiler_result(path)
    assert (result.get_version(), result.get_span_index()) == ("1.0.2", 0)
    (root,) = result.get_data().values()
    assert [*listed(root)][:4] == EVENTS
    extra = result.get_extra_info()
    assert {"Process Cpu Utilization", "System Cpu Utilization"} < extra.keys()
    assert "MainThread" in extra.values()


def test_the_default_is_a_file_for_chromes_tracing(world, tmp_path):
    program(world)
    (path,) = (tmp_path / "profiler_log").iterdir()
    assert re.fullmatch(rf"host_.*pid_\d+{NAME}json", path.name)
    events = json.loads(path.read_text())["traceEvents"]
    assert {event["name"] for event in events} >= {"ProfileStep#1", "mine"}
    (step,) = [it for it in events if it["name"] == "ProfileStep#1" and it["ph"] == "b"]
    assert step["args"]["number"] == 1


def test_each_cycle_has_a_file(world, tmp_path):
    scheduler = profiler.make_scheduler(closed=1, ready=1, record=1, repeat=3)
    ready = profiler.export_chrome_tracing("log")
    world.run(10, scheduler=scheduler, on_trace_ready=ready)
    assert len([*(tmp_path / "log").iterdir()]) == 3


def test_export_writes_what_the_profiler_holds(world, tmp_path):
    prof = program(world, on_trace_ready=world.note)
    prof.export(tmp_path / "one.json")
    assert b"ProfileStep#1" in (tmp_path / "one.json").read_bytes()
    prof.export(str(tmp_path / "one.pb"), format="pb")
    (root,) = profiler.load_profiler_result(str(tmp_path / "one.pb")).get_data().values()
    assert [*listed(root)][:4] == EVENTS


def test_steps_are_named_by_the_number_that_the_program_counts(world, tmp_path):
    prof = profiler.Profiler(on_trace_ready=world.note)
    for _ in range(2):
        prof.start()
        world.loop(prof, 2)
        prof.stop()
    prof.export("second.json")
    text = (tmp_path / "second.json").read_text()
    assert [f"ProfileStep#{number}" in text for number in range(5)] == [False, False, *[True] * 3]


def test_a_loaded_profile_can_be_written_again(world, tmp_path):
    prof = program(world, on_trace_ready=world.note)
    prof.export("one.pb", "pb")
    result = profiler.load_profiler_result("one.pb")
    result.save("two.pb", "pb")
    assert (tmp_path / "two.pb").read_bytes() == (tmp_path / "one.pb").read_bytes()
    result.save("two.json")
    events = json.loads((tmp_path / "two.json").read_text())["traceEvents"]
    names = [(it["ph"], it["cat"], it["name"], it["dur"]) for it in events]
    assert names[:2] == [
        ("X", "ProfileStep", "ProfileStep#1", 7000.0),
        ("X", "PythonUserDefined", "mine", 6000.0),
    ]
    with pytest.raises(ValueError, match="unknown format 'xml': give 'json' or 'pb'"):
        result.save("two.xml", "xml")


def test_any_tree_is_read_as_it_was_written():
    chance = random.Random(11)
    kinds = [kind for kind in Type if kind.value <= Type.PythonUserDefined.value]
    trees = {}
    for thread in (7, 2**40):
        trees[thread] = root = root_node()
        nodes = [root]
        for number in range(chance.randint(0, 300)):
            start = chance.randint(0, 2**62)
            end = start + chance.randint(0, 2**30)
            node = Node(
                f"é{number}" * chance.randint(0, 50), chance.choice(kinds), start, end, 1, 2
            )
            chance.choice(nodes).children_node.append(node)
            nodes.append(node)
    read = ProfilerResult.loads(ProfilerResult(trees, {"é": "ü"}).dumps())
    assert read.get_extra_info() == {"é": "ü"}
    found = read.get_data()
    assert {thread: [*listed(root)] for thread, root in found.items()} == {
        thread: [*listed(root)] for thread, root in trees.items()
    }


def test_a_type_that_paddle_does_not_read_is_written_as_the_last_that_it_does():
    root = root_node()
    root.children_node.append(Node("launch", Type.DygraphKernelLaunch, 1, 2))
    (read,) = ProfilerResult.loads(ProfilerResult({1: root}, {}).dumps()).get_data().values()
    assert read.children_node[0].type is Type.PythonUserDefined


def test_a_deep_tree_is_written_and_read():
    root = node = root_node()
    for number in range(20_000):
        node.children_node.append(Node(str(number), Type.PythonOp, number, 2**62))
        node = node.children_node[0]
    (read,) = ProfilerResult.loads(ProfilerResult({1: root}, {}).dumps()).get_data().values()
    depth = 0
    while read.children_node:
        (read,) = read.children_node
        depth += 1
    assert depth == 20_000


def test_a_damaged_file_is_refused(world, tmp_path):
    prof = program(world, on_trace_ready=world.note)
    prof.export("one.pb", "pb")
    whole = (tmp_path / "one.pb").read_bytes()
    chance = random.Random(3)
    path = tmp_path / "damaged.pb"
    refused = 0
    for _ in range(500):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged[: chance.choice([len(whole), chance.randrange(len(whole))])])
        try:
            profiler.load_profiler_result(path)
        except tracer.ProfileFormatError as error:
            assert str(error).startswith("not a profile of Paddle's: ")
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("content", [b"", b"no profile at all", b"\x08\x01"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.pb"
    path.write_bytes(content)
    with pytest.raises(tracer.ProfileFormatError, match=r"^not a profile of Paddle's: "):
        profiler.load_profiler_result(path)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        profiler.load_profiler_result(tmp_path / "none.pb")


def test_many_calls_leave_out_the_shortest(world, monkeypatch):
    monkeypatch.setattr("tracer.compat.paddle_parts.trees.MOST", 60)
    with profiler.Profiler(on_trace_ready=world.note) as prof:
        for number in range(40):
            sorted([number], key=lambda number: world.wait(number))
        prof.step()
    (root,) = prof.profiler_result.get_data().values()
    lengths = [length for *_, name, length in listed(root) if name == "builtins.sorted"]
    assert sorted(lengths) == [number * 1_000_000 for number in range(32, 40)]
    (rows,) = prof.profiler_result.summary().operators.values()
    assert {row.name: row.calls for row in rows}["builtins.sorted"] == 40
