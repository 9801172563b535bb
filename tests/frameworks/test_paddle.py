"""Paddle's profiler beside tracer.compat.paddle: the same programs under both, with the import
changed. paddle_side.py runs them."""

import re
from statistics import median

import pytest

from paddle_side import both, run, tables_of

NEEDS = "pip:paddlepaddle==3.3.1"

# -- Names -----------------------------------------------------------------------------------------

NAMES = """
import inspect

def words(function):
    parameters = inspect.signature(function).parameters.values()
    return [(it.name, str(it.kind), repr(it.default).strip("()[]")) for it in parameters]

functions = ("make_scheduler", "export_chrome_tracing", "export_protobuf", "load_profiler_result")
methods = ("__init__", "start", "stop", "step", "step_info", "export", "summary")
kinds = ("ProfilerState", "ProfilerTarget", "SummaryView", "SortedKeys")
for name, module in (("theirs", theirs), ("ours", ours)):
    signatures = {it: words(getattr(module, it)) for it in functions}
    signatures |= {it: words(getattr(module.Profiler, it)) for it in methods}
    signatures |= {f"event {it}": words(getattr(module.RecordEvent, it))
                   for it in ("__init__", "begin", "end")}
    numbers = {it: {one.name: one.value for one in getattr(module, it)} for it in kinds}
    types = module.TracerEventType.__members__
    numbers["TracerEventType"] = {it: int(kind) for it, kind in types.items()}
    told[name] = [signatures, numbers]
told["all"] = [sorted(theirs.__all__), sorted(ours.__all__)]
"""


def test_names_arguments_and_defaults_are_theirs(tmp_path):
    told, _ = run(NAMES, tmp_path)
    assert told["ours"] == told["theirs"]
    assert set(told["all"][0]) < set(told["all"][1])


# -- Schedulers ------------------------------------------------------------------------------------

SCHEDULERS = """
def answer(module, given, step):
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = module.make_scheduler(**given)
        return made(step).name, made(step).value, [it.category.__name__ for it in caught]
    except Exception as error:
        return type(error).__name__

chance = random.Random(int(sys.argv[1]))
ODD = (-1, 0, 1.5, 2.0, True, "2", None, [])
told["differ"], told["seen"] = [], {}
for number in range(10_000):
    largest = chance.choice((2, 5, 50))
    given = {
        name: chance.choice(ODD) if chance.random() < 0.03 else chance.randrange(largest)
        for name in ("closed", "ready", "record", "repeat", "skip_first")
        if name in ("closed", "ready", "record") or chance.random() < 0.7
    }
    step = chance.randrange(-1 if chance.random() < 0.05 else 0, 8 * largest)
    pair = answer(theirs, given, step), answer(ours, given, step)
    told["seen"][pair[0] if isinstance(pair[0], str) else pair[0][0]] = number
    if pair[0] != pair[1]:
        told["differ"].append((given, step, pair))
"""


@pytest.mark.parametrize("seed", [18, 331])
def test_schedulers_are_equal_on_random_arguments_and_steps(tmp_path, seed):
    told, _ = run(SCHEDULERS, tmp_path, "tracer.compat.paddle", str(seed))
    assert told["differ"] == []
    assert {"CLOSED", "READY", "RECORD", "RECORD_AND_RETURN", "AssertionError", "TypeError"} == (
        told["seen"].keys()
    )


