"""How many rows the command prints of a listing that stands in place of the table, and how it says
that there are more. Times stand still but where the program moves them."""

import re

import pytest

from tracer.cli.options.option import parse
from tracer.cli.options.show import ShowOptions
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
    options, _ = parse(["--no-header", "--strip-dirs", *words], ShowOptions, stop_at_program=False)
    printed = print_profiles([capture], Printing(Mode.SHOW, options))
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


HINT = "--include FILE lists the functions of that file\n"
NESTED = "".join(f"def outer{n}():\n    outer{n + 1}()\n" for n in range(5))


def nested_in(outers, file):
    """A capture in which a function of the program is called by way of so many of this file."""
    space = space_of("def outer5():\n    WORK(1)\n")
    space_of(NESTED, file, space)
    return profile_of(space, f"outer{5 - outers}", threads=False).capture()


@pytest.mark.parametrize(
    ("outers", "file", "is_told"),
    [
        (5, "/usr/lib/python3.12/json/decoder.py", True),
        (5, "/usr/lib/python3.12/site-packages/lib.py", True),
        (5, "<string>", True),
        (4, "/usr/lib/python3.12/json/decoder.py", False),
        (5, "/here/app/other.py", False),
    ],
)
def test_longest_tells_how_to_list_the_functions_of_the_program(outers, file, is_told):
    def longest(*words):
        options, _ = parse(["--longest", *words], ShowOptions, stop_at_program=False)
        return print_profiles([nested_in(outers, file)], Printing(Mode.SHOW, options)).text

    assert (HINT in longest()) is is_told
    assert (HINT in longest("--limit=3")) is is_told
    assert longest().endswith(f")\n\n{HINT}") is is_told
    for words in ("--include=work.py", "--only=outer5"):
        text = longest(words)
        assert "work.py:1(outer5)" in text
        assert HINT not in text


def threads_shown(capture, names, *words):
    """What --threads prints of copies of the one thread, under these names."""
    (thread,) = kept = capture.threads
    capture.threads = tuple(
        thread._replace(name=name, ident=n, native_id=n) for n, name in enumerate(names, start=1)
    )
    try:
        return shown(capture, "--threads", *words)
    finally:
        capture.threads = kept


def test_30_threads_are_printed(capture):
    names = [f"thread-{chr(ord('A') + n)}" for n in range(32)]
    found = {words: threads_shown(capture, names, *words) for words in ((), ("--limit=0",))}
    assert [len(re.findall(r"  thread-.$", text, re.M)) for text in found.values()] == [30, 32]
    assert told(found[()]) == ["2 more rows: --limit 0 prints all"]
    assert told(found["--limit=0",]) == []


GROUPED = "Threads whose names differ in numbers only share a row: --limit 0 prints each\n"


def test_threads_of_a_kind_share_a_row(capture):
    """Where there are more than ten; but each is printed with a limit, and all without one."""
    names = ["Main", *(f"pack_{n}" for n in range(8)), "one-1", "other"]
    text = threads_shown(capture, names)
    *_, head, first, second, third, fourth = text.partition("\n\nThreads")[0].splitlines()
    calls, *times = second.split()[:5]
    eight = [str(8 * int(calls)), *(f"{8 * float(time):.3f}" for time in times)]
    assert head.endswith("ident  native id  thread")
    assert first.split() == [*eight, "8", "threads", "pack_N"]
    assert first.index("8 threads") == second.index("Main")
    assert [row.split()[-1] for row in (second, third, fourth)] == ["Main", "one-1", "other"]
    assert text.endswith(f"\n\n{GROUPED}")
    for limit, rows in (0, 11), (3, 3):
        each = threads_shown(capture, names, f"--limit={limit}")
        assert len(re.findall(r"^ +\d", each, re.M)) == rows
        assert GROUPED not in each and "threads pack" not in each
    few = threads_shown(capture, names[:10])
    assert len(re.findall(r"  pack_\d$", few, re.M)) == 8 and GROUPED not in few
    unlike = threads_shown(capture, [f"thread-{chr(ord('A') + n)}" for n in range(12)])
    assert GROUPED not in unlike


def test_facts_of_grouped_threads(capture):
    """Threads before one, lost calls and cut-offs are told of the group."""
    (thread,) = kept = capture.threads
    marks = [{"sharers": 3}, {"lost_calls": 4}, {"lost_calls": 8, "cut_off": 1.5}, {"cut_off": 2.5}]
    capture.threads = tuple(
        thread._replace(name=f"pack-{n}", **dict(enumerate(marks)).get(n, {})) for n in range(11)
    )
    try:
        text = shown(capture, "--threads")
    finally:
        capture.threads = kept
    assert "  13 threads pack-N (cut off after 2.500 s) (12 calls lost)\n" in text
