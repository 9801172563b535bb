"""Profile(include=, exclude=): what is left out is in no row, its time is its nearest included
caller's. There are two modules, `own` and `out`, that call each other; the clock is a test's.
"""

import re
import sys
import threading
from types import SimpleNamespace

import pytest

import tracer
from launch import environment, plain, write
from rows import Clock, by_name, calls, record, resumed, rows_of_file, times

BACKENDS = ["setprofile"] if sys.version_info < (3, 12) else ["monitoring", "setprofile"]

IN = """
def top(f, *args):
    tick(1)
    value = f(*args)
    tick(1)
    return value

def leaf():
    tick(2)
    return len("leaf")

def again(depth):
    tick(1)
    return out.between(depth - 1) if depth else 0

def failing():
    tick(1)
    raise KeyError

def numbers():
    tick(1)
    yield 1
    tick(1)
    yield 2
    tick(1)

def summing():
    tick(1)
    return sum(out.counting())

def sorting():
    return sorted([2, 1], key=out.key)

def pausing():
    tick(1)
    out.back_to_hub()
    tick(1)

def catching():
    try:
        out.passing_on(failing)
    except KeyError:
        tick(1)
"""

IN_NAMES = re.findall(r"^def (\w+)", IN, re.MULTILINE)

MOVING = """
def tick(units):
    clock.now += units
"""

OUT = """
def leaf_of_out():
    tick(3)
    return len("out")

def calling(f):
    tick(5)
    abs(-1)
    f()
    tick(5)

def between(depth):
    tick(10)
    return own.again(depth)

def passing_on(f):
    tick(10)
    f()

def counting():
    tick(10)
    for number in own.numbers():
        tick(10)
        yield number

def key(number):
    tick(10)
    own.leaf()
    return number

def back_to_hub():
    tick(10)
    hub.switch()

def draining(generator):
    tick(10)
    for _ in generator:
        tick(10)
"""


@pytest.fixture(params=BACKENDS)
def backend(request):
    return request.param


@pytest.fixture
def code(tmp_path):
    """Two modules, `own` and `out`, that know each other, and a third that moves the clock."""
    clock = Clock()
    modules = {}
    for name, text in (("clock", MOVING), ("own", IN), ("out", OUT)):
        path = tmp_path / name / f"{name}.py"
        path.parent.mkdir()
        path.write_text(text)
        space = {"__name__": name, "__file__": str(path), "clock": clock}
        if modules:
            space["tick"] = modules["clock"].tick
        exec(compile(text, str(path), "exec"), space)
        modules[name] = SimpleNamespace(**space)
        modules[name].space = space
    modules["own"].space["out"] = modules["out"]
    modules["out"].space["own"] = modules["own"]
    return SimpleNamespace(
        clock=clock,
        own=modules["own"],
        out=modules["out"],
        path=tmp_path,
        tick=modules["clock"].tick,
    )


def focused(code, backend, function, *args, builtins=False, **focus):
    focus = focus or {"include": code.path / "own"}
    return record(
        function,
        *args,
        timer=code.clock,
        timeunit=1.0,
        builtins=builtins,
        backend=backend,
        **focus,
    )


def test_time_in_left_out_code_is_its_callers(code, backend):
    profile = focused(code, backend, code.own.top, code.out.calling, code.own.leaf)
    assert by_name(profile) == {"top": (1, 1, 12, 14, {}), "leaf": (1, 1, 2, 2, {"top": (1, 1)})}


def test_exclude_says_the_same_the_other_way_round(code, backend):
    profile = focused(
        code,
        backend,
        code.own.top,
        code.out.calling,
        code.own.leaf,
        exclude=[code.path / "out", code.path / "clock"],
    )
    assert by_name(profile) == {"top": (1, 1, 12, 14, {}), "leaf": (1, 1, 2, 2, {"top": (1, 1)})}


def test_exclude_wins(code, backend):
    profile = focused(
        code, backend, code.own.top, code.own.leaf, include=code.path, exclude=f"{code.path}/o*n"
    )
    assert calls(profile) == {"tick": 3}


@pytest.mark.parametrize(
    ("builtins", "counted"), [(False, {}), (True, {"<built-in method builtins.len>": 1})]
)
def test_c_functions_are_left_out_with_their_caller(code, backend, builtins, counted):
    profile = focused(
        code, backend, code.own.top, code.out.calling, code.own.leaf, builtins=builtins
    )
    assert calls(profile) == {"top": 1, "leaf": 1, **counted}


@pytest.mark.skipif("monitoring" not in BACKENDS, reason="builtins='all' needs sys.monitoring")
def test_all_callables_are_left_out_with_their_caller(code):
    def made():
        int("1")
        code.out.calling(int)

    profile = focused(
        code, "monitoring", made, builtins="all", include=[__file__, code.path / "own"]
    )
    assert calls(profile) == {"made": 1, "<type 'int'>": 1}


