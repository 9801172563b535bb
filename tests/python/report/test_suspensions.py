"""--suspended: one wait is read once, and plain generators do not wait."""

import re
from types import SimpleNamespace

import pytest

from launch import good, write
from tracer.analysis.outline.suspensions import is_waiting, waiting_functions
from tracer.cli.options.option import parse
from tracer.cli.options.show import ShowOptions
from tracer.cli.tables import Mode, Printing, print_profiles
from waiting import profile_of, space_of

SOURCE = """import types
@types.coroutine
def turn():
    yield
async def inner():
    await turn()
async def other():
    await turn()
async def outer():
    await inner()
    await other()
def numbers():
    yield 1
    yield 2
def main():
    waiter = outer()
    waiter.send(None)
    WAIT(100)
    waiter.send(None)
    WAIT(20)
    try:
        waiter.send(None)
    except StopIteration:
        pass
    for _ in numbers():
        WORK(300)
"""
HEAD = "   ncalls   resumes suspended    percall filename:lineno(function)"
LEFT_OUT = "1 plain generator is left out: no wait; --resumes or --only NAME prints them\n"


def capture_of(source, file):
    return profile_of(space_of(source, str(file)), threads=False).capture()


@pytest.fixture
def shown(tmp_path):
    """A function: what --suspended prints with other options."""
    file = write(tmp_path / "work.py", SOURCE)
    capture = capture_of(SOURCE, file)

    def printed(*words):
        words = ["--no-header", "--suspended", *words]
        options, _ = parse(words, ShowOptions, stop_at_program=False)
        return print_profiles([capture], Printing(Mode.SHOW, options)).text

    return printed


def test_a_row_names_what_was_awaited_in_the_end(shown):
    order, head, *rows, blank, left_out = (
        shown("--strip-dirs").replace("\n\n", "\n", 1).splitlines()
    )
    assert order == "   Ordered by: suspended time"
    assert head == f"{HEAD} -> the innermost that it awaited"
    assert sorted(rows[:2]) + rows[2:] == [
        "        1         2     0.120   0.060000 work.py:9(outer) -> work.py:2(turn)",
        "        2         2     0.120   0.060000 work.py:2(turn)",
        "        1         1     0.100   0.100000 work.py:5(inner) -> work.py:2(turn)",
        "        1         1     0.020   0.020000 work.py:7(other) -> work.py:2(turn)",
    ]
    assert (blank, left_out) == ("", LEFT_OUT[:-1])


def test_a_generator_that_is_asked_for_is_printed(shown):
    for words in ["--only=numbers"], ["--include=work.py"]:
        text = shown(*words, "--strip-dirs")
        assert "        1         2     0.600   0.300000 work.py:12(numbers)\n" in text
        assert "left out" not in text
    assert "(numbers)" in shown("--only=numbers")
    assert LEFT_OUT in shown("--limit=1")


def test_where_nothing_but_generators_is_suspended(tmp_path):
    source = "def numbers():\n    yield 1\ndef main():\n    for _ in numbers():\n        WORK(5)\n"
    capture = capture_of(source, write(tmp_path / "work.py", source))
    options, _ = parse(["--suspended"], ShowOptions, stop_at_program=False)
    text = print_profiles([capture], Printing(Mode.SHOW, options)).text
    assert "work.py:1(numbers)\n" in text
    assert "left out" not in text and "->" not in text


def test_functions_whose_source_is_not_known_stay():
    capture = capture_of(SOURCE, "/nowhere/work.py")
    options, _ = parse(["--suspended", "--no-header"], ShowOptions, stop_at_program=False)
    text = print_profiles([capture], Printing(Mode.SHOW, options)).text
    assert "(numbers)" in text and "left out" not in text


@pytest.mark.parametrize(
    ("text", "name", "waits"),
    [
        ("async def f():", "f", True),
        ("def f():", "f", False),
        ("    @cached\n    async def f(self):", "C.f", True),
        ("@types.coroutine\ndef f():", "f", True),
        ("def __await__(self):", "C.__await__", True),
        ("async def f(): return (x async for x in y)", "f.<locals>.<genexpr>", False),
        ("[await g(x) for x in y]\ndef g():", "f.<locals>.<listcomp>", True),
        ("nothing", "f", None),
        ("", "f", None),
    ],
)
def test_what_waits_while_it_is_suspended(text, name, waits):
    assert is_waiting(text.splitlines(), ("f.py", 1, name)) is waits


def test_a_form_feed_begins_no_line():
    text = "# \f\v\x1c\u2028\nasync def f():\r\n  pass\ndef g():\n  yield\n"
    kept = {"/app.py": SimpleNamespace(data=text.encode())}
    profiles = SimpleNamespace(captures=[SimpleNamespace(sources=kept)])
    labels = [("/app.py", 2, "f"), ("/app.py", 4, "g")]
    assert waiting_functions(profiles, labels) == dict(zip(labels, (True, False), strict=True))


ASYNCIO = """
import asyncio

async def leaf():
    await asyncio.sleep(0.01)

async def top():
    await leaf()

asyncio.run(top())
"""


def test_a_program_of_asyncio(tmp_path):
    write(tmp_path / "main.py", ASYNCIO)
    text = good("--suspended", "--no-header", "--strip-dirs", "main.py", cwd=tmp_path)
    for name in "top", "leaf":
        assert re.search(rf"main\.py:\d+\({name}\) -> tasks\.py:\d+\(sleep\)$", text, re.M)
    assert re.search(r"tasks\.py:\d+\(sleep\)$", text, re.M)
