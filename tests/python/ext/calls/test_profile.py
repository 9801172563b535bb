"""tracer.Profile: the interface it shares with cProfile.Profile, and what it counts.

Results have test_results.py, rows test_rows.py, timers test_timers.py, threads test_threads.py.
"""

import contextlib
import cProfile
import inspect
import pstats
import sys
import threading

import pytest

import tracer
from hooks import held
from rows import Clock, by_name, calls
from tracer._core import unrecorded


def leaf():
    pass


def twice(function):
    function()
    function()


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


# -- The interface -----------------------------------------------------------------------------


def parameters(function):
    found = inspect.signature(function).parameters.values()
    return [(item.name, item.kind, item.default) for item in found]


@pytest.mark.parametrize(
    "name",
    ["create_stats", "dump_stats", "print_stats", "run", "runcall", "runctx", "snapshot_stats"],
)
def test_methods_have_the_signatures_of_cprofile(name):
    assert parameters(getattr(tracer.Profile, name)) == parameters(getattr(cProfile.Profile, name))


@pytest.mark.parametrize("name", ["run", "runctx"])
def test_functions_have_the_signatures_of_cprofile(name):
    assert parameters(getattr(tracer, name)) == parameters(getattr(cProfile, name))


def test_nothing_public_of_cprofile_is_missing():
    public = {name for name in dir(cProfile.Profile) if not name.startswith("_")}
    assert public <= set(dir(tracer.Profile))


def test_c_methods_tell_their_signatures():
    assert (
        str(inspect.signature(tracer.Profile.enable)) == "(self, /, subcalls=True, builtins=True)"
    )
    for name in ("disable", "clear", "getstats"):
        assert str(inspect.signature(getattr(tracer.Profile, name))) == "(self, /)"


def test_constructor_takes_what_cprofile_takes_by_place_and_by_name():
    tracer.Profile(None, 0.0, True, True)
    tracer.Profile(timer=None, timeunit=0.0, subcalls=True, builtins=True, threads=True)
    with pytest.raises(TypeError):
        tracer.Profile(None, 0.0, True, True, True)
    with pytest.raises(TypeError):
        tracer.Profile(nonsense=1)


# -- enable, disable, clear --------------------------------------------------------------------


def test_what_is_called_while_enabled_is_counted_and_nothing_else():
    profile = tracer.Profile()
    leaf()
    profile.enable()
    twice(leaf)
    profile.disable()
    leaf()
    assert calls(profile) == {"twice": 1, "leaf": 2}
    assert by_name(profile)["leaf"].callers == {"twice": (2, 2)}
    assert by_name(profile)["twice"].callers == {}


def test_enabling_again_adds_up():
    profile = tracer.Profile()
    for _ in range(3):
        profile.enable()
        leaf()
        profile.disable()
    assert calls(profile) == {"leaf": 3}


def test_enabling_and_disabling_twice_is_as_once():
    profile = tracer.Profile()
    assert not profile.enabled
    profile.disable()
    profile.enable()
    profile.enable()
    assert profile.enabled
    leaf()
    profile.disable()
    assert not profile.enabled
    profile.disable()
    assert calls(profile) == {"leaf": 1}
    assert held() == []


def test_clear_forgets():
    profile = tracer.Profile()
    profile.runcall(leaf)
    profile.clear()
    assert profile.getstats() == []
    assert tracer.Stats(profile).stats == {}
    profile.runcall(twice, leaf)
    assert calls(profile) == {"twice": 1, "leaf": 2}


def test_clear_leaves_a_thread_unrecorded_that_was_so():
    """The calling thread is unrecorded after record_call(), and within a pause."""
    profile = tracer.Profile(builtins=False)
    profile.record_call(leaf)
    profile.clear()
    leaf()
    assert profile.getstats() == []
    profile.enable()
    with unrecorded:
        profile.clear()
        leaf()
    leaf()
    profile.disable()
    assert calls(profile) == {"leaf": 1}


