"""data/phases.py, analysis/phase_rules.py, analysis/phases.py: which functions are of which phase,
and when the phases of a run were."""

import asyncio
import random
from textwrap import dedent

import pytest

import tracer
from rows import Clock
from timelines import capture_of, run_of
from tracer.analysis.phase_rules import (
    BARE,
    BUILT_IN,
    ConfigError,
    Rules,
    configured,
    is_named,
    merged,
    rules_of,
)
from tracer.analysis.phases import Phase, covered, full_name, names_of, phases_in, shares, united
from tracer.analysis.timeline_run import runs_of
from tracer.data.phases import checked


def rules(**own):
    return Rules(checked(own), BUILT_IN, BARE)


def found(text, *more, own=(), **options):
    """(category, start, end, thread) of each phase of a run that is written as text."""
    run = run_of(text, *more, **options)
    return [(it.category, it.start, it.end, it.thread) for it in phases_in(run, rules(**dict(own)))]


# -- What a user gives -----------------------------------------------------------------------------


def test_names_become_tuples():
    assert checked({"load": ["a.b", " c "], "save": ()}) == {"load": ("a.b", "c"), "save": ()}


@pytest.mark.parametrize(
    ("phases", "error", "said"),
    [
        (["load"], TypeError, "phases must be a mapping, not ['load']; give {'load': ["),
        ({"load": "a.b"}, TypeError, "phases['load'] must be a list of names, not 'a.b'; give"),
        ({"load": 3}, TypeError, "phases['load'] must be a list of names, not 3; give"),
        ({"load": [3]}, TypeError, "phases need names that are text, not 3; give"),
        ({3: ["a"]}, TypeError, "phases need names that are text, not 3; give"),
        ({"load": [" "]}, ValueError, "phases need names that are not empty; give"),
        ({"": ["a"]}, ValueError, "phases need names that are not empty; give"),
        ({"step": ["a"]}, ValueError, "no phase can have the name 'step', which means a step"),
        ({"others": []}, ValueError, "no phase can have the name 'others', which means what is"),
    ],
)
def test_what_is_no_table_of_phases(phases, error, said):
    with pytest.raises(error) as raised:
        checked(phases)
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("name", "rule", "means"),
    [
        ("mypkg.io.Reader.read", "mypkg.io.Reader.read", True),
        ("mypkg.io.Reader.read", "Reader.read", True),
        ("mypkg.io.Reader.read", "eader.read", False),
        ("mypkg.io.Reader.read", "mypkg.io.Reader", False),
        ("mypkg.io.Reader.read", "mypkg.*.read", True),
        ("src.mypkg.io.Reader.read", "mypkg.*.read", True),
        ("mypkg.io.Reader.read", "ypkg.*.read", False),
        ("mypkg.io.Reader.read", "MYPKG.*.read", False),
        ("mypkg.io.Reader.read_all", "mypkg.*.read", False),
        ("mypkg.f.<locals>.g", "mypkg.f.<locals>.g", True),
        ("builtins.max", "{built-in method builtins.max}", True),
        ("builtins.max", "max", True),
        ("TextIOWrapper.read", "{method 'read' of '_io.TextIOWrapper' objects}", True),
        ("TextIOWrapper.read", "method 'read' of '_io.FileIO' objects", False),
        ("list.append", "method 'append' of 'list' objects", True),
    ],
)
def test_which_function_a_rule_means(name, rule, means):
    assert is_named(name, rule) is means


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("torch.utils.data.dataloader._BaseDataLoaderIter.__next__", "load"),
        ("torch.nn.modules.module.Module._call_impl", "forward"),
        ("torch._tensor.Tensor.backward", "backward"),
        ("torch.optim.optimizer.Optimizer.profile_hook_step.<locals>.wrapper", "optimizer"),
        ("torch.optim.lr_scheduler.StepLR.step", None),
        ("paddle.optimizer.adam.Adam.step", "optimizer"),
        ("paddle.optimizer.lamb.Lamb.step", "optimizer"),
        ("paddle.optimizer.optimizer.Optimizer.minimize", "optimizer"),
        ("paddle.optimizer.lr.LRScheduler.step", None),
        ("keras.src.layers.layer.Layer.__call__", "forward"),
        ("net.Net.forward", None),
    ],
)
def test_functions_of_the_frameworks(name, category):
    assert rules().category(name, is_own=False) == category
    assert rules().category("__main__.other", name, is_own=False) == category


