"""Lines that were timed: on the overview, and in the source beside them."""

import re
from pathlib import Path

import pytest

import tracer
from launch import traced

PROGRAM = Path(__file__).parent / "programs" / "shapes.py"


@pytest.fixture(scope="module")
def timed(tmp_path_factory):
    """The address of a page with timed lines, and the functions whose lines they are."""
    folder = tmp_path_factory.mktemp("timed")
    for words in (
        ["--lines", "-o", folder / "lines.out", PROGRAM],
        ["html", "-o", folder / "lines.html", folder / "lines.out"],
    ):
        ended = traced(*words)
        assert ended.returncode == 0, ended.stderr.decode()
    functions = tracer.Stats(folder / "lines.out").lines.functions
    return (folder / "lines.html").as_uri(), {one.qualname: one for one in functions}


def test_the_overview_leads_to_the_functions_with_the_most(visit, timed):
    address, functions = timed
    page = visit(address)
    panel = page.locator(".panel:has(h2:has-text('Timed by line'))")
    hits = sum(line.hits for line in functions["countdown"].lines)
    row = panel.locator(".bar-row:has(.fn:text-is('countdown'))")
    assert row.get_attribute("data-tip").endswith(f"\n{hits:,} hits")
    longest = max(functions["countdown"].lines, key=lambda line: line.time).line
    assert row.locator(".where").text_content().endswith(f", most on line {longest}")
    row.click()
    page.wait_for_selector("#view[data-view=source]")
    assert page.state["line"] == str(functions["countdown"].first_line)


def test_each_line_has_its_hits_and_its_time(visit, timed):
    address, functions = timed
    page = visit(address, "view=source")
    page.wait_for_selector(".code.timed")
    heads = page.locator(".code-head .figure").all_text_contents()
    known = {line.line: line for one in functions.values() for line in one.lines}
    parts = ["Own", "In C"] if any(line.own is not None for line in known.values()) else []
    titles = ["Hits", "Time", "%", *parts, "Waited"]
    assert heads == titles, "a plain generator that is suspended does not wait"
    text = PROGRAM.read_text().splitlines()
    loop = text.index("    while number:") + 1
    for number in (loop, loop + 1, loop + 2):
        hits, time = page.locator(f"[data-line='{number}'] .figure").all()[:2]
        assert hits.get_attribute("data-tip") == f"{known[number].hits:,} hits"
        assert "of its function" in time.get_attribute("data-tip")
    assert known[loop + 1].suspended > 0
    sleep = text.index("    time.sleep(0.01)") + 1
    tip = (
        page.locator(f"[data-line='{sleep}'] .figure").nth(len(heads) - 1).get_attribute("data-tip")
    )
    assert tip.startswith(f"{round(known[sleep].waited * 1e9):,} ns")
    blank = text.index("") + 1
    assert page.locator(f"[data-line='{blank}'] .figure").all_text_contents() == [""] * len(heads)
    page.keyboard.press("n")  # the line that took the longest
    page.until(lambda: "line" in page.state)
    assert int(page.state["line"]) in known


WAITING = """
import asyncio

async def wait():
    await asyncio.sleep(0.01)

def main():
    asyncio.run(wait())

main()
"""


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    """The address of a page of lines one of which waits, and {line: what was timed}."""
    folder = tmp_path_factory.mktemp("waiting")
    (folder / "waiting.py").write_text(WAITING)
    for words in (["--lines", "-o", "x.out", "waiting.py"], ["html", "x.out"]):
        ended = traced(*words, cwd=folder)
        assert ended.returncode == 0, ended.stderr.decode()
    functions = tracer.Stats(folder / "x.out").lines.functions
    return (folder / "x.html").as_uri(), {line.line: line for f in functions for line in f.lines}


def test_a_coroutine_waits_where_it_is_suspended(visit, waiting):
    address, lines = waiting
    page = visit(address, "view=source")
    assert page.locator(".code-head .figure").all_text_contents()[-1] == "Suspended"
    told = page.locator("[data-line='5'] .figure").last.get_attribute("data-tip")
    assert told.startswith(f"{round(lines[5].suspended * 1e9):,} ns")


def test_lines_are_hot_by_total_or_by_own_time(visit, waiting):
    address, lines = waiting
    page = visit(address, "view=source")
    percent = page.locator("[data-line='8'] .figure >> nth=2")
    total = float(percent.inner_text().rstrip("%"))
    assert total > 1
    page.keyboard.press("m")
    page.until(lambda: page.state.get("heat") == "own")
    if lines[8].own is None:  # no part of the time is known: own is as total
        assert page.locator("[aria-label='What makes a line hot']").is_hidden()
        assert float(percent.inner_text().rstrip("%")) == total
    else:
        assert float(re.sub("[%<]", "", percent.inner_text())) < total