def test_time_that_is_unrecorded_is_nobodys():
    clock = Clock()

    def inner():
        clock.now += 100

    def outer():
        clock.now += 1
        with unrecorded:
            clock.now += 10
            inner()
        clock.now += 2

    profile = tracer.Profile(clock, 1.0)
    profile.runcall(outer)
    assert by_name(profile) == {"outer": (1, 1, 3.0, 3.0, {})}


def test_a_thread_that_is_ignored_from_now_on():
    def work():
        leaf()
        profile.ignore_thread()
        leaf()

    profile = tracer.Profile(builtins=False)
    for _ in range(2):
        profile.clear()
        with profile:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            leaf()
        rows = [entry for entry in profile.getstats() if entry.code is leaf.__code__]
        assert [row.callcount for row in rows] == [2]


def test_clear_while_enabled_goes_on():
    profile = tracer.Profile()

    def middle():
        leaf()
        profile.clear()
        leaf()

    profile.enable()
    middle()
    fib(1)
    profile.disable()
    # `middle` was running when everything was forgotten: it is a frame from before.
    assert calls(profile) == {"leaf": 1, "fib": 1}
    assert by_name(profile)["leaf"].callers == {}


def test_frames_from_before_are_in_no_row():
    profile = tracer.Profile()

    def outer():
        inner()
        leaf()

    def inner():
        profile.enable()
        leaf()

    outer()
    profile.disable()
    assert calls(profile) == {"leaf": 2}
    assert by_name(profile)["leaf"].callers == {}


def test_frames_still_running_at_disable_count():
    profile = tracer.Profile()

    def outer():
        leaf()
        profile.disable()
        leaf()

    profile.enable()
    outer()
    leaf()
    assert calls(profile) == {"outer": 1, "leaf": 1}


def test_recursion():
    profile = tracer.Profile()
    profile.runcall(fib, 5)
    row = by_name(profile)["fib"]
    assert (row.calls, row.primitive) == (15, 1)
    assert row.callers == {"fib": (14, 2)}


def test_exceptions_end_calls():
    profile = tracer.Profile()

    def fail(depth):
        if depth == 0:
            int("no number")
        fail(depth - 1)

    def catch():
        with contextlib.suppress(ValueError):
            fail(3)
        leaf()

    profile.runcall(catch)
    rows = by_name(profile)
    assert (rows["fail"].calls, rows["fail"].primitive) == (4, 1)
    assert rows["leaf"].callers == {"catch": (1, 1)}


# -- Options -----------------------------------------------------------------------------------


def measure():
    twice(lambda: len("abc"))


@pytest.mark.parametrize("by_enable", [False, True])
def test_without_subcalls(by_enable):
    options = {"subcalls": False}
    profile = tracer.Profile() if by_enable else tracer.Profile(**options)
    profile.enable(**options) if by_enable else profile.enable()
    measure()
    profile.disable()
    rows = by_name(profile)
    assert rows.keys() == {"measure", "twice", "<lambda>", "<built-in method builtins.len>"}
    assert all(row.callers == {} for row in rows.values())
    assert all(entry.calls is None for entry in profile.getstats())


@pytest.mark.parametrize("by_enable", [False, True])
def test_without_builtins(by_enable):
    options = {"builtins": False}
    profile = tracer.Profile() if by_enable else tracer.Profile(**options)
    profile.enable(**options) if by_enable else profile.enable()
    measure()
    profile.disable()
    assert calls(profile) == {"measure": 1, "twice": 1, "<lambda>": 2}


def test_enable_without_options_keeps_those_of_the_constructor():
    profile = tracer.Profile(builtins=False)
    for options in {}, {}, {"subcalls": False}:
        profile.enable(**options)
        len("abc")
        profile.disable()
    assert calls(profile) == {}


