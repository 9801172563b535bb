"""Where suspended time is to be found, and what becomes of it: in getstats(), files, sums, looks
at a live profile, and past the node limit.
"""

import pytest

import tracer
from rows import by_name, resumed, times
from suspending import advance, by_for, clock, countdown, measure, outer, ticking


@pytest.fixture(autouse=True)
def new_clock():
    clock.now = 0


def mixture():
    by_for()
    for _ in outer():
        clock.now += 100
    for _ in countdown(2):
        clock.now += 10


MIXTURE = {
    "ticking": (2, 2, {"by_for": (2, 2)}, 20),
    "outer": (1, 1, {"mixture": (1, 1)}, 100),
    "inner": (1, 1, {"outer": (1, 1)}, 100),
    "countdown": (6, 3, {"mixture": (3, 3), "countdown": (3, 2)}, 60),
}


@pytest.mark.parametrize("limit", [0, 1, 3, 1000])
def test_node_limits_change_no_figure(limit):
    profile = measure(mixture, _node_limit=limit)
    assert resumed(profile) == MIXTURE
    assert by_name(profile) == by_name(measure(mixture))
    assert times(profile, "mixture") == (130, (20 + 7) + (100 + 33) + (30 + 3))


def test_getstats_tells_of_suspended_time():
    entries = {entry.code.co_name: entry for entry in measure(mixture).getstats()}
    assert {name: entries[name].suspended for name in MIXTURE} == {
        name: figures[3] for name, figures in MIXTURE.items()
    }
    assert entries["mixture"].suspended == 0


def test_it_is_seconds():
    profile = tracer.Profile(clock, 0.25, builtins=False)
    profile.runcall(by_for)
    assert resumed(profile)["ticking"][3] == 5.0
    assert {entry.suspended for entry in profile.getstats()} == {0.0, 5.0}


def test_a_file_holds_it(tmp_path):
    profile = measure(mixture)
    profile.dump_stats(tmp_path / "profile")
    assert resumed(tmp_path / "profile") == MIXTURE


def test_suspended_times_are_added_up(tmp_path):
    profile = measure(mixture)
    profile.dump_stats(tmp_path / "profile")
    other = measure(by_for)
    stats = tracer.Stats(profile, tmp_path / "profile", other)
    assert resumed(stats) == {
        "ticking": (6, 6, {"by_for": (6, 6)}, 60),
        "outer": (2, 2, {"mixture": (2, 2)}, 200),
        "inner": (2, 2, {"outer": (2, 2)}, 200),
        "countdown": (12, 6, {"mixture": (6, 6), "countdown": (6, 4)}, 120),
    }
    assert resumed(tracer.Stats(other).add(profile)) == resumed(tracer.Stats(other, profile))
    assert resumed(stats.strip_dirs())["ticking"] == (6, 6, {"by_for": (6, 6)}, 60)


def test_a_look_sees_what_is_over():
    """A suspension that has not ended is in no figure yet."""
    looks = []

    def program():
        generator = ticking()
        advance(generator)
        clock.now += 10
        looks.append(resumed(profile))
        advance(generator)
        clock.now += 20
        looks.append(resumed(profile))
        advance(generator)

    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(program)
    expected = [(1, 1, {"advance": (1, 1)}, 10), (2, 2, {"advance": (2, 2)}, 30)]
    assert [*looks, resumed(profile)] == [{}, *({"ticking": figures} for figures in expected)]
