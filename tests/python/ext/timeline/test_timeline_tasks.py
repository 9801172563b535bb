"""Which tasks a timeline has, and which stretches are theirs."""

import asyncio
from collections import defaultdict
from operator import itemgetter
from typing import NamedTuple

import pytest

from telling import Recording
from tracer import Stats
from tracer.data.timeline import OF_TASK

START = itemgetter(1)


class Task(NamedTuple):
    """name: of asyncio. function: of its first coroutine. end: -1: it has not ended. stretches:
    (function, start, end), in the order of time, of those that took time."""

    name: str
    function: str
    start: int
    end: int
    stretches: list


def tasks_of(recording):
    [capture] = Stats(recording.profile).captures
    stretches = defaultdict(list)
    names = []
    for thread in capture.timeline.threads:
        names.append(
            [capture.functions[it].name if it < 2**32 - 1 else "" for it in thread.functions]
        )
        slices = thread.read()
        for node, start, end, tag in zip(
            slices.nodes, slices.starts, slices.ends, slices.tags, strict=True
        ):
            if tag & 3 == OF_TASK and end > start:
                stretches[tag >> 2].append((names[-1][node], start, end))
    return [
        Task(
            it.name,
            names[it.thread][it.node],
            it.start,
            it.end,
            sorted(stretches[it.number], key=START),
        )
        for it in capture.timeline.tasks
    ]


@pytest.fixture
def here():
    return Recording(builtins=False)


async def failing(here):
    """Awaits a future that fails."""
    future = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(future.set_exception, KeyError())
    here.wait(1)
    try:
        await future
    finally:
        here.wait(10)


async def between(here):
    await failing(here)


def test_what_an_exception_is_thrown_into_is_no_task_of_its_own(here):
    """The innermost coroutine goes on first, before those that await it."""

    async def main():
        here.wait(100)
        with pytest.raises(KeyError):
            await between(here)
        here.wait(1000)

    with here:
        asyncio.run(main())
    first, *others = tasks_of(here)
    assert first == (first.name, "main", 0, 1111, first.stretches)
    assert first.stretches == [("main", 0, 101), ("failing", 101, 111), ("main", 111, 1111)]
    assert {it.function for it in others} <= {"shutdown_asyncgens", "shutdown_default_executor"}


def test_it_may_catch_the_exception_and_wait_again(here):
    async def stubborn():
        for _ in range(3):
            with pytest.raises(KeyError):
                await between(here)

    with here:
        asyncio.run(stubborn())
    [task] = [it for it in tasks_of(here) if it.end > it.start]
    assert task == (task.name, "stubborn", 0, 33, task.stretches)
    failing, own = (
        [it for it in task.stretches if it[0] == name] for name in ("failing", "stubborn")
    )
    assert sum(end - start for _, start, end in failing) == 30
    assert sum(end - start for _, start, end in own) == 3


def test_a_cancelled_task_ends_once(here):
    async def sleeper():
        here.wait(1)
        await asyncio.sleep(1000)

    async def outer():
        await sleeper()

    async def main():
        task = asyncio.create_task(outer(), name="cancelled")
        await asyncio.sleep(0)
        here.wait(5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with here:
        asyncio.run(main())
    assert [(it.name, it.start, it.end) for it in tasks_of(here) if it.function == "outer"] == [
        ("cancelled", 0, 6)
    ]
    assert not {"sleeper", "sleep"} & {it.function for it in tasks_of(here)}


def test_a_task_that_began_before_is_one_task(here):
    """The first that is seen of it is the exception in its innermost coroutine."""

    async def outer():
        await between(here)

    async def main():
        task = asyncio.create_task(outer(), name="early")
        await asyncio.sleep(0)
        here.wait(7)
        with here, pytest.raises(KeyError):
            await task
        here.wait(3)

    asyncio.run(main())
    found = [it for it in tasks_of(here) if it.name == "early"]
    assert [(it.function, it.start, it.end) for it in found] == [("failing", 0, 10)]
    assert found[0].stretches == [("failing", 0, 10)]
    assert not {"failing", "between", "outer"} & {
        it.function for it in tasks_of(here) if it.name != "early"
    }
