"""Lines of coroutines and async generators: the time that they wait is told apart from the line's.
Generators are in test_lines_resumed.py.

The event loop moves the clock: see sleepless.py. What is expected stands beside each line: see
linerows.py.
"""

import asyncio
import gc
import sys

import pytest

import sleepless
from linerows import HAS_MONITORING, check, hits, numbered, recorder_of, ticks, waits


async def wait(number):
    await asyncio.sleep(number)


def in_a_loop(main, *functions, **options):
    """A finished recorder of some coroutine functions, which main() runs."""
    recorder = recorder_of(main, *functions, timer=sleepless.clock, **options)
    with recorder:
        sleepless.run(main)
    return recorder


def test_awaiting():
    async def main():
        sleepless.clock.now += 1  #: 1 1
        await wait(3)  #: 1 0 waits=3
        sleepless.clock.now += 2  #: 1 2
        await wait(5)  #: 1 0 waits=5

    check(in_a_loop(main), main)


def test_tasks_in_turns():
    async def task(number):
        for _ in range(2):
            sleepless.clock.now += number
            await asyncio.sleep(0)

    async def main():
        await asyncio.gather(task(1), task(2), task(3))  #: 1 0 waits=12

    recorder = in_a_loop(main, task)
    check(recorder, main)
    assert hits(recorder, task) == {1: 9, 2: 6, 3: 6}
    assert ticks(recorder, task) == {1: 0, 2: 12, 3: 0}
    # Each task waits twice for the others: first for both, then for those that have not run yet.
    assert waits(recorder, task) == {3: (2 + 3) + (3 + 1) + (1 + 2) + (2 + 3) + 3}


def test_a_task_that_is_cancelled():
    async def task():
        try:
            await wait(100)
        finally:
            sleepless.clock.now += 2

    async def main():
        running = asyncio.create_task(task())
        await wait(7)
        running.cancel()
        try:
            await running
        except asyncio.CancelledError:
            sleepless.clock.now += 1

    recorder = in_a_loop(main, task)
    # From 3.13 on, what is raised out of an await is an event of its line, for sys.settrace too.
    again = sys.version_info >= (3, 13)
    assert hits(recorder, task) == {1: 1, 2: 1 + again, 4: 1}
    assert ticks(recorder, task) == {1: 0, 2: 0, 4: 2}
    assert waits(recorder, task) == {2: 7}
    assert hits(recorder, main) == {1: 1, 2: 1, 3: 1, 4: 1, 5: 1 + again, 6: 1, 7: 1}
    assert ticks(recorder, main) == {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 1}
    assert waits(recorder, main) == {2: 7, 5: 2}


def test_async_generators_and_managers():
    class Manager:
        async def __aenter__(self):
            await wait(1)

        async def __aexit__(self, *error):
            await wait(2)

    async def ticking():
        for number in (10, 20):  #: 3 0
            sleepless.clock.now += 1  #: 2 2
            await wait(number)  #: 2 0 waits=30
            yield number  #: 2 0 waits=200

    async def main():
        async with Manager():  #: 2 0 waits=3
            async for _ in ticking():  #: 3 2 waits=30
                sleepless.clock.now += 100  #: 2 200

    check(in_a_loop(main, ticking), main, ticking)


def test_an_async_generator_that_is_dropped():
    async def ticking():
        try:  #: 1 0
            yield  #: 1 0 waits=5
        finally:
            sleepless.clock.now += 3  #: 1 3

    async def main():
        async for _ in ticking():  #: 1 0
            sleepless.clock.now += 5  #: 1 5
            break  #: 1 0
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gc.collect()

    check(in_a_loop(main, ticking), ticking)


@pytest.mark.skipif(not HAS_MONITORING, reason="it is code of its own up to 3.11")
def test_a_comprehension_that_awaits_is_in_its_coroutine():
    async def main():
        found = [await give(number) for number in range(3)]
        sleepless.clock.now += len(found)

    async def give(number):
        await asyncio.sleep(number)

    recorder = in_a_loop(main)
    line = numbered(recorder, main)[1]
    assert (line.ticks, line.waits) == (0, 3)
