"""--callers --fold: which of the program's own functions cause the calls of a function."""

import marshal

import pytest

import tracer
from launch import good, refused
from rows import record
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.own_callers import own_callers
from waiting import UNIT, profile_of, space_of

SITE = "/usr/lib/python3/dist-packages/library.py"
LIBRARY = """
def deep(again=0, call=None):
    WORK(2)
    if call:
        call()
    if again:
        deep(again - 1)
def entry(*args):
    WORK(1)
    deep(*args)
"""
OWN = """
def orders():
    entry()
    entry()
def customers():
    deep(2)
def back():
    deep()
def main():
    WORK(5)
    orders()
    customers()
    entry(0, back)
"""


@pytest.fixture(scope="module")
def profile():
    return profile_of(space_of(OWN, space=space_of(LIBRARY, SITE)), threads=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, profile):
    folder = tmp_path_factory.mktemp("own")
    profile.dump_stats(folder / "a.out")
    of_callers = tracer.Stats(profile)
    (folder / "plain.out").write_bytes(marshal.dumps(of_callers.stats, 4))
    return folder


def callers(stats, name):
    (label,) = [label for label in stats.stats if label[2] == name]
    found = own_callers(paths_of(stats, stats.names), [label])[label]
    return {
        caller.name: (ncalls, primitive, round(own, 6), round(cumulative, 6))
        for caller, (ncalls, primitive, own, cumulative) in found.items()
    }


def test_the_nearest_of_the_programs_own(profile):
    assert callers(tracer.Stats(profile), "deep") == {
        "orders": (2, 2, 0.004, 0.004),  # through entry()
        "customers": (3, 1, 0.006, 0.006),  # a time within another counts once
        "main": (1, 1, 0.002, 0.004),
        "back": (1, 1, 0.002, 0.002),  # which a library called back
    }
    assert callers(tracer.Stats(profile), "entry") == {
        "orders": (2, 2, 0.002, 0.006),
        "main": (1, 1, 0.001, 0.005),
    }


def test_a_function_that_the_program_did_not_call(profile):
    assert callers(tracer.Stats(profile), "main") == {
        "<no function of the program>": (1, 1, 0.005, 0.022)
    }


def test_paths_that_were_not_kept():
    space = space_of(OWN, space=space_of(LIBRARY, SITE))
    options = {"timer": space["hands"], "timeunit": UNIT, "builtins": False}
    stats = tracer.Stats(record(space["main"], _node_limit=0, **options))
    assert callers(stats, "deep") == {
        "customers": (1, 1, 0.002, 0.006),
        "back": (1, 1, 0.002, 0.002),
        "<paths not kept>": (5, 4, 0.010, 0.012),  # entry() and deep() itself called, for whom?
    }


def test_the_list(folder):
    text = good("show", "--no-header", "--callers=deep", "--fold", "a.out", cwd=folder)
    called = f"{SITE}:2(deep)  <-"
    left = " " * len(called)
    assert text.partition("\n\n")[2] == (
        "   By the paths of calls: the program's own functions that are nearest above.\n"
        "\n"
        f"{'Function':{len(called) - 2}}is called for...\n"
        f"{left}  ncalls  tottime  cumtime\n"
        f"{called}     3/1    0.006    0.006  /here/app/work.py:5(customers)\n"
        f"{left}       2    0.004    0.004  /here/app/work.py:2(orders)\n"
        f"{left}       1    0.002    0.004  /here/app/work.py:9(main)\n"
        f"{left}       1    0.002    0.002  /here/app/work.py:7(back)\n"
        "\n"
        "\n"
    )
    words = ("show", "--no-header", "--callers=deep", "--fold", "a.out", "--strip-dirs")
    bare = good(*words, cwd=folder)
    assert [line.split()[-1] for line in bare.splitlines() if "work.py" in line] == [
        f"work.py:{function}" for function in ("5(customers)", "2(orders)", "9(main)", "7(back)")
    ]
    some = good(*words, "--limit=1", "-s", "calls", cwd=folder)
    assert "work.py:5(customers)\n" in some and "and 3 more\n" in some
    assert "work.py:2(orders)" not in some


def test_an_estimate_says_so(folder):
    text = good("show", "--no-header", "--callers=deep", "--fold", "plain.out", cwd=folder)
    assert "   The file holds callers but no paths: the time of a function" in text
    assert "work.py:5(customers)" in text


def test_callers_in_libraries_are_told_how_to_see_beyond(folder):
    hint = "--fold prints which of the program's own functions cause the calls\n"
    assert hint in good("show", "--callers=deep", "a.out", cwd=folder)
    assert hint not in good("show", "--callers=entry", "a.out", cwd=folder)
    assert hint not in good("show", "--callers=deep", "--fold", "a.out", cwd=folder)


def test_what_does_not_go_together(folder):
    said = refused("show", "--callers=deep", "--fold=library", "a.out", cwd=folder)
    assert said == "--fold of --callers takes no name; give --fold alone"
    said = refused("show", "--callees=deep", "--fold", "a.out", cwd=folder)
    assert said == "--fold is of no use without the call tree or --callers; give --tree, too"
    said = refused("show", "--callers=deep", "--fold", "--depth=2", "a.out", cwd=folder)
    assert said == "--depth is of no use without the call tree; give --tree, too"