CYCLES = """
def scheduler_of(module, plan):
    if isinstance(plan, dict):
        return module.make_scheduler(**plan)
    if isinstance(plan, list):
        return lambda step: module.ProfilerState(plan[min(step, len(plan) - 1)])
    return plan

def play(module, plan, steps, starts):
    log = []
    def ready(prof):
        state = prof.step_num, prof.previous_state.name, prof.current_state.name
        log.append(("ready", *state, steps_of(prof.profiler_result)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scheduler = scheduler_of(module, plan)
        targets = [module.ProfilerTarget.CPU]
        prof = module.Profiler(targets=targets, scheduler=scheduler, on_trace_ready=ready)
        for _ in range(starts):
            prof.start()
            for _ in range(steps):
                prof.step()
                state = prof.step_num, prof.previous_state.name, prof.current_state.name
                log.append((*state, len(caught)))
            prof.stop()
            log.append((prof.step_num, prof.current_state.name, len(caught)))
    return log

def plan_of(chance):
    kind = chance.random()
    if kind < 0.1:
        return None
    if kind < 0.3:
        start = chance.randint(-1, 5)
        return start, max(start, 0) + chance.randint(1, 4)
    if kind < 0.7:
        names = ("closed", "ready", "repeat", "skip_first")
        return {**{name: chance.randint(0, 2) for name in names}, "record": chance.randint(1, 3)}
    return [chance.randint(0, 3) for _ in range(8)]

chance = random.Random(5)
told["differ"], told["ready"] = [], 0
for _ in range(400):
    plan, steps, starts = plan_of(chance), chance.randint(0, 9), 1 + (chance.random() < 0.2)
    pair = play(theirs, plan, steps, starts), play(ours, plan, steps, starts)
    told["ready"] += sum(it[0] == "ready" for it in pair[0])
    if pair[0] != pair[1]:
        told["differ"].append((plan, steps, starts, pair))
"""


def test_cycles_states_and_warnings_of_any_loop_are_equal(tmp_path):
    told, _ = run(CYCLES, tmp_path)
    assert told["differ"] == []
    assert told["ready"] > 200


# -- The guide's programs --------------------------------------------------------------------------

PROGRAMS = {
    "a range": """
with profiler.Profiler(targets=CPU, scheduler=(3, 8), on_trace_ready=note) as prof:
    for batch, label in loader():
        train(batch, label)
        prof.step()
prof.summary()
""",
    "several ranges": """
scheduler = profiler.make_scheduler(closed=1, ready=1, record=3, repeat=3)
with profiler.Profiler(targets=CPU, scheduler=scheduler, on_trace_ready=note) as prof:
    for batch, label in loader():
        train(batch, label)
        prof.step()
prof.summary()
""",
    "all steps": """
with profiler.Profiler(targets=CPU, on_trace_ready=note) as prof:
    for batch, label in loader(size=64):
        train(batch, label)
        prof.step()
prof.summary(time_unit="us", op_detail=False)
""",
    "start, step and stop": """
prof = profiler.Profiler(targets=CPU, scheduler=[1, 9], on_trace_ready=note)
prof.start()
for batch, label in loader(size=64):
    train(batch, label)
    prof.step()
prof.stop()
prof.summary(sorted_by=profiler.SortedKeys.CPUMin, thread_sep=True)
""",
    "a scheduler of one's own": """
def scheduler(step):
    return profiler.ProfilerState((0, 1, 2, 3, 0)[step % 5])

with profiler.Profiler(targets=CPU, scheduler=scheduler, on_trace_ready=note) as prof:
    for batch, label in loader():
        train(batch, label)
        prof.step()
prof.summary(views=[profiler.SummaryView.ModelView, profiler.SummaryView.OverView])
""",
    "a callback of one's own": """
def ready(prof):
    note(prof)
    prof.summary(views=profiler.SummaryView.ModelView)
    profiler.export_chrome_tracing("log", "worker")(prof)
    profiler.export_protobuf("log")(prof)

with profiler.Profiler(targets=CPU, scheduler=(2, 5), on_trace_ready=ready) as prof:
    for batch, label in loader():
        train(batch, label)
        prof.step()
""",
    "events of one's own": """
with profiler.Profiler(targets=CPU, scheduler=(2, 5), on_trace_ready=note) as prof:
    for batch, label in loader():
        with profiler.RecordEvent("a step of mine"):
            train(batch, label)
        event = profiler.RecordEvent("MemCpy of mine")
        event.begin()
        event.end()
        with profiler.RecordEvent("a forward of mine", profiler.TracerEventType.Forward):
            net(batch)
        prof.step()
prof.summary()
""",
    "nothing of a step": """
with profiler.Profiler(targets=CPU, scheduler=(2, 5), on_trace_ready=note) as prof:
    for _ in range(7):
        prof.step()
prof.summary()
""",
    "minimize, and backward of autograd": """
with profiler.Profiler(targets=CPU, scheduler=(2, 5), on_trace_ready=note) as prof:
    for batch, label in loader():
        loss = loss_of(net(batch), label)
        paddle.autograd.backward([loss])
        optimizer.minimize(loss)
        net.clear_gradients()
        prof.step()
prof.summary()
""",
    "threads and an evaluation": """
import threading

def evaluate():
    for batch, _ in loader(size=320):
        net(batch)

with profiler.Profiler(targets=CPU, scheduler=(2, 5), on_trace_ready=note) as prof:
    for batch, label in loader():
        train(batch, label)
        thread = threading.Thread(target=evaluate)
        thread.start()
        thread.join()
        prof.step()
prof.summary()
""",
    "worker processes": """
if __name__ == "__main__":
    with profiler.Profiler(targets=CPU, scheduler=(2, 8), on_trace_ready=note) as prof:
        for batch, label in loader(workers=2):
            train(batch, label)
            prof.step()
    prof.summary()
""",
}
NOTE = """
told["cycles"] = []
def note(prof):
    told["cycles"].append((prof.step_num, steps_of(prof.profiler_result)))
"""
FILES = """
if __name__ == "__main__":
    told["files"] = sorted(os.listdir("log")) if os.path.isdir("log") else []
"""


