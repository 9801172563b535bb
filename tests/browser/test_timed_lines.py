"""Lines that were timed: on the overview, and in the source beside them."""

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
    assert heads == ["Hits", "Time", "Own", "In C", "Suspended"]
    known = {line.line: line for one in functions.values() for line in one.lines}
    text = PROGRAM.read_text().splitlines()
    loop = text.index("    while number:") + 1
    for number in (loop, loop + 1, loop + 2):
        hits, time = page.locator(f"[data-line='{number}'] .figure").all()[:2]
        assert hits.get_attribute("data-tip") == f"{known[number].hits:,} hits"
        assert "of its function" in time.get_attribute("data-tip")
    waits = page.locator(f"[data-line='{loop + 1}'] .figure").last  # at its yield
    suspended = round(known[loop + 1].suspended * 1e9)
    assert suspended > 0
    assert waits.get_attribute("data-tip").startswith(f"{suspended:,} ns")
    blank = text.index("") + 1
    assert page.locator(f"[data-line='{blank}'] .figure").all_text_contents() == [""] * 5
    page.keyboard.press("n")  # the line that took the longest
    page.until(lambda: "line" in page.state)
    assert int(page.state["line"]) in known
