"""Coroutines that await one call after the other, and those that do not: by a clock that the event
loop moves."""

import asyncio
import contextlib
import sys

import pytest

from idleloop import hands, outline_of
from tracer.analysis.findings.coroutines import one_after_the_other
from tracer.analysis.findings.findings import findings
from tracer.analysis.outline.awaits_by_caller import worked_elsewhere
from tracer.analysis.outline.serial_awaits import serial_awaits
from tracer.analysis.outline.waiting_kinds import NO_WAIT, OUTSIDE, TURN
from treetexts import paths_of_text, said

pytestmark = pytest.mark.versions


def told(outline):
    """What is told of coroutines that await one call after the other."""
    return [said(it, lambda row: "HERE") for it in one_after_the_other(outline)]


async def fetch(seconds):
    await asyncio.sleep(seconds)
    return seconds


# -- One after the other ---------------------------------------------------------------------------


async def user():
    return await fetch(5)


async def rates():
    return sum([await fetch(6) for _ in range(25)])


async def report():
    await asyncio.gather(rates(), *(user() for _ in range(200)))


def test_one_of_many_tasks_is_serial():
    outline = outline_of(report)
    text = "100%: rates, HERE, awaits fetch 25 times, one after the other, 150.00 s"
    assert told(outline) == [text]
    [finding] = findings(outline, 3)
    assert said(finding, lambda row: "HERE") == text
    assert (finding.saving, finding.row.name, finding.figure) == (150e9, "rates", "suspended")
    assert finding.callee.name == "fetch"
    assert finding.advice == (
        "What does not need the answers before it can wait side by side: asyncio.gather()."
    )


async def page():
    for _ in range(10):
        await fetch(2)


async def pages():
    for _ in range(5):
        await page()


async def two_pages():
    await page()
    await page()


def test_the_outermost_loop_is_told():
    assert told(outline_of(pages)) == [
        "100%: pages, HERE, awaits page 5 times, one after the other, 100.00 s"
    ]
    assert told(outline_of(two_pages)) == [
        "50%: page, HERE, awaits fetch 20 times in 2 calls, one after the other, 20.00 s a call"
    ]


async def worker(items):
    while items:
        await fetch(items.pop())


async def workers():
    items = [3] * 40
    await asyncio.gather(*(worker(items) for _ in range(4)))


def test_several_tasks_each_of_which_is_serial():
    text = (
        "100%: worker, HERE, awaits fetch 40 times in 4 calls, one after the other, 30.00 s a call"
    )
    assert told(outline_of(workers)) == [text]


async def store(seconds):
    await asyncio.sleep(seconds)


async def copy():
    for _ in range(5):
        await store(await fetch(3))


def test_two_by_turns():
    text = "100%: copy, HERE, awaits fetch 5 times and store 5 times, one after the other, 30.00 s"
    assert told(outline_of(copy)) == [text]


async def mostly(seconds):
    for _ in range(10):
        await fetch(2)
    await store(seconds)


async def enough():
    await mostly(5)


async def too_little():
    await mostly(6)


def test_four_fifths_are_of_what_is_awaited_again_and_again():
    assert told(outline_of(enough)) == [
        "100%: mostly, HERE, awaits fetch 10 times, one after the other, 25.00 s"
    ]
    assert told(outline_of(too_little)) == []


async def expression():
    return [it async for it in (await fetch(2) for _ in range(6))]


def test_a_generator_expression_is_a_part_of_its_function():
    assert told(outline_of(expression)) == [
        "100%: expression, HERE, awaits fetch 6 times, one after the other, 12.00 s"
    ]


async def walk(depth):
    await fetch(2)
    for _ in range(2 * bool(depth)):
        await walk(depth - 1)


async def walks():
    await walk(3)


def test_a_recursion_is_one():
    text = "100%: walk, HERE, awaits fetch 15 times, one after the other, 30.00 s"
    assert told(outline_of(walks))[0].replace(" in 15 calls", "") == text


async def numbers():
    for _ in range(6):
        yield await fetch(4)


async def takes_numbers():
    async for _ in numbers():
        pass


async def awaits_for_numbers():
    async for number in numbers():
        await store(10 * number)


def test_an_asynchronous_generator():
    assert told(outline_of(takes_numbers)) == [
        "100%: numbers, HERE, awaits fetch 6 times, one after the other, 24.00 s"
    ]
    assert told(outline_of(awaits_for_numbers)) == [
        "100%: awaits_for_numbers, HERE, awaits store 6 times, one after the other, 264.00 s"
    ]


