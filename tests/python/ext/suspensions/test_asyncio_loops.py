"""Asynchronous generators, with and for; several loops, threads, and loops that are not asyncio's.
The clock is in sleepless.py.
"""

import asyncio
import contextvars
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest

import tracer
from rows import resumed, total_time
from sleepless import clock, measure, own, run, wait_5


@pytest.fixture(autouse=True)
def new_clock():
    clock.now = 0


def figures_of(source):
    return own(source, __file__)


# -- Asynchronous generators, with and for ---------------------------------------------------------


async def pages():
    """Waits for each value, and its consumer waits, too; then it waits for its consumer."""
    try:
        for _ in range(2):
            await asyncio.sleep(3)
            clock.now += 1
            yield
    finally:
        clock.now += 10
        await asyncio.sleep(5)


def test_async_for():
    async def main():
        async for _ in pages():
            clock.now += 100

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["pages"] == (1, 5, 3 + 3 + 5 + 2 * 100, 12)
    assert figures["main"] == (1, 3, 3 + 3 + 5, 200)
    assert resumed(profile)["pages"] == (5, 5, {"main": (5, 5)}, 211)
    assert total_time(profile) == clock.now == 223


def test_an_async_generator_that_is_closed():
    async def main():
        generator = pages()
        async for _ in generator:
            clock.now += 100
            break
        clock.now += 200
        await generator.aclose()
        clock.now += 400

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["pages"] == (1, 3, 3 + 300 + 5, 11)
    assert figures["main"] == (1, 2, 3 + 5, 700)
    assert total_time(profile) == clock.now == 719


def test_an_async_generator_that_is_left_by_break():
    """The loop closes the generator, in a task of its own."""

    async def main():
        async for _ in pages():
            clock.now += 100
            break
        await asyncio.sleep(20)

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["pages"] == (1, 3, 3 + 100 + 5, 11)
    assert figures["main"] == (1, 2, 3 + 20, 100)
    assert total_time(profile) == clock.now == 124


def test_async_with():
    @asynccontextmanager
    async def connection():
        await asyncio.sleep(3)
        clock.now += 1
        yield
        clock.now += 2
        await asyncio.sleep(5)

    async def main():
        async with connection():
            clock.now += 10
            await asyncio.sleep(7)

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["connection"] == (1, 3, 3 + 17 + 5, 3)
    assert figures["main"] == (1, 3, 15, 10)
    resumes = resumed(profile)
    assert resumes["__aenter__"][::3] == (1, 3)
    assert resumes["__aexit__"][::3] == (1, 5)
    assert total_time(profile) == clock.now == 28


def test_an_asynchronous_comprehension():
    async def main():
        return [value async for value in numbers()]

    async def numbers():
        for number in range(3):
            await asyncio.sleep(number)
            yield number

    profile = measure(main)
    assert figures_of(profile)["numbers"] == (1, 3 + 3, 3, 0)
    assert figures_of(profile)["main"] == (1, 3, 3, 0)
    assert total_time(profile) == clock.now == 3


# -- Loops, threads, contexts ----------------------------------------------------------------------


def test_locks_and_queues():
    async def produce(queue):
        for number in range(3):
            await asyncio.sleep(2)
            await queue.put(number)

    async def consume(queue):
        for _ in range(3):
            await queue.get()
            clock.now += 1

    async def main():
        queue = asyncio.Queue()
        await asyncio.gather(produce(queue), consume(queue))

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["produce"] == (1, 3, 6, 0)
    assert figures["consume"] == (1, 3, 2 + 1 + 1, 3)
    assert figures["main"] == (1, 1, 7, 0)
    assert total_time(profile) == clock.now == 7