def test_bare_names_count_in_the_programs_own_code_alone():
    assert rules().category("net.Net.forward", is_own=True) == "forward"
    assert rules().category("net.forwards", is_own=True) is None


def test_rules_of_the_user_come_first():
    mine = rules(mine=["net.Net.*"])
    assert mine.category("net.Net.forward", is_own=True) == "mine"
    assert mine.categories == ["load", "forward", "backward", "optimizer", "mine"]


def test_rules_of_several_tables_are_joined():
    tables = {"load": ["a", "b"]}, {"load": ["b", "c"], "save": ["d"]}
    assert merged(*tables) == {"load": ("a", "b", "c"), "save": ("d",)}


def test_a_function_of_the_program_is_of_main_too():
    text = """
    <module>@main 0-100
      read@main 10-40
      read@helpers 50-60
    """
    own = {"load": ["__main__.read"]}
    assert found(text, own=own) == [("load", 10, 40, 0)]
    assert found(text.replace("<module>", "main"), own=own) == []  # which file is it then?
    run = run_of(text)
    rows = {it.name: number for number, it in enumerate(run.outline.paths.rows)}
    assert names_of(run, rows["<module>"]) == ("main.<module>", "__main__.<module>")
    files = {it.file.rpartition("/")[2]: n for n, it in enumerate(run.outline.paths.rows)}
    assert names_of(run, files["helpers.py"]) == ("helpers.read",)


def test_the_programs_file_is_that_of_the_outermost_module():
    """runpy runs it for -m; what is imported has callers of the program's."""
    text = """
    _run_module_as_main@runpy 0-100
      _run_code@runpy 0-100
        <module>@main 0-100
          _find_and_load@boot 10-30
            <module>@helpers 10-30
              read@helpers 12-20
          read@main 40-50
    """
    assert found(text, own={"load": ["__main__.read"]}) == [("load", 40, 50, 0)]
    imported = text.replace("<module>@main", "work@main")
    assert found(imported, own={"load": ["__main__.read"]}) == []


def test_rules_that_no_function_has():
    mine = rules(load=["io.read", "io.*"], save=["io.write"])
    assert mine.unmatched(["pkg.io.read"]) == [("save", "io.write")]


# -- pyproject.toml --------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch):
    def put(text, folder="."):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "pyproject.toml").write_text(dedent(text))
        (tmp_path / "below").mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / "below")
        return tmp_path / folder / "pyproject.toml"

    return put


def test_the_nearest_pyproject_is_read(project):
    project("""
        [tool.tracer.phases]
        load = ["shop.read"]
    """)
    assert configured() == {"load": ("shop.read",)}
    project("[tool.tracer]\n", "below")
    assert configured() == {}


def test_the_profiles_own_rules_come_before_those_of_pyproject(project):
    project("[tool.tracer.phases]\nread = ['shop.read']\nsave = ['shop.save']\n")
    capture = capture_of("main@main 0-9\n")
    capture.phases = {"save": ("shop.keep",)}
    found = rules_of(tracer.Stats(capture))
    assert found.own == {"save": ("shop.keep", "shop.save"), "read": ("shop.read",)}
    capture.project_phases = {"read": ("shop.take",)}
    found = rules_of(tracer.Stats(capture))
    assert found.own == {"save": ("shop.keep",), "read": ("shop.take",)}


@pytest.mark.parametrize("text", ["", "[tool]", "[tool.tracer]\nother = 3", "[other]"])
def test_a_pyproject_of_others_tells_nothing(project, text):
    project(text)
    assert configured() == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool", " is no TOML file: Expected ']' at the end of a table declaration"),
        ("\xff", " is no TOML file: 'utf-8' codec can't decode byte 0xff in position 0"),
        (f"a = {'[' * 5000}", " is no TOML file: "),
        ("tool = 3", ": tool is no table; correct the file"),
        ("[tool]\ntracer = 3", ": tool.tracer is no table; correct the file"),
    ],
)
def test_a_broken_pyproject_is_said_to_be_broken(project, text, said):
    path = project("")
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError) as raised:
        configured()
    assert str(raised.value).startswith(f"{path}{said}")
    assert "\n" not in str(raised.value)