def anonymous(name):
    """The name of a file without what differs from run to run."""
    return re.sub(r"\d+", "0", name)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_programs_of_the_guide(tmp_path, kind):
    (theirs, their_text), (ours, our_text) = both(NOTE + PROGRAMS[kind] + FILES, tmp_path)
    assert ours["cycles"] == theirs["cycles"]
    assert [*map(anonymous, ours["files"])] == [*map(anonymous, theirs["files"])]
    their_tables, our_tables = tables_of(their_text), tables_of(our_text)
    assert "Model Summary" in our_tables or kind == "nothing of a step"
    assert our_tables.keys() - their_tables.keys() <= {"Operator Summary"}
    assert their_tables.keys() - our_tables.keys() <= set()
    for title, (headings, _) in our_tables.items():
        assert headings == their_tables.get(title, (headings,))[0], title
    for title in ("Model Summary", "UserDefined Summary", "Memory Manipulation Summary"):
        rows = [
            {name: cells[0] for name, cells in tables.get(title, ((), {}))[1].items()}
            for tables in (their_tables, our_tables)
        ]
        assert rows[1] == rows[0], title


TIMER = """
prof = profiler.Profiler(targets=CPU, timer_only=True)
prof.start()
for number, (batch, label) in enumerate(loader()):
    train(batch, label)
    prof.step(num_samples=len(batch))
    if number % 5 == 4:
        print(f"Iter {number}:", prof.step_info(unit="images"))
prof.stop()
"""


def test_the_timer(tmp_path):
    texts = [text for _, text in both(TIMER, tmp_path)]
    shapes = [re.sub(r"\s+", " ", re.sub(r"\d+\.\d+", "#", text)) for text in texts]
    assert shapes[1] == shapes[0]
    for name, *cells in re.findall(
        r"\| +(\w+) +\| +([\d.]+) +\| +([\d.]+) +\| +([\d.]+)", texts[1]
    ):
        average, most, least = map(float, cells)
        assert 0 < least <= average <= most, name


# -- Figures ---------------------------------------------------------------------------------------

