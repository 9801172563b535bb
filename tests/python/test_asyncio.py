"""Coroutines under asyncio, with a clock that an event loop moves instead of sleeping.

All time is spent in one place: where the loop would wait. So every figure but that one and the
suspended times is 0, unless the program moves the clock itself. Generators are in
test_suspension.py.
"""

import asyncio
import contextvars
import selectors
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

import pytest

import tracer
from rows import Clock, calls_of, resumed, stats_of

clock = Clock()


@pytest.fixture(autouse=True)
def new_clock():
    clock.now = 0


class Selector(selectors.DefaultSelector):
    def __init__(self, idle):
        super().__init__()
        self.idle = idle

    def select(self, timeout=None):
        if timeout:
            clock.now += round(timeout)
            timeout = 0
        elif timeout is None:  # only another thread can end it
            self.idle.set()
        return super().select(timeout)


class Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.idle = threading.Event()
        super().__init__(Selector(self.idle))

    def time(self):
        return clock.now


def run(main):
    with asyncio.Runner(loop_factory=Loop) as runner:
        return runner.run(main())


def measure(main, **options):
    """A finished Profile of a coroutine function under a new loop; Python functions only."""
    profile = tracer.Profile(clock, 1.0, builtins=False, **options)
    profile.runcall(run, main)
    return profile


def own(source):
    """{name: (calls, resumes, suspended, tottime)} of this module's functions that are resumable or
    took time."""
    found = {}
    stats = stats_of(source)
    for label, (_, calls, tottime, _, _) in stats.stats.items():
        resumes = stats.resumes.get(label)
        if label[0] == __file__ and (resumes or tottime):
            total, suspended = (resumes.total, resumes.suspended) if resumes else (0, 0)
            assert label[2] not in found
            found[label[2]] = (calls, total, suspended, tottime)
    return found


def total_of(source):
    return sum(row[2] for row in stats_of(source).stats.values())


async def wait_3():
    await asyncio.sleep(3)


async def wait_5():
    await asyncio.sleep(5)


# -- Waiting -----------------------------------------------------------------------------------


def test_sleep_is_suspended_time():
    async def main():
        await asyncio.sleep(3)
        clock.now += 10
        await asyncio.sleep(4)

    profile = measure(main)
    figures = own(profile)
    assert figures.pop("select")[1:] == (0, 0, 7)
    assert figures == {"main": (1, 2, 7, 10)}
    assert resumed(profile)["sleep"] == (2, 2, {"main": (2, 2)}, 7)
    assert total_of(profile) == clock.now == 17


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
    figures = own(profile)
    assert figures["main"] == (1, 2, 10, 0)
    assert figures["middle"] == (1, 1, 5, 30)
    assert figures["inner"] == (2, 2, 10, 6)
    resumes = resumed(profile)
    assert resumes["inner"] == (2, 2, {"middle": (1, 1), "main": (1, 1)}, 10)
    assert resumes["sleep"] == (2, 2, {"inner": (2, 2)}, 10)
    assert total_of(profile) == clock.now == 46


def test_a_coroutine_that_has_nothing_to_wait_for_is_not_suspended():
    async def main():
        await asyncio.sleep(0)  # lets others run, and there are none
        clock.now += 1
        await plain()

    async def plain():
        clock.now += 2

    assert own(measure(main)) == {"main": (1, 1, 0, 1), "plain": (1, 0, 0, 2)}


def test_gather():
    async def main():
        await asyncio.gather(wait_3(), wait_5(), wait_5())
        clock.now += 1

    profile = measure(main)
    figures = own(profile)
    assert figures.pop("select")[2:] == (0, 5)
    assert figures == {
        "main": (1, 1, 5, 1),
        "wait_3": (1, 1, 3, 0),
        "wait_5": (2, 2, 10, 0),
    }
    assert total_of(profile) == clock.now == 6