def test_improper_phases_of_pyproject_are_one_clear_error(project):
    path = project("[tool.tracer.phases]\nload = 'shop.read'\n")
    with pytest.raises(ConfigError) as raised:
        configured()
    assert str(raised.value) == (
        f"{path}: tool.tracer.phases['load'] must be a list of names, not 'shop.read'; give "
        "{'load': ['mypkg.io.read']}: a category, and the names of its functions"
    )


# -- When phases were ------------------------------------------------------------------------------


def test_the_outermost_calls_are_the_phases():
    text = """
    main@main 0-1000
      load_batch@main 0-100
        load_batch@main 20-40
      forward@main 100-300
        layer@main 110-290
          forward@main 120-280
      forward@main 300-400
      forward@numpy 400-500
    """
    assert found(text) == [
        ("load", 0, 100, 0),
        ("forward", 100, 300, 0),
        ("forward", 300, 400, 0),
    ]


def test_phases_of_different_categories_may_lie_in_each_other():
    text = """
    main@main 0-1000
      optimizer_step@main 100-900
        forward@main 200-300
        backward@main 300-500
    """
    expected = [("optimizer", 100, 900, 0), ("forward", 200, 300, 0), ("backward", 300, 500, 0)]
    assert found(text) == expected


def test_each_thread_has_phases_of_its_own():
    text = "main@main 0-1000\n  forward@main 0-500\n"
    assert found(text, text) == [("forward", 0, 500, 0), ("forward", 0, 500, 1)]


def test_functions_in_c_and_of_libraries_by_rules_of_the_user():
    text = """
    main@main 0-1000
      time.sleep 0-100
      fetch@numpy 100-300
        time.sleep 150-200
    """
    own = {"wait": ["time.sleep"], "fetch": ["numpy.fetch"]}
    assert found(text, own=own) == [
        ("wait", 0, 100, 0),
        ("fetch", 100, 300, 0),
        ("wait", 150, 200, 0),
    ]


def test_ranges_of_a_category_are_phases_and_united_with_calls():
    ranges = [
        (0, 1, 50, 150, "any", "forward", (), 0, 0),
        (0, 1, 500, 600, "any", "forward", (), 0, 0),
        (0, 1, 700, -1, "not ended", "forward", (), 0, 0),
        (0, 1, 800, 850, "any", "elsewhere", (), 0, 0),
        (0, 1, 0, 900, "step", "step", (), 0, 0),
    ]
    text = "main@main 0-1000\n  forward@main 100-300\n"
    assert found(text, ranges=ranges) == [("forward", 50, 300, 0), ("forward", 500, 600, 0)]


def test_a_range_may_have_a_category_of_the_users_table_without_functions():
    ranges = [(0, 1, 50, 150, "any", "save", (), 0, 0)]
    assert found("main@main 0-1000\n", ranges=ranges, own={"save": []}) == [("save", 50, 150, 0)]


TASKS = """
main@main 0-1000
  load_batch@main 100-200 #1
  load_batch@main 300-350 #2
  load_batch@main 400-500 #1
  handle@main 600-900 #3
    load_batch@main 600-650
  handle@main 910-990 #3
    load_batch@main 910-940
"""


def test_a_task_is_a_phase_until_it_ended():
    """A coroutine that another one awaits is told in stretches."""
    tasks = [(1, 0, 2, 100, 550, "first"), (2, 0, 2, 300, -1, "goes on"), (3, 0, 3, 600, 990, "x")]
    assert found(TASKS, tasks=tasks) == [
        ("load", 100, 550, 0),
        ("load", 600, 650, 0),
        ("load", 910, 940, 0),
    ]


def test_a_task_of_which_nothing_is_known_is_told_in_stretches():
    assert [it[1:3] for it in found(TASKS)] == [
        (100, 200),
        (300, 350),
        (400, 500),
        (600, 650),
        (910, 940),
    ]