LENGTHS = """
from paddle.profiler.profiler_statistic import StatisticData

def their_rows(result):
    summary = StatisticData(result.get_data(), result.get_extra_info()).event_summary
    return summary.model_perspective_items

def lengths_of(result):
    # Of the phases that are in no other phase.
    names = ("ProfileStep", "Dataloader", "Forward", "Backward", "Optimization")
    found = {name: [] for name in names}
    waiting = [root for root in result.get_data().values()]
    while waiting:
        node = waiting.pop()
        kind = str(node.type).split(".")[1]
        if kind in found:
            found[kind].append((node.end_ns - node.start_ns) / 1e6)
        if kind not in names[1:]:
            waiting += node.children_node
    return found
"""
AT_ONCE = """
import tracer.api.step_profiler

class Steps(tracer.compat.paddle_parts.profiler._Steps):
    # Paddle's times have the overhead of both: here tracer's keep it, too.
    def __init__(self, *arguments, compensate):
        super().__init__(*arguments)

if __name__ == "__main__":
    tracer.compat.paddle_parts.profiler._Steps = Steps
    made = [
        module.Profiler(
            targets=[module.ProfilerTarget.CPU],
            scheduler=eval(sys.argv[1]),
            on_trace_ready=lambda prof: None,
        )
        for module in (theirs, ours)
    ]
    run(made, steps=20, workers=int(sys.argv[2]))
    told["theirs"], told["ours"] = (lengths_of(one.profiler_result) for one in made)
    rows = made[1].profiler_result.summary()
    told["calls"] = {row.name: row.calls for row in (rows.steps, *rows.phases)}
    told["their calls"] = {
        name: item.call for name, item in their_rows(made[0].profiler_result).items()
    }
"""


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("scheduler", ["(4, 16)", "None"])
def test_calls_and_times_of_the_same_steps(tmp_path, scheduler, workers):
    """Both profile the same run: what the machine does meanwhile is in the times of both."""
    told, _ = run(LENGTHS + AT_ONCE, tmp_path, "tracer.compat.paddle", scheduler, str(workers))
    assert told["calls"] == told["their calls"]
    assert {name: len(those) for name, those in told["ours"].items()} == told["calls"]
    for name, those in told["theirs"].items():
        ratio = median(told["ours"][name]) / median(those)
        assert 0.85 < ratio < 1.15, (name, ratio)


READ = """
prof = ours.Profiler(scheduler=(2, 6), on_trace_ready=lambda prof: prof.export("one.pb", "pb"))
with prof:
    for batch, label in loader():
        with ours.RecordEvent("mine"):
            train(batch, label)
        prof.step()
told["ours"] = lengths_of(prof.profiler_result)
told["ours, read by Paddle"] = lengths_of(theirs.load_profiler_result("one.pb"))
told["ours, read by tracer"] = lengths_of(ours.load_profiler_result("one.pb"))
read = theirs.load_profiler_result("one.pb")
told["in Paddle's tables"] = [
    {name: item.call for name, item in their_rows(read).items()},
    [*StatisticData(read.get_data(), read.get_extra_info()).event_summary.userdefined_items],
]

prof = theirs.Profiler(targets=[theirs.ProfilerTarget.CPU], scheduler=(2, 6),
                       on_trace_ready=lambda prof: None)
run([prof])
prof.export("two.pb", "pb")
told["theirs"] = lengths_of(prof.profiler_result)
told["theirs, read by tracer"] = lengths_of(ours.load_profiler_result("two.pb"))
"""


def test_each_reads_the_others_files(tmp_path):
    told, _ = run(LENGTHS + READ, tmp_path)
    assert told["ours"] == told["ours, read by Paddle"] == told["ours, read by tracer"]
    assert told["theirs"] == told["theirs, read by tracer"]
    calls = {name: len(those) for name, those in told["ours"].items()}
    assert told["in Paddle's tables"] == [calls, ["mine"]]
    assert calls["ProfileStep"] == 4


ADDED = """
import contextlib, io

def seconds_of(module):
    optimizer.clear_grad()
    gc.collect()
    begin = time.process_time()
    prof = None
    if module is not None:
        prof = module.Profiler(
            targets=[module.ProfilerTarget.CPU],
            scheduler=(1, 16),
            on_trace_ready=module.export_chrome_tracing("log"),
        )
    with contextlib.redirect_stdout(io.StringIO()):
        run([prof] if prof else [], steps=16, size=4)
        if prof:
            prof.summary()
    return time.process_time() - begin

told["seconds"] = {"plain": [], "theirs": [], "ours": []}
kinds = {"plain": None, "theirs": theirs, "ours": ours}
for name, module in kinds.items():
    seconds_of(module)
for _ in range(9):
    for name, module in kinds.items():
        told["seconds"][name].append(seconds_of(module))
"""


def test_the_time_that_a_profile_adds_is_less(tmp_path):
    """From the start to the printed tables, a file for each cycle included; of interleaved runs."""
    told, _ = run(ADDED, tmp_path)
    plain, theirs, ours = (median(told["seconds"][name]) for name in ("plain", "theirs", "ours"))
    assert ours - plain < theirs - plain, told["seconds"]
