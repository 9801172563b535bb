"""Call graphs worked out by hand, under tracer and, where that is right, under cProfile.

The programs and their figures are in callgraphs.py. Programs at random, with expected numbers from
a model, are in test_model.py; real ones in test_parity.py.
"""

import cProfile
import gc
import re
from contextlib import suppress

import pytest

import tracer
from callgraphs import GRAPHS, NO_BUILTINS, SUSPENDED
from rows import Clock

# -- The programs as real Python ---------------------------------------------------------------

FILE = "<call graph>"
BUILTINS = {
    "<built-in method builtins.any>": "any",
    "<built-in method builtins.max>": "max",
    "<built-in method builtins.sorted>": "sorted",
    "<method 'sort' of 'list' objects>": "sort",
}

# Only steps are calls in here: a helper would be a row. The functions return 0, by which the
# builtins sort, and at which any() goes on.
TEMPLATE = """
def {name}(tree):
    for step in tree[1:]:
        if step.__class__ is int:
            clock.now += step
            continue
        if step == "raise":
            raise Boom
        caught = step[0] == "catch"
        if caught:
            step = step[1]
        kind, called = step[0], step[1]
        try:
            if kind in functions:
                functions[kind](step)
            elif kind == "sorted":
                sorted(step[1:], key=functions[called[0]])
            elif kind == "sort":
                items = [*step[1:]]
                items.sort(key=functions[called[0]])
            elif kind == "max":
                max(step[1:], key=functions[called[0]])
            elif kind == "any":
                any(map(functions[called[0]], step[1:]))
            elif kind == "map":
                for _ in map(functions[called[0]], step[1:]):
                    pass
            elif kind == "for":
                for pause in functions[called[0]](called):
                    clock.now += pause
            elif kind == "enable":
                profiles[called].enable()
            elif kind == "disable":
                profiles[called].disable()
            {suspend}
        except Boom:
            if not caught:
                raise
    return 0
"""

SUSPEND = """
            elif kind == "yield":
                yield called
            elif kind == "from":
                yield from functions[called[0]](called)
"""


class Boom(Exception):
    """What the programs raise."""


def run(tree, profiles, clock, **options):
    """Run a program under the profile called "outer"."""
    functions = {}
    names = {"clock": clock, "Boom": Boom, "functions": functions, "profiles": profiles}
    for name in ("a", "b", "c", "d", "g", "m"):
        suspend = SUSPEND.strip() if name == "g" else ""
        exec(compile(TEMPLATE.format(name=name, suspend=suspend), FILE, "exec"), names)
        functions[name] = names[name]
    gc.disable()  # hypothesis has a function called at each collection
    try:
        profiles["outer"].enable(**options)
        with suppress(Boom):
            functions[tree[0]](tree)
        profiles["outer"].disable()
    finally:
        gc.enable()


# -- What a profile says -----------------------------------------------------------------------


def written(table):
    """Figures as callgraphs.py writes them: {"a" or "a>b": (calls, primitive, tottime, cumtime)}
    and, of resumes, {...: (resumes, primitive)}."""

    def counts(word):
        total, _, primitive = word.partition("/")
        return int(total), int(primitive or total)

    rows, resumes = {}, {}
    for cell in filter(str.strip, re.split(r"[|\n]", table)):
        name, calls, tottime, cumtime, *resumed = cell.split()
        rows[name] = (*counts(calls), int(tottime), int(cumtime))
        if resumed:
            resumes[name] = counts(resumed[0][1:])
    return rows, resumes


def cells(rows):
    """{label: (..., {label of a caller: figures})} as {"a": ..., "a>b": ...}. Left out are the
    test's own frames, which run already when the profile is enabled."""
    found = {}
    for label, (*figures, callers) in rows.items():
        if name := name_of(label):
            found[name] = tuple(figures)
            for caller, of_caller in callers.items():
                if name_of(caller):
                    found[f"{name_of(caller)}>{name}"] = tuple(of_caller)
    return found


def name_of(label):
    return label[2] if label[0] == FILE else BUILTINS.get(label[2])


def figures(profile):
    """Figures, as written() gives them, of a profile of tracer's or cProfile's."""
    profile.create_stats()
    return cells(
        {
            label: (calls, primitive, *rest)
            for label, (primitive, calls, *rest) in profile.stats.items()
        }
    )


def resumes(profile):
    found = tracer.Stats(profile).resumes
    return cells({label: (row.total, row.primitive, row.callers) for label, row in found.items()})


def with_resumes_as_calls(rows, resumed):
    """The rows as cProfile counts them."""
    none = (0, 0)
    return {
        name: (calls + resumed.get(name, none)[0], primitive + resumed.get(name, none)[1], *times)
        for name, (calls, primitive, *times) in rows.items()
    }