def test_two_loops_in_two_threads():
    """Each loop moves the clock while the other waits in its selector, which takes that time."""
    loops, signals = {}, {}
    both = threading.Barrier(2)

    def meet(name):
        loops[name] = asyncio.get_running_loop()
        signals[name] = asyncio.Event()
        both.wait(10)

    def signal(name):
        loops[name].call_soon_threadsafe(signals[name].set)

    async def left():
        meet("left")
        await signals["left"].wait()
        loops["right"].idle.wait(10)
        await asyncio.sleep(3)
        signal("right")

    async def right():
        meet("right")
        loops["left"].idle.wait(10)
        await asyncio.sleep(5)
        signal("left")
        await signals["right"].wait()

    profile = tracer.Profile(clock, 1.0, builtins=False)
    with profile:
        thread = threading.Thread(target=run, args=(right,), name="other")
        thread.start()
        run(left)
        thread.join()
    threads = tracer.Stats(profile).threads
    here, there = threads["MainThread"], threads["other"]
    assert figures_of(here)["left"] == (1, 2, 5 + 3, 0)
    assert figures_of(there)["right"] == (1, 2, 5 + 3, 0)
    assert "right" not in figures_of(here)
    assert "left" not in figures_of(there)
    assert (
        figures_of(here)["select"][3] == 3
    )  # and 5 in the standard library's select(), which this one calls
    assert figures_of(there)["select"][3] == 5
    assert total_time(here) == total_time(there) == clock.now == 8


def test_an_executor():
    """The coroutine waits for a thread, whose time is its own."""

    def compute(loop):
        loop.idle.wait(10)
        clock.now += 7

    async def main():
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, "computing") as pool:
            await loop.run_in_executor(pool, compute, loop)

    profile = measure(main)
    assert figures_of(profile)["main"] == (1, 1, 7, 0)
    there = tracer.Stats(profile).threads["computing_0"]
    assert figures_of(there) == {"compute": (1, 0, 0, 7)}


def test_a_profile_that_is_enabled_and_disabled_in_a_coroutine():
    """A coroutine that waits at enable() is resumed later: not called, nor suspended before."""
    profile = tracer.Profile(clock, 1.0, builtins=False)

    async def main():
        task = asyncio.create_task(wait_5())
        await asyncio.sleep(1)
        with profile:
            await asyncio.sleep(2)
            clock.now += 10
        await task

    run(main)
    figures = figures_of(profile)
    assert figures["main"] == (0, 1, 2, 10)
    assert "wait_5" not in figures
    profile.clear()

    async def later():
        task = asyncio.create_task(wait_5())
        await asyncio.sleep(1)
        with profile:
            await task

    run(later)
    figures = figures_of(profile)
    assert figures["wait_5"] == (0, 1, 0, 0)
    assert figures["later"] == (0, 1, 4, 0)


def test_many_tasks():
    """A thousand tasks wait for different times, and each again."""

    async def worker(number):
        await asyncio.sleep(number)
        await asyncio.sleep(1000 - number)

    async def main():
        await asyncio.gather(*(worker(number) for number in range(1, 1000)))

    profile = measure(main)
    assert figures_of(profile)["worker"] == (999, 2 * 999, 999 * 1000, 0)
    assert total_time(profile) == clock.now == 1000


def test_a_loop_written_by_hand():
    """Not asyncio: whatever drives coroutines is their caller."""
    seen = Counter()

    class Pause:
        def __await__(self):
            answer = yield "paused"
            seen[answer] += 1
            return answer

    async def step():
        clock.now += 1
        answer = await Pause()
        clock.now += 2
        return answer

    async def job():
        return await step() + await step()

    def drive():
        coroutine = job()
        coroutine.send(None)
        clock.now += 10
        coroutine.send(1)
        clock.now += 20
        try:
            coroutine.send(2)
        except StopIteration as end:
            return end.value

    profile = tracer.Profile(clock, 1.0, builtins=False)
    assert profile.runcall(contextvars.copy_context().run, drive) == 3
    assert resumed(profile) == {
        "job": (2, 2, {"drive": (2, 2)}, 30),
        "step": (2, 2, {"job": (2, 2)}, 30),
        "__await__": (2, 2, {"step": (2, 2)}, 30),
    }
    assert figures_of(profile)["step"] == (2, 2, 30, 6)
    assert total_time(profile) == clock.now == 36
