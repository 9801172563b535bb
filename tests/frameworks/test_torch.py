"""PyTorch's profiler beside tracer.compat.torch: the same programs under both, with the import
changed. torch_side.py runs them."""

import gzip
import json
import re
import statistics
from textwrap import dedent

import pytest

from torch_side import OURS, THEIRS, both, run, shape_of

NEEDS = "pip:torch==2.15.0"

# -- Schedules -------------------------------------------------------------------------------------

SCHEDULES = """
import random
from torch.profiler import schedule as theirs
from tracer.compat.torch import schedule as ours

def answer(make, given, step):
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = make(**given)
        return made(step).name, made(step).value, [it.category.__name__ for it in caught]
    except Exception as error:
        return type(error).__name__

chance = random.Random(int(sys.argv[1]))
told["differ"], told["seen"] = [], {}
for number in range(10_000):
    largest = chance.choice((2, 5, 50))
    given = {
        name: chance.randrange(-1 if chance.random() < 0.05 else 0, largest)
        for name in ("wait", "warmup", "active", "repeat", "skip_first", "skip_first_wait")
        if name in ("wait", "warmup", "active") or chance.random() < 0.7
    }
    step = chance.randrange(-1 if chance.random() < 0.05 else 0, 8 * largest)
    pair = answer(theirs, given, step), answer(ours, given, step)
    told["seen"][str(pair[0][0]) if isinstance(pair[0], tuple) else pair[0]] = number
    if pair[0] != pair[1]:
        told["differ"].append((given, step, pair))
"""


