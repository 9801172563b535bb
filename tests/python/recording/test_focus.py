"""Profile(include=, exclude=): what is left out is in no row, its time is its nearest included
caller's. Names, several profiles and threads are in test_focus_names.py and test_focus_beside.py.
"""

import pytest

import tracer
from focusing import IN_NAMES, focused, two_modules
from hooks import HAS_MONITORING
from rows import by_name, calls, resumed, times


@pytest.fixture
def code(tmp_path):
    return two_modules(tmp_path)


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


@pytest.mark.skipif(not HAS_MONITORING, reason="builtins='all' needs sys.monitoring")
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
