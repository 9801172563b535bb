"""Back ends: which one is picked, who asked for it, what each must do, and where each is named.

What the one for sys.monitoring holds of the interpreter is in test_tool_ids.py.
"""

import ast
import re
from itertools import permutations

import pytest

import tracer
from hooks import BACKENDS, HAS_MONITORING, held
from places import ROOT
from rows import calls, calls_of, record
from tracer._core import BACKEND_TITLES

VARIABLE = "TRACER_BACKEND"


def leaf():
    len("")


# -- Picking -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize("variable", [None, ""])
def test_the_best_one_is_the_default(variable, monkeypatch):
    if variable is not None:
        monkeypatch.setenv(VARIABLE, variable)
    backend = tracer.Profile().backend
    assert (backend, backend.reason) == (
        ("monitoring", "the default on Python 3.12 and later")
        if HAS_MONITORING
        else ("setprofile", "sys.monitoring needs Python 3.12 or later")
    )
    assert isinstance(backend, str)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_environment_asks(backend, monkeypatch):
    monkeypatch.setenv(VARIABLE, backend)
    found = tracer.Profile().backend
    assert (found, found.reason) == (backend, f"asked for by TRACER_BACKEND={backend}")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("variable", [*BACKENDS, "nonsense"])
def test_the_program_asks_before_the_environment(backend, variable, monkeypatch):
    monkeypatch.setenv(VARIABLE, variable)
    found = tracer.Profile(backend=backend).backend
    assert (found, found.reason) == (backend, f"asked for by backend={backend}")


@pytest.mark.parametrize("name", ["Monitoring", "settrace", "monitoring "])
def test_a_name_that_is_none_is_refused(name, monkeypatch):
    rest = f"{name}: choose from {', '.join(BACKENDS)}$"
    with pytest.raises(ValueError, match=f"^backend={rest}"):
        tracer.Profile(backend=name)
    monkeypatch.setenv(VARIABLE, name)
    with pytest.raises(ValueError, match=f"^{VARIABLE}={rest}"):
        tracer.Profile()


def test_what_is_no_name_is_refused():
    with pytest.raises(ValueError, match=r"^backend=: choose from"):
        tracer.Profile(backend="")
    for value in (3, b"setprofile", True):
        with pytest.raises(TypeError):
            tracer.Profile(backend=value)


@pytest.mark.skipif(HAS_MONITORING, reason="here is sys.monitoring")
@pytest.mark.parametrize("asker", ["backend", VARIABLE])
def test_monitoring_before_3_12(asker, monkeypatch):
    options = {"backend": "monitoring"} if asker == "backend" else {}
    monkeypatch.setenv(VARIABLE, "monitoring")
    with pytest.raises(
        ValueError,
        match=f"^{asker}=monitoring needs Python 3.12 or later; here there is setprofile$",
    ):
        tracer.Profile(**options)


def test_a_name_refused_leaves_the_profile_as_it_was():
    profile = tracer.Profile(backend="setprofile")
    profile.enable()
    with pytest.raises(ValueError, match="choose from"):
        profile.__init__(backend="nonsense")
    assert profile.enabled
    leaf()
    profile.disable()
    assert profile.backend == "setprofile"
    assert calls_of(profile, leaf) == [1]


def test_not_all_callables_with_setprofile(monkeypatch):
    expected = (
        "^builtins='all' cannot be recorded with the back end setprofile; use "
        "backend='monitoring', which needs Python 3.12 or later, or builtins=True$"
    )
    with pytest.raises(ValueError, match=expected):
        tracer.Profile(builtins="all", backend="setprofile")
    profile = tracer.Profile(backend="setprofile")
    with pytest.raises(ValueError, match=expected):
        profile.enable(builtins="all")
    assert not profile.enabled
    assert "<built-in method builtins.len>" in calls(record(leaf, backend="setprofile"))
    monkeypatch.setenv(VARIABLE, "setprofile")
    with pytest.raises(ValueError, match=expected):
        tracer.Profile(builtins="all")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_profile_and_its_captures_say_which(backend, tmp_path):
    profile = record(leaf, backend=backend)
    with pytest.raises(AttributeError):
        profile.backend = backend
    profile.dump_stats(tmp_path / "profile.out")
    (saved,) = tracer.Stats(tmp_path / "profile.out").captures
    assert profile.backend == profile.capture().backend == saved.backend == backend