def test_recursion_through_left_out_code(code, backend):
    profile = focused(code, backend, code.own.again, 3)
    assert by_name(profile) == {"again": (4, 1, 34, 34, {"again": (3, 1)})}


def test_left_out_code_below_everything_is_in_no_row(code, backend):
    profile = focused(code, backend, code.out.between, 1)
    assert by_name(profile) == {"again": (2, 1, 12, 12, {"again": (1, 1)})}


def test_an_exception_goes_through(code, backend):
    profile = focused(code, backend, code.own.top, code.own.catching)
    assert by_name(profile) == {
        "top": (1, 1, 2, 14, {}),
        "catching": (1, 1, 11, 12, {"top": (1, 1)}),
        "failing": (1, 1, 1, 1, {"catching": (1, 1)}),
    }


def test_an_exception_that_nobody_catches(code, backend):
    profile = tracer.Profile(
        code.clock, 1.0, False, backend=backend, threads=False, include=code.path / "own"
    )
    with pytest.raises(KeyError):
        profile.record_call(code.out.passing_on, code.own.failing)
    profile.disable()
    assert times(profile, "failing") == (1, 1)


def test_generators_in_and_out(code, backend):
    profile = focused(code, backend, code.own.summing)
    assert by_name(profile) == {
        "summing": (1, 1, 31, 34, {}),
        "numbers": (1, 1, 3, 3, {"summing": (1, 1)}),
    }
    assert resumed(profile) == {"numbers": (2, 2, {"summing": (2, 2)}, 20)}


def test_a_left_out_generator_in_a_loop(code, backend):
    def looping():
        for number in range(50):
            assert list(code.out.counting()) == [1, 2], number

    profile = focused(code, backend, looping, include=[__file__, code.path / "own"])
    assert by_name(profile) == {
        "looping": (1, 1, 50 * 30, 50 * 33, {}),
        "numbers": (50, 50, 150, 150, {"looping": (50, 50)}),
    }


def test_thrown_into_and_closed(code, backend):
    def throwing():
        for _ in range(3):
            generator = code.out.counting()
            next(generator)
            with pytest.raises(ValueError):
                generator.throw(ValueError)
            generator = code.out.counting()
            next(generator)
            generator.close()
            code.own.leaf()

    profile = focused(code, backend, throwing, include=code.path / "own")
    assert calls(profile) == {"numbers": 6, "leaf": 3}


def test_c_functions_call_back_through_left_out_code(code, backend):
    profile = focused(code, backend, code.own.sorting, builtins=True)
    found = by_name(profile)
    assert found["leaf"] == (2, 2, 4, 4, {"<built-in method builtins.sorted>": (2, 2)})
    assert found["<built-in method builtins.sorted>"].tottime == 20
    assert set(found) == {
        "sorting",
        "leaf",
        "<built-in method builtins.sorted>",
        "<built-in method builtins.len>",
    }


def test_figures_of_included_functions_are_those_of_a_profile_of_everything(code, backend):
    def everything():
        code.own.top(code.out.calling, code.own.leaf)
        code.own.again(4)
        code.own.catching()
        code.own.summing()
        code.own.sorting()
        code.out.draining(code.own.numbers())

    whole = focused(code, backend, everything, include=())
    part = focused(code, backend, everything)
    assert calls(part) == {name: count for name, count in calls(whole).items() if name in IN_NAMES}
    for name, row in by_name(part).items():
        assert row.cumtime == by_name(whole)[name].cumtime
    assert len(by_name(part)) == 8


def test_two_profiles_with_different_foci(code, backend):
    profiles = [
        tracer.Profile(code.clock, 1.0, builtins=builtins, backend=backend, threads=False, **focus)
        for focus, builtins in [
            ({"include": code.path / "own"}, True),
            ({"include": code.path / "out"}, False),
            ({}, False),
        ]
    ]
    expected = {
        0: {"top": 1, "leaf": 1, "<built-in method builtins.len>": 1},
        1: {"calling": 1},
        2: {"top": 1, "calling": 1, "leaf": 1},
    }
    for combination in ([0], [0, 1], [1, 0], [0, 1, 2], [2, 1, 0], [1]):
        for number in combination:
            profiles[number].clear()
            profiles[number].enable()
        code.own.top(code.out.calling, code.own.leaf)
        for number in combination:
            profiles[number].disable()
        for number in combination:
            found = rows_of_file(profiles[number], str(code.path / "own" / "own.py"))
            found |= rows_of_file(profiles[number], str(code.path / "out" / "out.py"))
            named = {name: count for name, count in expected[number].items() if name[0] != "<"}
            assert {name: row[0] for name, row in found.items()} == named, combination
    assert times(profiles[1], "calling") == (12, 12)