@contextlib.asynccontextmanager
async def connection():
    await asyncio.sleep(3)
    yield


async def connections():
    for _ in range(6):
        async with connection():
            pass


def test_what_a_library_awaits_for_the_program_is_seen_through():
    assert told(outline_of(connections)) == [
        "100%: connections, HERE, awaits connection 6 times, one after the other, 18.00 s"
    ]


# -- Side by side, or of no use to tell ------------------------------------------------------------


async def gathered():
    await asyncio.gather(*(fetch(5) for _ in range(20)))


async def gathers():
    for _ in range(10):
        await gathered_here()


def gathered_here():
    return asyncio.gather(*(fetch(5) for _ in range(20)))


async def groups():
    for _ in range(10):
        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(fetch(5))


async def ordered(semaphore):
    async with semaphore:
        await fetch(2)


async def through_a_semaphore():
    semaphore = asyncio.Semaphore(1)
    await asyncio.gather(*(ordered(semaphore) for _ in range(50)))


async def often(lock):
    for _ in range(10):
        async with lock:
            await fetch(1)


async def through_a_lock():
    lock = asyncio.Lock()
    await asyncio.gather(*(often(lock) for _ in range(8)))


async def consume(queue):
    while await queue.get():
        pass


async def produce():
    queue = asyncio.Queue()
    consumer = asyncio.create_task(consume(queue))
    for number in range(10, -1, -1):
        await asyncio.sleep(1)
        queue.put_nowait(number)
    await consumer


async def reads():
    reader = asyncio.StreamReader()

    async def feed():
        for _ in range(10):
            await asyncio.sleep(3)
            reader.feed_data(b"line\n")
        reader.feed_eof()

    task = asyncio.create_task(feed())
    while await reader.readline():
        pass
    await task


async def few():
    for _ in range(4):
        await fetch(9)


async def cached(seconds):
    if seconds:
        await fetch(seconds)


async def once():
    for number in range(20):
        await cached(90 * (number == 7))


@pytest.mark.parametrize(
    "main",
    [gathered, gathers, groups, through_a_semaphore, through_a_lock, produce, reads, few, once],
)
def test_what_is_not_told(main):
    assert told(outline_of(main)) == []


async def eager():
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    tasks = [asyncio.create_task(fetch(9)) for _ in range(20)]
    await asyncio.gather(*tasks)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks are of Python 3.12")
def test_tasks_that_begin_at_once_are_side_by_side():
    assert told(outline_of(eager)) == []


def plain():
    for number in range(6):
        yield from inner(number)


def inner(number):
    yield number


async def takes_plain():
    for _ in plain():
        await asyncio.sleep(5)


def test_a_plain_generator_does_not_await():
    assert told(outline_of(takes_plain)) == []


async def works(times):
    for _ in range(times):
        await asyncio.sleep(0)
        hands.now += 1
        hands.ran += 1


async def idle_enough():
    await asyncio.gather(works(144), rates())


async def too_busy():
    await asyncio.gather(works(152), rates())


def test_where_the_loop_is_busy_nothing_is_told():
    """It is idle for 42 s of 186, or for 36 of 188."""
    [finding] = one_after_the_other(outline_of(idle_enough))
    assert (finding.row.name, finding.saving) == ("rates", 42e9)
    assert told(outline_of(too_busy)) == []


def test_what_other_threads_do_meanwhile_does_not_count():
    """rates() is suspended for 150 s, in half of which, or less, no other thread works."""
    outline = outline_of(report)

    def found(worked):
        loops = [(150_000_000_000, worked)]
        return [(it.each, it.idle) for it in serial_awaits(outline.paths, outline.owns, loops, ())]

    assert found(75_000_000_000) == [(150_000_000_000, 75_000_000_000)]
    assert found(75_000_000_001) == []


def test_a_thread_that_waits_for_its_turn_would_work():
    paths = paths_of_text("main@main 1 100~30", "work@main 1 500~200\n  <time.sleep> 1 300~300")
    assert worked_elsewhere(paths, [None, bytearray([NO_WAIT, TURN, OUTSIDE])]) == [500, 70]
    assert worked_elsewhere(paths, [None, bytearray([NO_WAIT, OUTSIDE, OUTSIDE])]) == [300, 70]