def test_what_is_shorter_than_the_timelines_limit_is_no_phase():
    text = "main@main 0-1000\n  forward@main 0-100\n  forward@main 100-300\n"
    assert found(text, least=200) == [("forward", 100, 300, 0)]


def test_phases_of_a_real_profile_by_a_clock():
    clock = Clock()

    def forward(ticks):
        clock.now += ticks
        if ticks > 5:
            forward(5)

    profile = tracer.Profile(timer=clock, timeunit=1.0, timeline=True)
    with profile:
        clock.now += 3
        forward(10)
        clock.now += 2
        forward(4)
    (run,) = runs_of(tracer.Stats(profile))
    assert [it[:3] for it in phases_in(run, rules())] == [(3, 18, "forward"), (20, 24, "forward")]


def test_names_with_their_modules():
    text = "main@main 0-9\n  fetch@numpy 0-5\n    time.sleep 0-3\n"
    run = run_of(text)
    names = [full_name(run, row) for row in range(3)]
    assert names == ["main.main", "numpy.fetch", "time.sleep"]


def test_a_task_of_asyncio_is_a_phase_with_its_waits():
    """The reader takes 3, and waits for 20 in between."""
    clock = Clock()
    profile = tracer.Profile(timer=clock, timeunit=1.0, timeline=True)

    async def load_batch():
        clock.now += 1
        await asyncio.sleep(0)
        clock.now += 2

    async def main():
        reader = asyncio.create_task(load_batch())
        await asyncio.sleep(0)  # the reader begins
        clock.now += 20
        await reader

    with profile:
        clock.now += 5
        asyncio.run(main())
    (run,) = runs_of(tracer.Stats(profile))
    assert [it[:3] for it in phases_in(run, rules())] == [(5, 28, "load")]


def test_a_coroutine_that_another_one_awaits_is_told_in_stretches():
    clock = Clock()
    profile = tracer.Profile(timer=clock, timeunit=1.0, timeline=True)

    async def load_batch():
        clock.now += 1
        await asyncio.sleep(0)
        clock.now += 2

    async def other():
        clock.now += 10

    async def main():
        task = asyncio.create_task(other())
        await load_batch()
        await task

    with profile:
        asyncio.run(main())
    (run,) = runs_of(tracer.Stats(profile))
    assert [it[:3] for it in phases_in(run, rules())] == [(0, 1, "load"), (11, 13, "load")]


# -- Against a model -------------------------------------------------------------------------------


def random_phases(chance, number):
    """Phases of one thread that overlap as they like."""
    found = []
    for _ in range(number):
        start = chance.randrange(60)
        found.append(Phase(start, start + chance.randrange(25), chance.choice("abc"), 0))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_phases_and_shares_are_those_of_a_model(seed):
    chance = random.Random(seed)
    phases = random_phases(chance, chance.randrange(12))
    joined = united(phases)
    assert joined == sorted(joined, key=lambda it: (it.start, -it.end))
    for category in "abc":
        ticks = {t for it in phases if it.category == category for t in range(it.start, it.end)}
        mine = [it for it in joined if it.category == category]
        assert {t for it in mine for t in range(it.start, it.end)} == ticks
        assert sum(it.end - it.start for it in mine) == len(ticks)
        assert covered((it.start, it.end) for it in phases if it.category == category) == len(ticks)
    start = chance.randrange(30)
    end = start + chance.randrange(50)
    expected = dict.fromkeys("abc", 0)
    others = 0
    for tick in range(start, end):
        around = [it for it in joined if it.start <= tick < it.end]
        if around:
            expected[around[-1].category] += 1
        else:
            others += 1
    ticks, rest = shares(start, end, joined)
    assert {name: ticks.get(name, 0) for name in "abc"} == expected
    assert rest == others
    assert sum(ticks.values()) + rest == end - start


# -- Files -----------------------------------------------------------------------------------------


def test_phases_are_kept_in_a_file(tmp_path):
    path = tmp_path / "x.out"
    with tracer.StepProfiler(phases={"save": ["shop.keep"]}) as profiler:
        profiler.step()
    profiler.dump_stats(path)
    assert rules_of(tracer.Stats(path)).own == {"save": ("shop.keep",)}
