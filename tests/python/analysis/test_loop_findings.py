"""What many tasks awaited, and what blocks an event loop: by a clock that the loop moves."""

import asyncio

import pytest

from idleloop import hands, outline_of
from tracer.analysis.findings.coroutines import one_after_the_other, suspended_most, suspended_next
from tracer.analysis.findings.findings import findings
from treetexts import said

pytestmark = pytest.mark.versions


async def store(seconds):
    await asyncio.sleep(seconds)


async def fetch(seconds):
    await asyncio.sleep(seconds)


async def ordered(semaphore):
    async with semaphore:
        await fetch(2)


async def through_a_semaphore():
    semaphore = asyncio.Semaphore(1)
    await asyncio.gather(*(ordered(semaphore) for _ in range(50)))


def told(outline):
    """What is told of coroutines that await one call after the other."""
    return [said(it, lambda row: "HERE") for it in one_after_the_other(outline)]


# -- Sums of many tasks ----------------------------------------------------------------------------


def sums(outline):
    found = (rule(outline) for rule in (suspended_most, suspended_next))
    return [(said(it, lambda row: "HERE"), it.saving / 1e9) for it in found if it]


def test_a_sum_over_tasks_counts_by_what_each_of_them_waited():
    """The tasks wait 0, 2, ... 98 s for the semaphore."""
    assert sums(outline_of(through_a_semaphore)) == [
        (
            "2450.00 s suspended at the semaphore, awaited by ordered, HERE, "
            "in 50 tasks, 49.00 s each, 24.5 at a time",
            49,
        ),
        (
            "100.00 s suspended in asyncio.sleep, awaited by fetch, HERE, "
            "in 50 tasks, 2.00 s each, 1.0 at a time",
            2,
        ),
    ]


async def held(lock):
    async with lock:
        await store(1)
    await store(2)


async def holds(lock):
    for _ in range(10):
        await held(lock)


async def hold():
    lock = asyncio.Lock()
    await asyncio.gather(*(holds(lock) for _ in range(4)))


def test_a_lock_is_told_beside_what_is_awaited_one_after_the_other():
    outline = outline_of(hold)
    [serial] = told(outline)
    assert "holds, HERE, awaits held 40 times in 4 calls, one after the other" in serial
    [(lock, _)] = sums(outline)
    assert "suspended at the lock, awaited by held, HERE, " in lock


async def polls():
    for _ in range(20):
        await asyncio.sleep(2)


def test_what_one_task_awaited():
    text = "40.00 s suspended in asyncio.sleep, awaited by polls, HERE, 20 times"
    outline = outline_of(polls)
    assert sums(outline) == [(text, 40)]
    assert told(outline) == []


# -- What blocks the event loop --------------------------------------------------------------------


def lookup():
    hands.now += 6


async def price():
    await asyncio.sleep(0)
    lookup()


async def prices():
    await asyncio.gather(*(price() for _ in range(30)))


def parse():
    hands.now += 1
    hands.ran += 1


async def parses():
    for _ in range(5):
        for _ in range(20):
            parse()
        await asyncio.sleep(0)


async def short():
    for _ in range(30):
        parse()
        await asyncio.sleep(0)


async def handle():
    await asyncio.sleep(0)
    for _ in range(20):
        parse()


async def handles():
    await asyncio.gather(*(handle() for _ in range(3)))


async def render():
    await asyncio.sleep(100)
    hands.now += 9


async def prices_and_render():
    await asyncio.gather(render(), *(price() for _ in range(30)))


def test_a_longer_step_of_another_function_is_told_beside_it():
    assert texts(outline_of(prices_and_render)) == [
        "95%: lookup, HERE, takes 180.00 s itself in 30 calls by price; "
        "blocks the event loop 6 s each time",
        "the event loop did not turn for 9 s, 180.00 s after the start: render, HERE",
    ]


async def once_only():
    await asyncio.sleep(4)
    lookup()


@pytest.mark.parametrize(
    ("main", "text"),
    [
        (
            prices,
            "100%: lookup, HERE, takes 180.00 s itself in 30 calls by price; "
            "blocks the event loop 6 s each time",
        ),
        (
            handles,
            "100%: parse, HERE, takes 60.00 s itself in 60 calls by handle; "
            "blocks the event loop about 6 times, 10 s each",
        ),
        (
            once_only,
            "60%: lookup, HERE, takes 6.00 s itself in 1 call by once_only; "
            "blocks the event loop for 6 s, 4.00 s after the start",
        ),
    ],
)
def test_what_blocks_the_event_loop_is_told_where_it_takes_much(main, text):
    """No other finding tells of its steps."""
    outline = outline_of(main)
    assert texts(outline) == [text]
    assert findings(outline, 1)[0].advice == (
        "Meanwhile no other coroutine went on. Await in between, or let a thread do it: "
        "asyncio.to_thread()."
    )


def texts(outline):
    return [said(it, lambda row: "HERE") for it in findings(outline, 9)]