# -- The tests ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GRAPHS)
def test_every_figure(name):
    tree, table = GRAPHS[name]
    rows, resumed = written(table)
    options = {"builtins": False} if name == NO_BUILTINS else {}
    clock = Clock()
    ours, theirs = tracer.Profile(clock, 1.0), cProfile.Profile(clock, 1.0)
    for profile in ours, theirs:
        run(tree, {"outer": profile}, clock, **options)
    assert (figures(ours), resumes(ours)) == (rows, resumed)
    assert figures(theirs) == with_resumes_as_calls(rows, resumed)


@pytest.mark.parametrize("name", SUSPENDED)
def test_the_time_suspended(name):
    clock = Clock()
    profile = tracer.Profile(clock, 1.0)
    run(GRAPHS[name][0], {"outer": profile}, clock)
    found = tracer.Stats(profile).resumes.items()
    assert {name_of(label): row.suspended for label, row in found} == SUSPENDED[name]


# -- Profiles within profiles ------------------------------------------------------------------

# A program; what the outer profile says, which is around it all; what the inner one says.
# Activations that a profile finds running have their time from then on, and no call; a call of the
# same function within them is not primitive.
NESTS = {
    "within one activation": (
        ("a", 1, ("enable", "inner"), 2, ("b", 4, ("a", 8), 16), 32, ("disable", "inner"), 64),
        """
        a  2/1  107  127 | a>b  1  20  28
        b    1   20   28 | b>a  1   8   8
        """,
        """
        a  1/0  42  62 | a>b  1  20  28
        b    1  20  28 | b>a  1   8   8
        """,
    ),
    "begun in the callee and ended in the caller": (
        (
            "a",
            1,
            ("b", 2, ("enable", "inner"), 4, ("c", 8), 16),
            32,
            ("c", 64),
            128,
            ("disable", "inner"),
            256,
        ),
        """
        a  1  417  511 | a>b  1  22  30
        b  1   22   30 | b>c  1   8   8
        c  2   72   72 | a>c  1  64  64
        """,
        """
        a  0  160  252 | a>b  0  20  28
        b  0   20   28 | b>c  1   8   8
        c  2   72   72 | a>c  1  64  64
        """,
    ),
    "begun in the caller and ended in the callee": (
        ("a", 1, ("enable", "inner"), 2, ("b", 4, ("disable", "inner"), 8), 16),
        """
        a  1  19  31 | a>b  1  12  12
        b  1  12  12 |
        """,
        """
        a  0  2  6 | a>b  1  4  4
        b  1  4  4 |
        """,
    ),
    "the outer one ends first": (
        (
            "a",
            1,
            ("enable", "inner"),
            2,
            ("b", 4, ("disable", "outer"), 8),
            16,
            ("disable", "inner"),
            32,
        ),
        """
        a  1  3  7 | a>b  1  4  4
        b  1  4  4 |
        """,
        """
        a  0  18  30 | a>b  1  12  12
        b  1  12  12 |
        """,
    ),
    "at two depths of a recursion": (
        (
            "a",
            1,
            ("enable", "inner"),
            2,
            ("disable", "inner"),
            4,
            ("a", 8, ("enable", "inner"), 16, ("disable", "inner"), 32),
            64,
        ),
        """
        a  2/1  127  127 | a>a  1  56  56
        """,
        """
        a  0  18  18 | a>a  0  16  16
        """,
    ),
    "within a builtin": (
        ("a", 1, ("max", ("b", 2, ("enable", "inner"), 4), ("b", 8)), 16, ("disable", "inner"), 32),
        """
        a    1  49  63 | a>max  1   0  14
        b    2  14  14 | max>b  2  14  14
        max  1   0  14 |
        """,
        # Nothing tells that a function in C is running: what it calls is its caller's callee.
        """
        a  0  16  28 | a>b  1  12  12
        b  1  12  12 |
        """,
    ),
    "within a generator": (
        (
            "a",
            1,
            ("for", ("g", 2, ("enable", "inner"), 4, ("yield", 8), 16)),
            32,
            ("disable", "inner"),
            64,
        ),
        """
        a  1  105  127     | a>g  1  22  22  +1
        g  1   22   22  +1 |
        """,
        """
        a  0  40  60     | a>g  0  20  20  +1
        g  0  20  20  +1 |
        """,
    ),
}


@pytest.mark.parametrize("name", NESTS)
def test_profiles_within_profiles(name):
    tree, *tables = NESTS[name]
    clock = Clock()
    profiles = {which: tracer.Profile(clock, 1.0) for which in ("outer", "inner")}
    run(tree, profiles, clock)
    found = [(figures(profile), resumes(profile)) for profile in profiles.values()]
    assert found == [written(table) for table in tables]


# -- The tables themselves ---------------------------------------------------------------------


def times(tree):
    for step in tree[1:]:
        if isinstance(step, int):
            yield step
        elif isinstance(step, tuple):
            yield from times(step)


def test_no_sum_can_be_made_of_other_times():
    """Guards the tables from agreeing by chance."""
    for name, (tree, *_) in {**GRAPHS, **NESTS}.items():
        found = list(times(tree))
        assert found == [2**power for power in range(len(found))], name
