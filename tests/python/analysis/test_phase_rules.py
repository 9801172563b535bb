"""data/phases.py, analysis/steps/phase_rules.py: which functions are of which phase, by what a user
gives or pyproject.toml has, and by the rules of tracer's own."""

from textwrap import dedent

import pytest

import tracer
from phasing import found, rules
from timelines import capture_of, run_of
from tracer.analysis.steps.phase_rules import ConfigError, configured, is_named, merged, rules_of
from tracer.analysis.steps.phases import names_of
from tracer.data.phases import checked


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


def test_phases_are_kept_in_a_file(tmp_path):
    path = tmp_path / "x.out"
    with tracer.StepProfiler(phases={"save": ["shop.keep"]}) as profiler:
        profiler.step()
    profiler.dump_stats(path)
    assert rules_of(tracer.Stats(path)).own == {"save": ("shop.keep",)}


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