def test_code_that_was_left_out_is_seen_by_a_profile_that_is_enabled_later(code, backend):
    first = tracer.Profile(backend=backend, include=code.path / "own")
    second = tracer.Profile(backend=backend)
    with first:
        for _ in range(3):
            code.out.leaf_of_out()
        with second:
            for _ in range(3):
                code.out.leaf_of_out()
        for _ in range(3):
            code.out.leaf_of_out()
        with second:
            for _ in range(3):
                code.out.leaf_of_out()
    assert times(second, "leaf_of_out") and tracer.Stats(second).stats
    found = rows_of_file(second, str(code.path / "out" / "out.py"))
    assert found["leaf_of_out"][0] == 6
    assert rows_of_file(first, str(code.path / "out" / "out.py")) == {}


def test_threads(code, backend):
    profile = tracer.Profile(backend=backend, builtins=False, include=code.path / "own")
    threads = [
        threading.Thread(target=code.out.calling, args=(code.own.leaf,), name=f"worker {i}")
        for i in range(4)
    ]
    with profile:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    stats = tracer.Stats(profile)
    assert calls(stats) == {"leaf": 4}
    for thread in threads:
        assert calls(stats.threads[thread.name]) == {"leaf": 1}


def test_what_runs_already(code, backend):
    profile = tracer.Profile(
        code.clock, 1.0, builtins=False, backend=backend, threads=False, include=code.path / "own"
    )

    def enabling():
        profile.enable()
        code.tick(100)
        code.own.leaf()

    code.own.top(code.out.calling, enabling)
    profile.disable()
    found = rows_of_file(profile, str(code.path / "own" / "own.py"))
    assert found == {"top": (0, 106, 108, set()), "leaf": (1, 2, 2, {"top"})}


def test_what_other_threads_run_already(code, backend):
    profile = tracer.Profile(backend=backend, builtins=False, include=code.path / "own")
    started, go_on = threading.Event(), threading.Event()

    def waiting():
        started.set()
        go_on.wait()
        code.own.leaf()

    thread = threading.Thread(target=code.own.top, args=(code.out.calling, waiting))
    thread.start()
    started.wait()
    with profile:
        go_on.set()
        thread.join()
    found = rows_of_file(profile, str(code.path / "own" / "own.py"))
    assert {name: (row[0], row[3]) for name, row in found.items()} == {
        "top": (0, set()),
        "leaf": (1, {"top"}),
    }


def test_greenlets(code, backend):
    greenlet = pytest.importorskip("greenlet")

    def switching():
        code.out.space["hub"] = greenlet.getcurrent()
        workers = [greenlet.greenlet(code.own.pausing) for _ in range(2)]
        for worker in workers * 2:
            worker.switch()
            code.tick(100)

    profile = focused(code, backend, switching)
    assert by_name(profile) == {"pausing": (2, 2, 24, 24, {})}


SILENCE = """
import dis, sys
import tracer
import own, out

def instrumented(*functions):
    return [
        {
            instruction.opname.removeprefix("INSTRUMENTED_").partition("_")[0]
            for instruction in dis.get_instructions(function, adaptive=True)
            if instruction.opname.startswith("INSTRUMENTED")
        }
        for function in functions
    ]

def found():
    for _ in range(3):
        own.top(out.leaf_of_out)
        own.summing()
    return instrumented(out.leaf_of_out, out.counting)

everything = [{"RESUME", "CALL", "RETURN"}, {"RESUME", "CALL", "RETURN", "YIELD"}]
nothing = [set(), set()]
leaving_out, looking = (tracer.Profile(exclude=name) for name in ("out", "own"))
with leaving_out:
    assert found() == nothing
    assert instrumented(own.summing) == everything[:1]
    with looking:
        assert found() == everything
    assert found() == nothing
    with looking:
        assert found() == everything
        leaving_out.disable()
        assert found() == everything
assert found() == nothing
[row] = [row for label, row in tracer.Stats(looking).stats.items() if label[2] == "leaf_of_out"]
assert row[1] == 9
"""


@pytest.mark.skipif("monitoring" not in BACKENDS, reason="of sys.monitoring")
def test_the_interpreter_reports_nothing_of_what_all_leave_out(tmp_path):
    """Its own instructions say what it reports; in a process that no other tool looks at."""
    write(tmp_path / "own.py", "import out\ntick = int\n" + IN)
    write(tmp_path / "out.py", "import own\ntick = int\n" + OUT)
    program = write(tmp_path / "silence.py", SILENCE)
    result = plain(str(program), env=environment(TRACER_BACKEND="monitoring"))
    assert (result.returncode, result.stderr) == (0, b"")