def test_a_builtin_has_cprofiles_name_and_its_class():
    """Functions of modules, methods, class methods and static methods."""

    def work():
        len("")
        "".join([])
        dict.fromkeys("a")
        str.maketrans("a", "b")
        bytes.maketrans(b"a", b"b")

    theirs, profile = cProfile.Profile(), tracer.Profile()
    theirs.runcall(work)
    profile.runcall(work)
    names = {label[2] for label in pstats.Stats(theirs).stats}
    assert names - calls(profile).keys() == {"<method 'disable' of '_lsprof.Profiler' objects>"}
    assert sum(count for name, count in calls(profile).items() if "maketrans" in name) == 2
    qualified = {label[2] for label in tracer.Stats(profile, names="qualname").stats}
    assert qualified >= {
        *("<builtins.len>", "<str.join>", "<dict.fromkeys>"),
        *("<str.maketrans>", "<bytes.maketrans>"),
    }


def test_options_can_change_while_enabled():
    profile = tracer.Profile()
    profile.enable(builtins=False)
    len("abc")
    profile.enable(builtins=True)
    len("abc")
    profile.disable()
    assert calls(profile) == {"<built-in method builtins.len>": 1}


# -- Ways to run something ---------------------------------------------------------------------


def test_context_manager():
    with tracer.Profile() as profile:
        assert profile.enabled
        leaf()
    assert not profile.enabled
    assert calls(profile) == {"leaf": 1}


def test_context_manager_passes_exceptions_on():
    profile = tracer.Profile()
    with pytest.raises(KeyError), profile:
        raise KeyError
    assert not profile.enabled


def test_runcall_gives_what_the_function_gives():
    def function(*args, **kwargs):
        return args, kwargs

    profile = tracer.Profile()
    assert profile.runcall(function, 1, self=2, func=3) == ((1,), {"self": 2, "func": 3})
    assert calls(profile) == {"function": 1}


def test_runcall_passes_exceptions_on():
    profile = tracer.Profile()
    with pytest.raises(ValueError, match="bad"):
        profile.runcall(int, "bad")
    assert not profile.enabled


def test_run_is_in_the_namespace_of_main(monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "leaf", leaf, raising=False)
    profile = tracer.Profile()
    assert profile.run("leaf()") is profile
    assert calls(profile)["leaf"] == 1
    assert by_name(profile)["leaf"].callers == {"<module>": (1, 1)}


def test_runctx_is_in_the_namespaces_given():
    profile = tracer.Profile()
    space = {}
    assert profile.runctx("x = f()", {"f": lambda: 5}, space) is profile
    assert space == {"x": 5}
    profile.runctx(compile("x = 6", "somewhere", "exec"), {}, space)
    assert space == {"x": 6}
    assert ("somewhere", 1, "<module>") in tracer.Stats(profile).stats


def test_runctx_disables_after_an_exception():
    profile = tracer.Profile()
    with pytest.raises(ZeroDivisionError):
        profile.runctx("1 / 0", {}, {})
    assert not profile.enabled


def test_module_functions_print(capsys):
    tracer.runctx("f()", {"f": leaf}, {})
    assert "test_profile.py" in capsys.readouterr().out
    tracer.run("1")
    assert "Ordered by: standard name" in capsys.readouterr().out
    tracer.run("sum(range(3))", sort="tottime")
    out = capsys.readouterr().out
    assert "Ordered by: internal time" in out
    assert "{built-in method builtins.sum}" in out


def test_module_functions_write(tmp_path, capsys):
    tracer.run("1", tmp_path / "run.out")
    tracer.runctx("f()", {"f": leaf}, {}, str(tmp_path / "runctx.out"))
    assert capsys.readouterr().out == ""
    assert calls(tracer.Stats(tmp_path / "runctx.out"))["leaf"] == 1
    assert pstats.Stats(str(tmp_path / "run.out")).total_calls >= 1


def test_module_functions_end_systemexit_and_pass_other_exceptions_on(tmp_path):
    path = tmp_path / "profile.out"
    tracer.runctx("f(); raise SystemExit(3)", {"f": leaf}, {}, path)
    assert calls(tracer.Stats(path))["leaf"] == 1
    path.unlink()
    with pytest.raises(KeyError):
        tracer.runctx("f(); raise KeyError", {"f": leaf}, {}, path)
    assert calls(tracer.Stats(path))["leaf"] == 1