@pytest.mark.parametrize("seed", [18, 2015])
def test_schedules_are_equal_on_random_arguments_and_steps(tmp_path, seed):
    told, _ = run(SCHEDULES, OURS, tmp_path, str(seed))
    assert told["differ"] == []
    assert told["seen"].keys() == {"NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "AssertionError"}


# -- Programs of each kind -------------------------------------------------------------------------

PROGRAMS = {
    "a block": """
        with profile(activities=[ProfilerActivity.CPU]) as p:
            for _ in range(3):
                train()
        print(p.key_averages().table(sort_by="cpu_time_total", row_limit=10))
    """,
    "a GPU and shapes": """
        activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        with profile(activities=activities) as p:
            train()
        print(p.key_averages().table(sort_by="self_cuda_time_total", row_limit=5))
    """,
    "a schedule": """
        with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1)) as p:
            for _ in range(6):
                train()
                p.step()
        print(p.key_averages().table(sort_by="self_cpu_time_total", row_limit=-1))
    """,
    "each cycle": """
        def ready(p):
            told.setdefault("ready", []).append((p.step_num, p.current_action.name, steps_of(p)))
            print(p.key_averages().table(sort_by="count", header="cycle", row_limit=4))

        made = schedule(wait=1, warmup=1, active=3, repeat=2, skip_first=2, skip_first_wait=1)
        with profile(schedule=made, on_trace_ready=ready) as p:
            for _ in range(14):
                train()
                p.step()
    """,
    "start, step and stop": """
        p = profile(schedule=lambda step: ProfilerAction.RECORD)
        p.start()
        for _ in range(4):
            train()
            p.step()
        p.stop()
        p.step()
        print(p.key_averages().table(top_level_events_only=True, time_unit="ms"))
    """,
    "a decorator and a nest": """
        @record_function("decorated")
        def work():
            with record_function("inner", "args"):
                train()
            with record_function("inner"):
                torch.ones(3)

        with profile() as p:
            work()
            work()
        print(p.key_averages().table(max_name_column_width=30, row_limit=3))
    """,
    "all cycles": """
        made = schedule(wait=0, warmup=1, active=1, repeat=3)
        with profile(schedule=made, acc_events=True) as p:
            for _ in range(7):
                train()
                p.step()
        print(p.key_averages().table())
    """,
    "threads": """
        import queue, threading
        batches = queue.Queue(2)

        def load():
            for _ in range(6):
                batches.put(torch.randn(8, 16))

        thread = threading.Thread(target=load)
        with profile(schedule=schedule(wait=0, warmup=1, active=3, repeat=1)) as p:
            thread.start()
            for _ in range(6):
                train(batches.get())
                p.step()
        thread.join()
        print(p.key_averages().table())
    """,
    "worker processes": """
        from torch.utils.data import DataLoader, TensorDataset

        data = TensorDataset(torch.randn(64, 16))
        def main():
            global p
            with profile(schedule=schedule(wait=1, warmup=1, active=4, repeat=1)) as p:
                for (batch,) in DataLoader(data, batch_size=8, num_workers=2):
                    train(batch)
                    p.step()
            print(p.key_averages().table(sort_by="cpu_time_total"))
        main()
    """,
}
TAIL = """
told["steps"], told["counts"] = sorted(steps_of(p)), counts(p.key_averages())
told["step_num"], told["action"] = p.step_num, p.current_action.name
p.export_chrome_trace("trace.json")  # PyTorch writes a trace once
if "PROFILER" == "tracer.compat.torch":
    p.export_chrome_trace("trace.json.gz")
"""
# All of them in one process, for it takes seconds to import PyTorch.
ALL = """
import contextlib, io
outer = told
for name, text in json.loads(PROGRAMS).items():
    told = {}
    folder = name.replace(" ", "-")
    os.mkdir(folder)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(text, globals())
    outer[name] = [told, printed.getvalue()]
told = outer
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The folder in which all programs ran, and what PyTorch and tracer told of each."""
    folder = tmp_path_factory.mktemp("programs")
    texts = {}
    for side in (THEIRS, OURS):
        tail = TAIL.replace("PROFILER", side)
        texts[side] = {name: dedent(text) + tail for name, text in PROGRAMS.items()}
    told = {
        side: run(f"PROGRAMS = {json.dumps(texts[side])!r}\n{ALL}", side, folder / side)[0]
        for side in texts
    }
    return folder, told


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_with_the_import_changed(ran, name):
    (theirs, their_output), (ours, our_output) = (ran[1][side][name] for side in (THEIRS, OURS))
    assert ours == theirs
    assert ours["counts"]["forward"] >= 1
    their_tables, our_tables = tables(their_output), tables(our_output)
    assert list(map(shape_of, our_tables)) == list(map(shape_of, their_tables))
    assert len(our_tables) >= 1


def tables(printed):
    """The tables in what a program printed, among other lines."""
    return re.findall(r"^[=-]{3,}(?s:.*?)^Self CPU time total: .*$", printed, re.MULTILINE)


@pytest.mark.parametrize("name", PROGRAMS)
def test_traces_have_the_same_steps_and_ranges(ran, name):
    folder = name.replace(" ", "-")
    theirs, ours = (trace_of(ran[0] / side / folder / "trace.json") for side in (THEIRS, OURS))
    assert marks_of(ours) == marks_of(theirs)
    assert {"schemaVersion", "deviceProperties", "traceEvents", "traceName"} <= ours.keys()
    assert ours["displayTimeUnit"] == theirs["displayTimeUnit"]
    kinds = {it.get("cat") for it in ours["traceEvents"] if it["ph"] == "X"}
    assert {"user_annotation", "cpu_op", "python_function"} <= kinds
    assert marks_of(trace_of(ran[0] / OURS / folder / "trace.json.gz")) == marks_of(ours)


def trace_of(path):
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def marks_of(document):
    """The names of steps and ranges, by their starts, without PyTorch's own ranges."""
    found = [
        (it["ts"], it["name"])
        for it in document["traceEvents"]
        if it.get("cat") == "user_annotation"
        and not it["name"].startswith(("Optimizer.", "enumerate(DataLoader)"))
    ]
    return [name for _, name in sorted(found)]


FOLDER = """
for use_gzip, name in ((False, None), (True, "worker0")):
    handler = tensorboard_trace_handler("log", name, use_gzip)
    made = schedule(wait=1, warmup=1, active=1, repeat=2)
    with profile(schedule=made, on_trace_ready=handler) as p:
        for _ in range(6):
            train()
            p.step()
worker = f"{__import__('socket').gethostname()}_{os.getpid()}"
told["files"] = sorted(
    __import__("re").sub(r"\\.\\d+\\.", ".N.", it.replace(worker, "WORKER"))
    for it in os.listdir("log")
)
"""


def test_the_files_for_tensorboard_have_the_same_names(tmp_path):
    (theirs, _), (ours, _) = both(FOLDER, tmp_path)
    assert ours == theirs
    assert len(ours["files"]) == 4


CUT = """
told["cuts"] = []
for steps in range(1, 10):
    ready = []
    made = schedule(wait=1, warmup=1, active=2)
    with profile(schedule=made, on_trace_ready=lambda p: ready.append(steps_of(p))) as p:
        for _ in range(steps):
            torch.ones(3)
            p.step()
    told["cuts"].append((ready, p.step_num, p.current_action.name))

told["odd"] = []
actions = list(ProfilerAction)
for text in ("2200", "100", "21230", "33020", "000", "1123", "2323"):
    ready = []
    def ask(step):
        return actions[int(text[step])] if step < len(text) else actions[0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with profile(schedule=ask, on_trace_ready=lambda p: ready.append(steps_of(p))) as p:
            for _ in text:
                torch.ones(3)
                p.step()
    warned = [it for it in caught if "followed by" in str(it.message) or "has RECORD" in
        str(it.message) or "has WARMUP" in str(it.message)]
    told["odd"].append((text, ready, len(warned)))
"""


def test_loops_that_end_in_a_cycle_and_odd_schedules(tmp_path):
    (theirs, _), (ours, _) = both(CUT, tmp_path)
    assert ours == theirs


RAISING = """
def ready(p):
    raised.append(("ready", p.step_num))
    raise KeyError

raised = []
with profile(schedule=schedule(wait=0, warmup=1, active=1, repeat=3), on_trace_ready=ready) as p:
    for number in range(8):
        torch.ones(3)
        try:
            p.step()
        except KeyError:
            raised.append(("step", number))
told["raised"] = raised
"""


def test_what_on_trace_ready_raises_comes_out_of_the_same_steps(tmp_path):
    (theirs, _), (ours, _) = both(RAISING, tmp_path)
    assert ours == theirs


WRONG = """
told["wrong"] = {}
for name, what in {
    "before": lambda: profile().key_averages(),
    "positional": lambda: profile([ProfilerActivity.CPU]),
    "no activity": lambda: profile(activities=[3]),
    "twice": lambda: profile(activities=[ProfilerActivity.CPU] * 2),
    "stopped device": lambda: profile(schedule=lambda step: ProfilerAction.DEVICE_STOPPED),
    "no keywords": lambda: schedule(1, 1, 1),
}.items():
    try:
        what()
    except Exception as error:
        told["wrong"][name] = type(error).__name__
told["values"] = [(it.name, it.value) for it in ProfilerAction]
told["activities"] = sorted(it.name for it in supported_activities())
import inspect
told["names"] = {
    kind: list(inspect.signature(of).parameters)
    for kind, of in {
        "profile": profile, "schedule": schedule, "handler": tensorboard_trace_handler,
        "averages": profile.key_averages, "record": record_function,
    }.items()
}
with profile() as p:
    torch.ones(3)
told["names"]["table"] = list(inspect.signature(p.key_averages().table).parameters)
"""


def test_errors_and_signatures(tmp_path):
    (theirs, _), (ours, _) = both(WRONG, tmp_path)
    assert ours["wrong"] == theirs["wrong"]
    assert ours["values"] == theirs["values"]
    assert ours["activities"] == theirs["activities"]
    assert ours["names"].pop("profile") == [*theirs["names"].pop("profile"), "use_cuda"]
    assert ours["names"] == theirs["names"]


# -- What the loop calls ---------------------------------------------------------------------------

CALLS = """
from collections import Counter
from tracer.analysis.steps.phase_rules import rules_of
from tracer.analysis.steps.phases import phases_in
from tracer.analysis.steps.steps import steps_of
from tracer.analysis.timeline.run import runs_of
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(80, 16))
def main(workers):
    with profile(schedule=schedule(wait=1, warmup=1, active=5, repeat=1)) as p:
        for (batch,) in DataLoader(data, batch_size=8, num_workers=workers):
            model(batch).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            p.step()
    told[str(workers)] = {
        name: sum(it.count for it in p.key_averages() if it.key.endswith(f": {name}"))
        for name in ("_BaseDataLoaderIter.__next__", "Sequential.forward", "Tensor.backward",
                     "SGD.step", "ReLU.forward")
    }
    (timed,) = runs_of(p._cycles.stats)
    phases = phases_in(timed, rules_of(timed.profiles))
    told["phases", workers] = Counter(it.category for it in phases)
    shares = [set(step.phases) for step in steps_of(p._cycles.stats)]
    told["in each step", workers] = sorted(set.intersection(*shares))
main(0)
main(2)
told = {" ".join(map(str, key)) if isinstance(key, tuple) else key: it for key, it in told.items()}
"""
EACH_STEP = {
    "_BaseDataLoaderIter.__next__": 5,
    "Sequential.forward": 5,
    "Tensor.backward": 5,
    "SGD.step": 5,
    "ReLU.forward": 5,
}
PHASES = ["backward", "forward", "load", "optimizer"]


def test_the_calls_and_phases_of_a_loop_with_and_without_workers(tmp_path):
    told, _ = run(CALLS, OURS, tmp_path)
    for workers in ("0", "2"):
        assert told[workers] == EACH_STEP
        assert told[f"phases {workers}"] == dict.fromkeys(PHASES, 5)
        assert told[f"in each step {workers}"] == PHASES


# -- What it costs ---------------------------------------------------------------------------------

COST = """
import time
wide = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(8)))
descent = torch.optim.SGD(wide.parameters(), lr=0.01)
batch = torch.randn(32, 64)

def work():
    wide(batch).square().mean().backward()
    descent.step()
    descent.zero_grad()

for _ in range(20):
    work()
options = {"with_stack": True} if "stack" in sys.argv else {}
with profile(**options) as p:
    work()
begin = time.perf_counter()
for _ in range(100):
    work()
plain = time.perf_counter() - begin
with profile(**options) as p:
    begin = time.perf_counter()
    for _ in range(100):
        work()
    told["ms a step"] = ((time.perf_counter() - begin) * 10, plain * 10)
"""


def test_the_added_time_beside_pytorchs(tmp_path, capsys):
    """Interleaved, in a process each; printed, for it depends on the machine."""
    found = {}
    for turn in range(5):
        for kind, profiler, words in (
            ("PyTorch", THEIRS, ()),
            ("PyTorch with_stack", THEIRS, ("stack",)),
            ("tracer", OURS, ("stack",)),
        ):
            told, _ = run(COST, profiler, tmp_path / f"{turn}-{kind}", *words)
            recorded, plain = told["ms a step"]
            found.setdefault(kind, []).append(((recorded - plain), plain))
    with capsys.disabled():
        print("\nadded to a step of a training loop, median of 5:")
        for kind, pairs in found.items():
            added = statistics.median(pair[0] for pair in pairs)
            plain = statistics.median(pair[1] for pair in pairs)
            print(f"  {kind:<20} {added:7.3f} ms, to {plain:.3f} ms ({added / plain:.0%})")
    assert all(len(pairs) == 5 for pairs in found.values())