def test_code_that_was_made_of_text_is_where_its_module_is(code, backend):
    code.own.space["made"] = None
    exec("def made():\n    tick(1)", code.own.space)
    nowhere = {"tick": code.tick}
    exec("def made_nowhere():\n    tick(1)", nowhere)

    def calling():
        code.own.space["made"]()
        nowhere["made_nowhere"]()

    assert calls(focused(code, backend, calling)) == {"made": 1}
    assert calls(focused(code, backend, calling, exclude=code.path / "own")) == {
        "calling": 1,
        "made_nowhere": 1,
        "tick": 2,
    }


def test_a_frozen_module_is_where_its_source_is(backend):
    import genericpath
    import os.path

    def calling():
        genericpath.exists("")
        os.path.join("a", "b")

    found = calls(record(calling, backend=backend, builtins=False, include=["os.path"]))
    assert found["join"] == 1 and "exists" not in found
    assert calls(record(calling, backend=backend, builtins=False, include=[__file__])) == {
        "calling": 1
    }
    only = record(calling, backend=backend, builtins=False, include=genericpath.__file__)
    assert calls(only) == {"exists": 1}


def test_links_are_followed(code, backend):
    (code.path / "link").symlink_to(code.path / "own")
    for name in (code.path / "link", code.path / "own" / "own.py", code.path / "link" / "own.py"):
        assert calls(focused(code, backend, code.own.leaf, include=name)) == {"leaf": 1}


def test_files_that_are_gone_keep_their_place(code, backend):
    space = {}
    exec(compile("def gone(): pass", str(code.path / "link" / "x" / "gone.py"), "exec"), space)
    (code.path / "link").symlink_to(code.path / "own")
    assert calls(focused(code, backend, space["gone"])) == {"gone": 1}


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("*/own/*", True),
        ("*own", True),
        ("*/own/own.py", True),
        ("*ow", False),
        ("*/own/own.p", False),
        ("*/*/*.py", True),
        ("*.pyc", False),
        ("*wn*n*.py", True),
        ("*", True),
    ],
)
def test_stars(code, backend, pattern, matches):
    found = calls(focused(code, backend, code.own.leaf, include=pattern))
    assert ("leaf" in found) == matches


def test_a_prefix_of_a_name_is_no_folder(code, backend):
    (code.path / "ow").mkdir()
    assert calls(focused(code, backend, code.own.leaf, include=code.path / "ow")) == {}


def test_more_code_objects_than_verdicts_are_kept(code, backend):
    def making():
        function = code.out.space["leaf_of_out"]
        for line in range(100_100):
            function.__code__ = function.__code__.replace(co_firstlineno=line + 1)
            function()
        code.own.leaf()
        code.own.leaf()

    assert calls(focused(code, backend, making)) == {"leaf": 2}


def test_the_capture_says_what_was_looked_at(code, tmp_path):
    own = str(code.path / "own")
    assert tracer.Profile().capture().focus is None
    capture = tracer.Profile(include=own, exclude=["json", own]).capture()
    included, excluded = capture.focus
    assert included == (own,)
    assert excluded[0].endswith("/json") and excluded[1] == own
    capture.write(tmp_path / "profile.out")
    [read] = tracer.Stats(tmp_path / "profile.out").captures
    assert read.focus == capture.focus


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_such_module_here", "no such module"),
        ("json.no_such_module", "no such module"),
        ("./nowhere", "no such file or folder"),
        ("", "no such file or folder"),
        ("sys", "no file"),
        ("_tracer.py", "no such file or folder"),
    ],
)
@pytest.mark.parametrize("option", ["include", "exclude"])
def test_names_of_nothing_are_refused(option, name, words):
    with pytest.raises(ValueError, match=f"^{option} {name!r}: .*{words}"):
        tracer.Profile(**{option: [name]})


def test_modules_are_found_and_not_imported(tmp_path, monkeypatch):
    package = tmp_path / "unimported" / "deeper"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("raise RuntimeError")
    (package / "module.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    capture = tracer.Profile(
        include=["unimported", "unimported.deeper", "unimported.deeper.module"]
    ).capture()
    assert capture.focus[0] == (str(package.parent), str(package), str(package / "module.py"))
    assert "unimported" not in sys.modules


@pytest.mark.parametrize("option", ["include", "exclude"])
def test_what_is_no_name_is_refused(option):
    with pytest.raises(TypeError, match=f"{option} takes a name, or several in a list, not 3"):
        tracer.Profile(**{option: 3})
    with pytest.raises(TypeError, match="not int"):
        tracer.Profile(**{option: [3]})
