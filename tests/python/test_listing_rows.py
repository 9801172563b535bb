"""How many rows the command prints of a listing that stands in place of the table, and how it says
that there are more. Times stand still but where the program moves them."""

import re

import pytest

from tracer.cli.commands.show import OPTIONS
from tracer.cli.options import parse
from tracer.cli.tables import Mode, Printing, print_profiles
from waiting import profile_of, space_of

FUNCTIONS = 33
EACH = """
def each{0}():
    WORK(2)
    yield
    WAIT(1)
"""
MAIN = "def main():\n" + "".join(f"    list(each{n}())\n" for n in range(FUNCTIONS))


@pytest.fixture(scope="module")
def capture():
    source = "".join(EACH.format(n) for n in range(FUNCTIONS)) + MAIN
    return profile_of(space_of(source), threads=False).capture()


def shown(capture, *words):
    values, _ = parse(["--no-header", "--strip-dirs", *words], OPTIONS, stop_at_program=False)
    printed = print_profiles([capture], Printing(Mode.SHOW, values))
    assert printed.notes == []
    return printed.text


def rows(text):
    return re.findall(r"^ *\d[^<\n]* work\.py:\d+\(\w+\)$", text, re.MULTILINE)


def told(text):
    return re.findall(r"^\w.*--limit.*$", text, re.MULTILINE)


@pytest.mark.parametrize("option", ["--resumes", "--suspended", "--waited", "--longest"])
def test_a_listing_of_functions_has_30_rows_and_says_how_many_more_there_are(capture, option):
    every = rows(shown(capture, option, "--limit=0"))
    assert len(every) in (FUNCTIONS, FUNCTIONS + 1)  # main() is no generator, and does not wait
    text = shown(capture, option)
    assert rows(text) == every[:30]
    assert told(text) == [f"{len(every) - 30} more functions: --limit 0 prints all"]
    assert told(shown(capture, option, "--limit=0")) == []
    some = shown(capture, option, "--limit=7")
    assert (rows(some), told(some)) == (every[:7], [])
    few = shown(capture, option, "--only", "each[0-4]$")
    assert (len(rows(few)), told(few)) == (5, [])
    one = shown(capture, option, "--only", r"each(?!1\b|2\b)")
    assert told(one) == ["1 more function: --limit 0 prints all"]


@pytest.mark.parametrize("option", ["--callers", "--callees"])
def test_callers_of_30_functions_are_printed(capture, option):
    every = re.findall(
        r"^work\.py:\d+\(each\d+\)", shown(capture, option, "each", "--limit=0"), re.M
    )
    assert len(every) == FUNCTIONS
    text = shown(capture, option, "each")
    assert re.findall(r"^work\.py:\d+\(each\d+\)", text, re.M) == every[:30]
    assert told(text) == ["3 more functions: --limit 0 prints all"]
    assert told(shown(capture, option, "each", "--limit=0")) == []
    assert told(shown(capture, option, "each", "--limit=7")) == []


def test_the_remark_stands_below_its_own_listing(capture):
    text = shown(capture, "--waited", "--longest")
    waited, longest = re.split(r"(?=   Ordered by: longest)", text)
    assert [len(told(it)) for it in (waited, longest)] == [1, 1]
    assert waited.endswith(")\n\n4 more functions: --limit 0 prints all\n\n")


def test_30_threads_are_printed(capture):
    (thread,) = capture.threads
    kept = capture.threads
    names = [f"thread-{n}" for n in range(32)]
    capture.threads = tuple(
        thread._replace(name=name, ident=n) for n, name in enumerate(names, start=1)
    )
    try:
        found = {words: shown(capture, "--threads", *words) for words in ((), ("--limit=0",))}
    finally:
        capture.threads = kept
    assert [len(re.findall(r"  thread-\d+$", text, re.M)) for text in found.values()] == [30, 32]
    assert told(found[()]) == ["2 more threads: --limit 0 prints all"]
    assert told(found["--limit=0",]) == []
