"""Coroutines under asyncio: what waits, what is cancelled, what raises. Asynchronous generators and
loops are in test_asyncio_loops.py, the clock in sleepless.py.
"""

import asyncio
import sys
from contextlib import suppress

import pytest

from rows import calls_of, resumed, stats_of, total_time
from sleepless import clock, measure, own, wait_3, wait_5


@pytest.fixture(autouse=True)
def new_clock():
    clock.now = 0


def figures_of(source):
    return own(source, __file__)


# -- Waiting -----------------------------------------------------------------------------------


def test_sleep_is_suspended_time():
    async def main():
        await asyncio.sleep(3)
        clock.now += 10
        await asyncio.sleep(4)

    profile = measure(main)
    figures = figures_of(profile)
    assert figures.pop("select")[1:] == (0, 0, 7)
    assert figures == {"main": (1, 2, 7, 10)}
    assert resumed(profile)["sleep"] == (2, 2, {"main": (2, 2)}, 7)
    assert total_time(profile) == clock.now == 17


def test_each_coroutine_of_a_chain_waits():
    async def inner():
        clock.now += 1
        await asyncio.sleep(5)
        clock.now += 2

    async def middle():
        clock.now += 10
        await inner()
        clock.now += 20

    async def main():
        await middle()
        await inner()

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["main"] == (1, 2, 10, 0)
    assert figures["middle"] == (1, 1, 5, 30)
    assert figures["inner"] == (2, 2, 10, 6)
    resumes = resumed(profile)
    assert resumes["inner"] == (2, 2, {"middle": (1, 1), "main": (1, 1)}, 10)
    assert resumes["sleep"] == (2, 2, {"inner": (2, 2)}, 10)
    assert total_time(profile) == clock.now == 46


def test_a_coroutine_that_has_nothing_to_wait_for_is_not_suspended():
    async def main():
        await asyncio.sleep(0)  # lets others run, and there are none
        clock.now += 1
        await plain()

    async def plain():
        clock.now += 2

    assert figures_of(measure(main)) == {"main": (1, 1, 0, 1), "plain": (1, 0, 0, 2)}


def test_gather():
    async def main():
        await asyncio.gather(wait_3(), wait_5(), wait_5())
        clock.now += 1

    profile = measure(main)
    figures = figures_of(profile)
    assert figures.pop("select")[2:] == (0, 5)
    assert figures == {
        "main": (1, 1, 5, 1),
        "wait_3": (1, 1, 3, 0),
        "wait_5": (2, 2, 10, 0),
    }
    assert total_time(profile) == clock.now == 6


def test_one_computes_while_another_waits():
    """Both timers are over when compute() ends, and go off in the order in which they were set."""

    async def compute():
        await asyncio.sleep(0)
        clock.now += 100

    async def main():
        await asyncio.gather(wait_3(), wait_5(), compute())

    figures = figures_of(measure(main))
    assert figures["compute"] == (1, 1, 0, 100)
    assert figures["wait_3"] == (1, 1, 100, 0)
    assert figures["wait_5"] == (1, 1, 100, 0)
    assert figures["main"] == (1, 1, 100, 0)
    assert figures.keys() == {"main", "compute", "wait_3", "wait_5"}


def test_a_task_group():
    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(wait_3())
            group.create_task(wait_5())
            clock.now += 1
        clock.now += 2

    profile = measure(main)
    figures = figures_of(profile)
    assert figures.pop("select")[2:] == (0, 5)
    assert figures == {"main": (1, 1, 5, 3), "wait_3": (1, 1, 3, 0), "wait_5": (1, 1, 5, 0)}
    assert resumed(profile)["__aexit__"][::3] == (1, 5)
    assert total_time(profile) == clock.now == 8


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks are new in Python 3.12")
def test_eager_tasks():
    """A task begins where it is made; one that never waits is over there."""

    async def quick():
        clock.now += 1

    async def main():
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        tasks = [asyncio.create_task(quick()), asyncio.create_task(wait_3())]
        assert tasks[0].done()
        clock.now += 10
        await asyncio.gather(*tasks)

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["quick"] == (1, 0, 0, 1)
    assert figures["wait_3"] == (1, 1, 10, 0)  # its timer was over when the loop first looked
    assert figures["main"] == (1, 1, 0, 10)
    assert total_time(profile) == clock.now == 11


