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


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    out = tmp_path_factory.mktemp("waiting") / "waits.html"
    waits = {"main;take": 30, "main;load;take": 10}
    stats = tracer.Stats(captured(PATHS, COUNTS, EDGES, waits=waits, waited=4.0))
    with out.open("wb") as file:
        file.writelines(html_of([shown(stats, "waits")], "waits"))
    return out.as_uri()


def test_where_threads_waited_is_a_way_to_see_the_profile(visit, waiting):
    """Four seconds, of which a look in four found `load` waiting: 1.000 +- 0.548 s."""
    page = visit(waiting, "view=table&seen=waits")
    heads = page.locator(".grid [data-key]").evaluate_all("them => them.map(it => it.dataset.key)")
    assert heads[-4:] == ["tottime", "tottimeError", "cumtime", "cumtimeError"]
    rows = page.get_by_role("row").all_inner_texts()
    take, load = (next(row for row in rows if row.startswith(it)) for it in ("take", "load"))
    assert re.search(r"\b4 s\s+197 ms\b", take)
    assert re.search(r"\b1 s\s+548 ms\b", load)
    assert "split" not in "".join(rows)


def test_the_key_and_the_button_turn_to_waits_and_back(visit, waiting):
    page = visit(waiting, "view=flame")
    button = page.get_by_role("button", name="Waits", exact=True)
    assert button.get_attribute("aria-pressed") == "false"
    page.keyboard.press("W")
    assert button.get_attribute("aria-pressed") == "true"
    assert "Own wait" in page.locator(".flame-legend").inner_text()
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert "Own time" in page.locator(".flame-legend").inner_text()


def test_a_finding_of_waits_leads_to_them(visit, waiting):
    page = visit(waiting, "view=overview")
    finding = page.locator(".finding[data-rule=sampled_waits]")
    assert "tells where" not in page.locator("dl.facts").inner_text()
    assert (
        finding.locator("h3").inner_text() == "83% of the run: take, p.py:17, waits 4.00 +- 0.20 s"
    )
    finding.get_by_role("button", name="Butterfly").click()
    page.until(lambda: page.state.get("seen") == "waits")


def test_without_looks_there_is_no_such_button(visit, address):
    page = visit(address, "view=flame")
    assert page.get_by_role("button", name="Waits", exact=True).count() == 0
