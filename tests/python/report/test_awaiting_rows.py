"""The rows of coroutines in the tree of the first screen: they await, and take no time."""

import asyncio
from textwrap import dedent

import pytest

from idleloop import hands, outline_of
from tracer.report.outline import named, outline_table

pytestmark = pytest.mark.versions


async def fetch(seconds):
    await asyncio.sleep(seconds)


async def rates(times):
    for _ in range(times):
        await fetch(2)


async def users(times):
    await asyncio.gather(*(fetch(5) for _ in range(times)))


def numbers():
    yield 1


async def takes():
    for _ in numbers():
        await fetch(10)


def parse():
    hands.now += 15
    hands.ran += 15


async def parses():
    await asyncio.sleep(30)
    for _ in range(5):
        parse()
        await asyncio.sleep(0)


async def program():
    """Of 100 s, users() awaits for 5, rates() twice for 40; the loop is idle for 100."""
    await users(20)
    await fetch(15)
    await asyncio.gather(rates(20), rates(20))
    await takes()
    await asyncio.sleep(30)


async def busy():
    """It is idle for 30 s of 105."""
    await asyncio.gather(rates(4), parses())


async def busier():
    """It is idle for 15 s of 90."""
    await asyncio.gather(rates(4), parse_in_loop())


async def parse_in_loop():
    await asyncio.sleep(15)
    for _ in range(5):
        parse()


def rows(main, width=150):
    """The rows below that of asyncio, each without its figures but for its share, and its place."""
    outline = outline_of(main)
    lines = outline_table(outline, 25, width, lambda row: "HERE")
    below = [line for line in lines if "Selector" not in line and "selectors" not in line]
    at = next(number for number, line in enumerate(below) if "asyncio (" in line)
    depth = below[at].index("asyncio (")
    return "\n".join(f"{line[9:15].strip()} {line[depth:]}" for line in below[at + 1 :])


def expected(text):
    return dedent(text).strip("\n")


def test_a_coroutine_that_awaits_long_has_a_row():
    assert rows(program) == expected(
        """
        0.0 ├─ program  HERE  (awaits 100.00 s)
        0.0 └─ rates  HERE  (awaits 40.00 s a call)
        """
    )


async def a_fifth():
    await rates(10)
    await asyncio.sleep(80)


async def less():
    await rates(9)
    await asyncio.sleep(74)


def test_one_that_awaits_for_less_than_a_fifth_of_the_run_has_none():
    assert rows(a_fifth) == expected(
        """
        0.0 └─ a_fifth  HERE  (awaits 100.00 s)
        0.0    └─ rates  HERE  (awaits 20.00 s)
        """
    )
    assert rows(less) == "0.0 └─ less  HERE  (awaits 92.00 s)"


async def in_a_generator():
    for _ in numbers():
        await fetch(30)


def test_a_plain_generator_has_no_such_row():
    assert rows(in_a_generator) == expected(
        """
        0.0 └─ in_a_generator  HERE  (awaits 30.00 s)
        0.0    └─ fetch  HERE  (awaits 30.00 s)
        """
    )


async def shorter():
    await fetch(30)


async def longer():
    await fetch(60)


async def both():
    await asyncio.gather(shorter(), longer())


def test_those_that_await_longest_come_first():
    lines = rows(both).splitlines()
    names = [line.partition("─ ")[2].partition(" ")[0] for line in lines]
    assert names == ["both", "longer", "fetch", "shorter", "fetch"]


async def small():
    await fetch(88)
    for _ in range(4):
        parse_a_little()


def parse_a_little():
    hands.now += 3
    hands.ran += 3


def test_they_count_by_the_time_of_a_call():
    """fetch() awaits for 88 s of 100, and parse_a_little() takes 12."""
    outline = outline_of(small)

    def is_row(name, number):
        lines = outline_table(outline, number, 150, lambda row: "HERE")
        return any(f"─ {name}  " in line for line in lines)

    least = next(number for number in range(1, 25) if is_row("fetch", number))
    assert not is_row("parse_a_little", least)
    assert is_row("parse_a_little", least + 3)


def test_rows_that_take_time_come_first():
    assert rows(busy) == expected(
        """
        71.4 ├─ parses  HERE  (awaits 30.00 s)
        71.4 │  └─ parse  HERE
        0.0 └─ busy  HERE  (awaits 105.00 s)
        """
    )


def test_where_the_loop_works_awaiting_is_no_row():
    assert rows(busier) == expected(
        """
        83.3 ├─ parse_in_loop  HERE
        83.3 │  └─ parse  HERE
        """
    )


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (35, "program  HERE  (awaits 100.00 s)"),
        (32, "program  HERE  (awaits 100.00 s)"),
        (31, "program  (awaits 100.00 s)"),
        (26, "program  (awaits 100.00 s)"),
        (25, "pr…ram  (awaits 100.00 s)"),
    ],
)
def test_where_there_is_little_room_the_place_goes_first(room, text):
    outline = outline_of(program)
    node = next(it for it in outline.walk() if it.name == "program")
    assert named(outline, node, room, lambda row: "HERE") == text
