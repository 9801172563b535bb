"""The page of a profile that is made of samples: calls are those that were counted, of all threads
together, and what is not known is no zero."""

import re

import pytest

import tracer
from made_samples import captured
from tracer.page.document import html_of, shown

PATHS = {"main;load": 60, "main;parse;split": 100, "main": 40}
COUNTS = {"main": 1, "load": "300+", "parse": 70, "rare": 2}
EDGES = {";main": 1, "main;load": 300, "main;parse": 70, "main;rare": 2}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    out = tmp_path_factory.mktemp("sampled") / "samples.html"
    stats = tracer.Stats(captured(PATHS, COUNTS, EDGES))
    with out.open("wb") as file:
        file.writelines(html_of([shown(stats, "samples")], "samples"))
    return out.as_uri()


def test_the_overview_has_the_calls_and_what_is_known_of_them(visit, address):
    page = visit(address, "view=overview")
    tiles = page.locator(".tiles").inner_text()
    assert re.search(r"CALLS\s+373\s+or more: 1 function in part", tiles, re.IGNORECASE)
    assert re.search(r"FUNCTIONS\s+5\b", tiles, re.IGNORECASE)
    assert "not recorded; their time is their caller's" in page.locator("dl.facts").inner_text()


def test_the_table_has_a_plus_and_functions_without_a_sample(visit, address):
    page = visit(address, "view=table")
    rows = page.get_by_role("row").all_inner_texts()
    calls = {name: next(row for row in rows if re.search(rf"\b{name}\b", row)) for name in COUNTS}
    assert "300+" in calls["load"]
    assert re.search(r"\b70\b", calls["parse"])
    assert re.search(r"\b2\b", calls["rare"])


def test_the_butterfly_tells_calls_where_they_are_known(visit, address):
    page = visit(address, "view=butterfly")
    page.keyboard.press("/")
    page.keyboard.type("/^parse$/")
    page.click(".offer .card")
    assert re.search(r"ncalls\s+70\s+counted", page.locator("dl.figures").inner_text())
    [caller] = page.locator(".callers button.card").all()
    assert "70 calls" in caller.inner_text()
    [callee] = page.locator(".callees button.card").all()  # split, whose calls are not known
    assert "calls" not in callee.inner_text()
    assert "calls" not in callee.get_attribute("data-tip")
