"""How long each path of a coroutine was suspended: by a clock that moves where the loop waits."""

import asyncio

import pytest

import sleepless
import tracer
from tracer.analysis.outline.awaiting import shared, suspended_nodes, within
from tracer.analysis.tree.call_tree import paths_of

pytestmark = pytest.mark.versions

HERE = __file__


async def backend(seconds):
    await asyncio.sleep(seconds)


async def order(semaphore):
    async with semaphore:
        await backend(5)


async def user():
    await backend(60)


async def main():
    semaphore = asyncio.Semaphore(1)
    await asyncio.gather(*(order(semaphore) for _ in range(4)), *(user() for _ in range(3)))


@pytest.fixture(scope="module")
def times():
    """{(function, who awaited it): seconds suspended}"""
    paths = paths_of(tracer.Stats(sleepless.measure(main)))
    (tree,) = paths.trees
    nodes = suspended_nodes(tree)
    found = {}
    for node in nodes:
        caller = paths.rows[nodes[node.parent].row].name if node.parent >= 0 else ""
        key = paths.rows[node.row].name, caller
        found[key] = found.get(key, 0) + node.time / 1e9
    return found


def test_times_that_the_rules_leave_no_choice_of(times):
    """The orders wait 0, 5, 10 and 15 s for one another, and 5 s each for the backend."""
    assert times["order", ""] == pytest.approx(50)
    assert times["Semaphore.acquire", "_ContextManagerMixin.__aenter__"] == pytest.approx(30)
    assert times["user", ""] == pytest.approx(180)


def test_one_function_that_two_awaited(times):
    """By how often each went on, the orders would have had 4 sevenths of 200 s."""
    assert times["backend", "order"] == pytest.approx(20, rel=0.001)
    assert times["backend", "user"] == pytest.approx(180, rel=0.001)
    assert times["sleep", "backend"] == pytest.approx(200)


def test_the_paths_of_a_function_add_up_to_it():
    assert shared({1: 90, 2: 10}, [1, 2, 1], [1.0, 5.0, 2.0]) == [30, 10, 60]
    assert shared({1: 90}, [1, 1], [0.0, 0.0]) == [0, 0]


def test_what_is_awaited_takes_no_longer_than_who_awaits():
    assert within([-1, 0, 0, 2], [10.0, 30.0, 10.0, 9.0]) == [10, 7.5, 2.5, 2.5]
    assert within([-1, 0], [10.0, 4.0]) == [10, 4]


def test_functions_beside_and_trees_without():
    paths = paths_of(tracer.Stats(sleepless.measure(main)))
    (tree,) = paths.trees
    sleep = next(number for number, row in enumerate(paths.rows) if row.name == "sleep")
    assert sleep not in {node.row for node in suspended_nodes(tree, {sleep})}
    assert suspended_nodes(tree, range(len(paths.rows))) == []
