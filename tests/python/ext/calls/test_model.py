"""Random programs against a plain model (helpers/stepprograms.py): every count and every time must
be exactly equal. tests/stress/programs.py has threads, greenlets, filters and several profiles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stepprograms import FUNCTIONS, GENERATORS, SLOTS, Model, Program, run_for_real

NO_LIMIT = 1_000_000
NODE_LIMITS = [NO_LIMIT, 0, 1, 3, 10]

# -- Programs ------------------------------------------------------------------------------------

ticks = st.integers(1, 9)
catches = st.booleans()
slots = st.integers(0, SLOTS - 1)
tick = st.tuples(st.just("tick"), ticks)
go_on = st.tuples(st.sampled_from(["next", "next", "next", "throw", "close"]), slots, catches)
suspend = st.tuples(st.just("yield"), catches, ticks)
rest = st.sampled_from([("raise",), ("look",), ("clear",)])
simple = st.one_of(tick, tick, go_on, go_on, suspend, suspend, rest)


def nested(inner: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    call = st.tuples(st.just("call"), st.integers(0, len(FUNCTIONS) - 1), inner, catches)
    make = st.tuples(st.just("make"), slots, st.integers(0, len(GENERATORS) - 1), inner)
    return st.lists(st.one_of(simple, call, call, make), max_size=6)


programs = st.recursive(st.lists(simple, max_size=5), nested, max_leaves=30)

TICK, LOOK, CLEAR, YIELD = ("tick", 1), ("look",), ("clear",), ("yield", False, 2)
MUTUAL: Program = [("tick", 1)]
for depth in range(12):
    MUTUAL = [("tick", depth), ("call", depth % 3, MUTUAL, False), LOOK, ("tick", 2)]
SELF: Program = [("raise",)]
for depth in range(12):
    SELF = [TICK, ("call", 0, SELF, depth == 6), TICK, LOOK]
INTERLEAVED: Program = [
    ("make", 0, 0, [TICK, YIELD, ("next", 1, True), YIELD, TICK]),
    ("make", 1, 1, [TICK, YIELD, ("next", 0, True), LOOK, YIELD, ("call", 1, [TICK], False)]),
    ("make", 2, 0, [("next", 0, False), YIELD, ("next", 2, True), ("next", 1, False)]),
    *[("next", slot, True) for slot in (0, 1, 2, 0, 1, 1)],
    ("call", 2, [("next", 2, True), ("throw", 0, True), LOOK, ("next", 1, True)], True),
    ("close", 2, True),
    ("close", 1, True),
]
IN_THE_MIDDLE: Program = [
    ("make", 0, 0, [TICK, ("call", 1, [TICK, CLEAR, LOOK, TICK], False), YIELD, TICK]),
    TICK,
    ("call", 1, [TICK, ("next", 0, False), TICK, ("call", 1, [TICK, LOOK], False)], False),
    ("next", 0, False),
    ("call", 0, [TICK], False),
]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(program=programs, builtins=st.booleans())
@example(program=MUTUAL, builtins=False)
@example(program=SELF, builtins=False)
@example(program=INTERLEAVED, builtins=False)
@example(program=INTERLEAVED, builtins=True)
@example(program=IN_THE_MIDDLE, builtins=True)
def test_every_figure_is_the_models(program: Program, builtins: bool) -> None:
    expected = Model(builtins).run(program)
    for limit in NODE_LIMITS:
        looks, _ = run_for_real(program, builtins=builtins, _node_limit=limit)
        assert looks == expected, f"with at most {limit} nodes"


@pytest.mark.parametrize("program", [MUTUAL, SELF, INTERLEAVED])
def test_the_limits_make_it_overflow(program: Program) -> None:
    """Otherwise the test above would show nothing of overflow."""
    whole = run_for_real(program)[1]["threads"][0]
    assert len(whole["folds"]) == 0
    assert count_nodes(whole) > max(NODE_LIMITS[1:])
    for limit in NODE_LIMITS[1:]:
        thread = run_for_real(program, _node_limit=limit)[1]["threads"][0]
        assert len(thread["folds"]) > 0
        assert count_nodes(thread) == 1 + limit  # the root is no part of the limit


def count_nodes(thread: dict[str, Any]) -> int:
    return len(thread["nodes"]) // 40  # the size of a trc_node_record


def test_the_model_by_hand() -> None:
    """f0 ticks 1, calls f1 (2), which calls f0 (3); then resumes g0 (4, and 5 when it goes on)."""
    program: Program = [
        ("tick", 1),
        ("call", 1, [("tick", 2), ("call", 0, [("tick", 3)], False)], False),
        ("make", 0, 0, [("tick", 4), ("yield", False, 5)]),
        ("next", 0, False),
        ("next", 0, False),
    ]
    assert Model(builtins=False).run(program) == [
        {
            "f0": (2, 1, 0, 4, 15),
            "f1": (1, 1, 0, 2, 5),
            "g0": (1, 1, 1, 9, 9),
            ("f0", "f1"): (1, 1, 0, 2, 5),
            ("f1", "f0"): (1, 1, 0, 3, 3),
            ("f0", "g0"): (1, 1, 1, 9, 9),
        }
    ]