def test_one_computes_while_another_waits():
    """Both timers are over by then, in the order in which they were set."""

    async def compute():
        await asyncio.sleep(0)
        clock.now += 100

    async def main():
        await asyncio.gather(wait_3(), wait_5(), compute())

    figures = own(measure(main))
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
    figures = own(profile)
    assert figures.pop("select")[2:] == (0, 5)
    assert figures == {"main": (1, 1, 5, 3), "wait_3": (1, 1, 3, 0), "wait_5": (1, 1, 5, 0)}
    assert resumed(profile)["__aexit__"][::3] == (1, 5)
    assert total_of(profile) == clock.now == 8


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
    figures = own(profile)
    assert figures["quick"] == (1, 0, 0, 1)
    assert figures["wait_3"] == (1, 1, 10, 0)  # its timer was over when anybody looked
    assert figures["main"] == (1, 1, 0, 10)
    assert total_of(profile) == clock.now == 11


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
    figures = own(profile)
    assert figures["fail"] == (1, 1, 3, 1)
    assert figures["pass_on"] == (1, 1, 3, 2)
    assert figures["main"] == (1, 2, 8, 4)
    assert total_of(profile) == clock.now == 15


def test_an_exception_out_of_a_task_group():
    """It cancels the others, which waited until then."""

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
    figures = own(profile)
    assert figures["fail"] == (1, 1, 3, 0)
    assert figures["wait_5"] == (1, 1, 3, 0)
    assert figures["main"] == (1, 1, 3, 1)
    assert total_of(profile) == clock.now == 4


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
    figures = own(profile)
    assert figures["tidy"] == (1, 2, 10 + 2, 5)
    assert figures["main"] == (1, 2, 10 + 1 + 2 + 4, 20)
    assert total_of(profile) == clock.now == 37


def test_a_task_that_is_cancelled_before_it_starts():
    """Nothing of its body runs: it is thrown into, which is no call."""

    async def main():
        task = asyncio.create_task(wait_3())
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    profile = measure(main)
    [calls] = calls_of(profile, wait_3)
    assert calls in (0, None)
    assert own(profile).get("wait_3", (0, 1, 0, 0)) == (0, 1, 0, 0)
    assert total_of(profile) == clock.now == 0


def test_a_cancellation_that_is_caught():
    """Whoever awaits what ended that way goes on as if nothing had been thrown."""

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
    figures = own(profile)
    assert figures["stubborn"] == (1, 1, 10, 1)
    assert figures["around"] == (1, 2, 11 + 5, 2)
    [callers] = [row[4] for label, row in stats_of(profile).stats.items() if label[2] == "compute"]
    assert [caller[2] for caller in callers] == ["around"]
    assert total_of(profile) == clock.now == 1018


def test_a_timeout():
    async def main():
        with suppress(TimeoutError):
            async with asyncio.timeout(3):
                await wait_5()
        clock.now += 1

    profile = measure(main)
    figures = own(profile)
    assert figures["wait_5"] == (1, 1, 3, 0)
    assert figures["main"] == (1, 1, 3, 1)
    assert total_of(profile) == clock.now == 4


def test_wait_for():
    async def main():
        with suppress(TimeoutError):
            await asyncio.wait_for(wait_5(), 3)
        await asyncio.wait_for(wait_3(), 5)

    profile = measure(main)
    figures = own(profile)
    assert figures["wait_5"] == (1, 1, 3, 0)
    assert figures["wait_3"] == (1, 1, 3, 0)
    assert figures["main"][::2] == (1, 6)
    assert total_of(profile) == clock.now == 6


def test_a_shield():
    """What is shielded goes on when whoever waited for it was cancelled."""

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
    figures = own(profile)
    assert figures["wait_5"] == (1, 1, 5, 0)
    assert figures["shielded"] == (1, 1, 3, 0)
    assert figures["main"] == (1, 3, 5, 0)
    assert total_of(profile) == clock.now == 5


# -- Asynchronous generators, with and for ---------------------------------------------------------