# -- Exceptions ----------------------------------------------------------------------------------


class Trouble(Exception):
    pass


def test_an_exception_goes_through_awaits():
    async def fail():
        await asyncio.sleep(3)
        clock.now += 1
        raise Trouble

    async def pass_on():
        try:
            await fail()
        finally:
            clock.now += 2

    async def main():
        with suppress(Trouble):
            await pass_on()
        clock.now += 4
        await asyncio.sleep(5)

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["fail"] == (1, 1, 3, 1)
    assert figures["pass_on"] == (1, 1, 3, 2)
    assert figures["main"] == (1, 2, 8, 4)
    assert total_time(profile) == clock.now == 15


def test_an_exception_out_of_a_task_group():
    """The exception cancels the other tasks, which waited until then."""

    async def fail():
        await asyncio.sleep(3)
        raise Trouble

    async def main():
        with suppress(BaseExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
                group.create_task(wait_5())
        clock.now += 1

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["fail"] == (1, 1, 3, 0)
    assert figures["wait_5"] == (1, 1, 3, 0)
    assert figures["main"] == (1, 1, 3, 1)
    assert total_time(profile) == clock.now == 4


def test_cancellation():
    async def tidy():
        try:
            await asyncio.sleep(100)
        finally:
            clock.now += 1
            await asyncio.sleep(2)
            clock.now += 4

    async def main():
        task = asyncio.create_task(tidy())
        await asyncio.sleep(10)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        clock.now += 20

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["tidy"] == (1, 2, 10 + 2, 5)
    assert figures["main"] == (1, 2, 10 + 1 + 2 + 4, 20)
    assert total_time(profile) == clock.now == 37


def test_a_task_that_is_cancelled_before_it_starts():
    """Nothing of the task's body runs: it is thrown into, which is no call."""

    async def main():
        task = asyncio.create_task(wait_3())
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    profile = measure(main)
    [calls] = calls_of(profile, wait_3)
    assert calls in (0, None)
    assert figures_of(profile).get("wait_3", (0, 1, 0, 0)) == (0, 1, 0, 0)
    assert total_time(profile) == clock.now == 0


def test_a_cancellation_that_is_caught():
    """The coroutine that awaits the one that caught it goes on as if nothing had been thrown."""

    async def stubborn():
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            clock.now += 1

    async def around():
        await stubborn()
        compute()
        await asyncio.sleep(5)
        clock.now += 2

    def compute():
        clock.now += 1000

    async def main():
        task = asyncio.create_task(around())
        await asyncio.sleep(10)
        task.cancel()
        await task

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["stubborn"] == (1, 1, 10, 1)
    assert figures["around"] == (1, 2, 11 + 5, 2)
    [callers] = [row[4] for label, row in stats_of(profile).stats.items() if label[2] == "compute"]
    assert [caller[2] for caller in callers] == ["around"]
    assert total_time(profile) == clock.now == 1018


def test_a_timeout():
    async def main():
        with suppress(TimeoutError):
            async with asyncio.timeout(3):
                await wait_5()
        clock.now += 1

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["wait_5"] == (1, 1, 3, 0)
    assert figures["main"] == (1, 1, 3, 1)
    assert total_time(profile) == clock.now == 4


def test_wait_for():
    async def main():
        with suppress(TimeoutError):
            await asyncio.wait_for(wait_5(), 3)
        await asyncio.wait_for(wait_3(), 5)

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["wait_5"] == (1, 1, 3, 0)
    assert figures["wait_3"] == (1, 1, 3, 0)
    assert figures["main"][::2] == (1, 6)
    assert total_time(profile) == clock.now == 6


def test_a_shield():
    """A shielded task goes on when the task that waited for it was cancelled."""

    async def main():
        inner = asyncio.ensure_future(wait_5())
        outer = asyncio.ensure_future(shielded(inner))
        await asyncio.sleep(3)
        outer.cancel()
        with suppress(asyncio.CancelledError):
            await outer
        await inner

    async def shielded(inner):
        await asyncio.shield(inner)

    profile = measure(main)
    figures = figures_of(profile)
    assert figures["wait_5"] == (1, 1, 5, 0)
    assert figures["shielded"] == (1, 1, 3, 0)
    assert figures["main"] == (1, 3, 5, 0)
    assert total_time(profile) == clock.now == 5