@pytest.mark.skipif(not HAS_MONITORING, reason="sys.monitoring came with Python 3.12")
@pytest.mark.parametrize("old, new", [("monitoring", "setprofile"), ("setprofile", "monitoring")])
def test_the_constructor_called_again_picks_anew(old, new):
    profile = tracer.Profile(backend=old)
    profile.enable()
    profile.__init__(backend=new)
    assert held() == []
    with profile:
        leaf()
        assert len(held()) == 1
    assert (profile.backend, calls(profile)["leaf"]) == (new, 1)
    assert held() == []


# -- What each must do -------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_is_held_but_while_it_is_enabled(backend):
    profile = tracer.Profile(backend=backend)
    assert held() == []
    for times in (1, 2):
        profile.enable()
        profile.enable()
        leaf()
        assert held() != []
        profile.disable()
        assert (held(), calls_of(profile, leaf)) == ([], [times])
        profile.disable()
        leaf()
    assert calls_of(profile, leaf) == [2]


@pytest.mark.parametrize("backend", BACKENDS)
def test_two_of_a_kind(backend):
    first, second = (tracer.Profile(backend=backend) for _ in range(2))
    with first:
        leaf()
        with second:
            leaf()
        assert held() != []
        leaf()
    assert (calls_of(first, leaf), calls_of(second, leaf), held()) == ([3], [1], [])


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_runs_already_has_no_call(backend):
    def outer():
        profile.enable()
        leaf()

    profile = tracer.Profile(backend=backend)
    outer()
    profile.disable()
    assert calls_of(profile, outer, leaf) == [0, 1]


@pytest.mark.skipif(len(BACKENDS) < 2, reason="there is one back end before Python 3.12")
@pytest.mark.parametrize(("one", "other"), list(permutations(BACKENDS, 2)))
def test_each_kind_gets_its_own_events(one, other):
    """A back end that gave its events another kind would have them counted twice for that kind,
    and never for its own."""
    first, second = tracer.Profile(backend=one), tracer.Profile(backend=other)
    with first:
        leaf()
        with second:
            leaf()
        leaf()
    with second:
        leaf()
    assert (calls_of(first, leaf), calls_of(second, leaf), held()) == ([3], [2], [])
    for profile in (first, second):
        assert calls(profile)["<built-in method builtins.len>"] == calls_of(profile, leaf)[0]


# -- Where they are named ----------------------------------------------------------------------


def test_those_of_this_python_are_some_of_all_the_best_first():
    known = list(BACKEND_TITLES)
    assert [name for name in known if name in BACKENDS] == BACKENDS
    assert tracer.Profile(backend=BACKENDS[0]).backend == BACKENDS[0]


def test_the_types_name_them_all():
    found = [
        ast.literal_eval(node.value.slice)
        for node in ast.parse((ROOT / "python/tracer/_core.pyi").read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "BackendName"
    ]
    assert found == [tuple(BACKEND_TITLES)]


@pytest.mark.parametrize(
    ("document", "start"),
    [
        ("docs/reference/python-api.md", "- **`backend`** names"),
        ("docs/reference/file-format.md", '| `backend` | `"'),
    ],
)
def test_the_documents_name_them_all(document, start):
    text = (ROOT / document).read_text()
    _, found, rest = text.partition(start)
    assert found
    paragraph = re.split(r"\n(?! )", start + rest)[0]
    assert re.findall(r'`"(\w+)"`', paragraph) == list(BACKEND_TITLES)