async def pages():
    """It waits for each value, and its consumer for it; then it waits for its consumer."""
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
    figures = own(profile)
    assert figures["pages"] == (1, 5, 3 + 3 + 5 + 2 * 100, 12)
    assert figures["main"] == (1, 3, 3 + 3 + 5, 200)
    assert resumed(profile)["pages"] == (5, 5, {"main": (5, 5)}, 211)
    assert total_of(profile) == clock.now == 223


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
    figures = own(profile)
    assert figures["pages"] == (1, 3, 3 + 300 + 5, 11)
    assert figures["main"] == (1, 2, 3 + 5, 700)
    assert total_of(profile) == clock.now == 719


def test_an_async_generator_that_is_left_by_break():
    """The loop closes it, in a task of its own."""

    async def main():
        async for _ in pages():
            clock.now += 100
            break
        await asyncio.sleep(20)

    profile = measure(main)
    figures = own(profile)
    assert figures["pages"] == (1, 3, 3 + 100 + 5, 11)
    assert figures["main"] == (1, 2, 3 + 20, 100)
    assert total_of(profile) == clock.now == 124


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
    figures = own(profile)
    assert figures["connection"] == (1, 3, 3 + 17 + 5, 3)
    assert figures["main"] == (1, 3, 15, 10)
    resumes = resumed(profile)
    assert resumes["__aenter__"][::3] == (1, 3)
    assert resumes["__aexit__"][::3] == (1, 5)
    assert total_of(profile) == clock.now == 28


def test_an_asynchronous_comprehension():
    async def main():
        return [value async for value in numbers()]

    async def numbers():
        for number in range(3):
            await asyncio.sleep(number)
            yield number

    profile = measure(main)
    assert own(profile)["numbers"] == (1, 3 + 3, 3, 0)
    assert own(profile)["main"] == (1, 3, 3, 0)
    assert total_of(profile) == clock.now == 3


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
    figures = own(profile)
    assert figures["produce"] == (1, 3, 6, 0)
    assert figures["consume"] == (1, 3, 2 + 1 + 1, 3)
    assert figures["main"] == (1, 1, 7, 0)
    assert total_of(profile) == clock.now == 7


def test_two_loops_in_two_threads():
    """Each moves the clock while the other waits for it, which is time in that one's selector."""
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
        thread = threading.Thread(target=run, args=(right,))
        thread.start()
        run(left)
        thread.join()
    here, there = tracer.Stats(profile).threads
    assert own(here)["left"] == (1, 2, 5 + 3, 0)
    assert own(there)["right"] == (1, 2, 5 + 3, 0)
    assert "right" not in own(here)
    assert "left" not in own(there)
    assert own(here)["select"][3] == 3  # and 5 in that of the standard library, which it calls
    assert own(there)["select"][3] == 5
    assert total_of(here) == total_of(there) == clock.now == 8


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
    assert own(profile)["main"] == (1, 1, 7, 0)
    there = tracer.Stats(profile).threads["computing_0"]
    assert own(there) == {"compute": (1, 0, 0, 7)}


def test_a_profile_that_is_enabled_and_disabled_in_a_coroutine():
    """What waits then is resumed later: not called, and not suspended before."""
    profile = tracer.Profile(clock, 1.0, builtins=False)

    async def main():
        task = asyncio.create_task(wait_5())
        await asyncio.sleep(1)
        with profile:
            await asyncio.sleep(2)
            clock.now += 10
        await task

    run(main)
    figures = own(profile)
    assert figures["main"] == (0, 1, 2, 10)
    assert "wait_5" not in figures
    profile.clear()

    async def later():
        task = asyncio.create_task(wait_5())
        await asyncio.sleep(1)
        with profile:
            await task

    run(later)
    figures = own(profile)
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
    assert own(profile)["worker"] == (999, 2 * 999, 999 * 1000, 0)
    assert total_of(profile) == clock.now == 1000


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
    assert own(profile)["step"] == (2, 2, 30, 6)
    assert total_of(profile) == clock.now == 36
