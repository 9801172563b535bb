"""What was waited, on the page: a clock with two hands tells the time, so each number is known."""

import re
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import expect

import tracer
from launch import environment, good

UNIT = 1e-3  # s
# The functions move the hands: all of them the time, but only crunch() moves the CPU time, too.
SOURCE = """
def crunch():
    hands.now += 300; hands.ran += 300

def fetch():
    setattr(hands, "now", hands.now + 600)

def main():
    fetch()
    crunch()
    fetch()
"""


class Hands:
    now = ran = 0

    def __call__(self):
        return self.now, self.ran

    def work(self):
        self.now += 300
        self.ran += 300


@pytest.fixture(scope="module")
def waits(tmp_path_factory):
    """The address of a page on which 1.2 s of 1.5 s were waited."""
    folder = tmp_path_factory.mktemp("waits")
    file = folder / "app.py"
    file.write_text(SOURCE)
    hands = Hands()
    space = {"hands": hands, "__name__": "app"}
    exec(compile(SOURCE, file, "exec"), space)
    profile = tracer.Profile(hands, UNIT, builtins=True, threads=False)
    profile.record_call(space["main"])
    profile.disable()
    tracer.Stats(profile).to_html(folder / "page.html")
    tracer.Stats(profile).dump_stats(folder / "profile.out")
    return (folder / "page.html").as_uri()


def tips(page, selector):
    return [one.get_attribute("data-tip") for one in page.locator(selector).all()]


def test_the_overview_tells_how_much_was_waited_and_for_what(visit, waits):
    page = visit(waits)
    tile = page.locator(".tile:has-text('Waited')")
    assert " ".join(tile.inner_text().split()) == "Waited 1.20 s of 1.50 s in 1 thread"
    tip = tile.get_attribute("data-tip")
    assert tip.startswith("1,200,000,000 ns = 1.200000000 s\nThe part of the time in functions")
    finding = page.locator(".finding[data-rule=costly_functions]")
    expect(finding.locator("h3")).to_have_text(
        "80%: fetch, app.py:5, waits 1.20 s in 2 calls by main: 1.20 s setattr "
        "(I/O, lock or processor)"
    )
    expect(finding.locator("p").first).to_contain_text("C code waits for input")
    finding.locator("text=Butterfly").click()
    expect(page.locator(".focus h2")).to_have_text("fetch")


def test_the_findings_and_waits_are_those_of_the_terminal(visit, waits):
    """The lines of `tracer show`, where there is no room for what follows them."""
    file = Path(urlparse(waits).path).with_name("profile.out")
    shown = good("show", file, env=environment(COLUMNS="300"))
    found = re.search(r"^  findings  (.*(?:\n {12}.*)*)", shown, re.MULTILINE)[1]
    page = visit(waits)
    titles = [title.inner_text() for title in page.locator(".finding h3").all()]
    told = [line.strip() for line in found.splitlines()]
    assert len(told) == 1 and titles[0] == f"{told[0]} (I/O, lock or processor)"
    assert "    waited  1.200 s of 1.500 s in 1 thread" in shown


def test_a_finding_leads_to_all_calls_of_its_function(visit, waits):
    page = visit(waits)
    page.locator(".finding button", has_text="All its calls").first.click()
    page.wait_for_selector("#view[data-view=flame]")
    assert page.state["merged"] == "1"
    assert "callers above, callees below" in page.locator(".flame-status").inner_text()


def test_bars_have_two_parts(visit, waits):
    page = visit(waits)
    parts = {}
    for row in page.locator(".bar-row").all():
        style = row.locator(".fill .waited").get_attribute("style")
        parts[row.locator(".fn").inner_text()] = style
    assert parts == {"<builtins.setattr>": "width: 100%;", "crunch": "width: 0%;"}
    tip = page.locator(".bar-row").first.get_attribute("data-tip")
    assert tip.endswith("In itself it worked 0, waited 1.20 s (100%, hatched)")


def test_the_table_has_busy_and_waited_and_sorts_by_them(visit, waits):
    page = visit(waits, "view=table&sort=-busy")
    heads = [head.get_attribute("data-key") for head in page.locator(".head button").all()]
    assert heads[3:8] == ["tottime", "tottimePer", "busy", "waited", "cumtime"]
    expect(page.locator(".row .fn >> nth=0")).to_have_text("crunch")
    figures = page.locator(".row:has-text('setattr') .figure")
    assert [figures.nth(place).inner_text() for place in (2, 5)] == ["1.20 s", "1.20 s"]
    assert figures.nth(4).get_attribute("data-tip") == "0 ns"
    cumtime = page.locator(".row:has-text('main') .figure >> nth=6")
    assert cumtime.get_attribute("data-tip").split("\n") == [
        "1,500,000,000 ns = 1.500000000 s",
        "100% of the time",
        "worked 300 ms, waited 1.20 s (80.0%, hatched)",
    ]
    assert cumtime.locator(".bar .waited").get_attribute("style") == "width: 80%;"


def test_the_flame_graph_is_as_wide_as_what_was_busy(visit, waits):
    page = visit(waits, "view=flame")
    page.wait_for_selector(".flame-chart canvas")
    page.keyboard.press("m")
    page.until(lambda: page.state.get("metric") == "busy")
    expect(page.locator(".toolbar [data-value=busy]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".flame-status")).to_have_text(
        "app.main  300 ms busy (100%) · 1.50 s · own 0 · 1 call · level 1"
    )
    for following in ("calls", None, "busy"):
        page.keyboard.press("m")
        page.until(lambda following=following: page.state.get("metric") == following)
    expect(page.locator(".toolbar [data-value=busy]")).to_have_attribute("aria-pressed", "true")


def test_a_box_tells_what_it_waited_and_the_longest_call(visit, waits):
    page = visit(waits, "view=flame&metric=calls&row=app.fetch")
    page.wait_for_selector(".flame-chart canvas")
    page.rest()
    box = page.locator(".flame-chart canvas").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 30)
    tip = page.locator(".flame-tip")
    expect(tip.locator("strong")).to_have_text("main")
    rows = [row.inner_text().split("\t") for row in tip.locator("tr").all()]
    assert ["busy", "300,000,000 ns = 0.300000000 s", "20.0%"] in rows
    assert ["waited", "1,200,000,000 ns = 1.200000000 s", "80.0%"] in rows
    assert ["Longest call", "1.50 s", "at the start of the run"] in rows


def test_the_butterfly_tells_waits_beside_own_time(visit, waits):
    page = visit(waits, "view=butterfly&row=app.fetch")
    text = page.locator(".focus").inner_text()
    assert "longest call\n600 ms\nat the start of the run" in text
    [callee] = page.locator(".callees .card").all()
    assert callee.locator(".fill .waited").get_attribute("style") == "width: 100%;"
    callee.click()
    page.until(lambda: page.state["row"] == "<builtins.setattr>")
    text = page.locator(".focus").inner_text()
    assert "waited\n1.20 s\n100% of tottime" in text
    assert "busy\n0\n0.0% of tottime" in text


def test_the_butterfly_begins_with_the_programs_own_functions(visit, waits):
    """setattr() took longer than crunch(), and comes after it: it is not the program's."""
    page = visit(waits, "view=butterfly")
    cards = page.locator(".offer .card")
    names = [name.inner_text() for name in cards.locator(".fn").all()]
    assert names == ["main", "fetch", "crunch", "<builtins.setattr>"]
    widths = [fill.get_attribute("style") for fill in cards.locator(".fill .waited").all()]
    assert widths == ["width: 80%;", "width: 100%;", "width: 0%;", "width: 100%;"]


def test_the_butterfly_tells_what_was_waited_below_a_function(visit, waits):
    page = visit(waits, "view=butterfly&row=app.main")
    first = page.locator(".figures > div").first
    assert first.inner_text().split("\n") == ["cumtime", "1.50 s", "100% of all, 80.0% waited"]
    assert "worked 300 ms, waited 1.20 s" in first.get_attribute("data-tip")


def test_a_program_that_does_not_wait_has_no_columns_of_waits(visit, tmp_path):
    hands = Hands()
    profile = tracer.Profile(hands, UNIT, builtins=False, threads=False)
    profile.record_call(hands.work)
    profile.disable()
    tracer.Stats(profile).to_html(tmp_path / "page.html")
    page = visit((tmp_path / "page.html").as_uri(), "view=flame")
    page.wait_for_selector(".flame-chart canvas")
    assert not page.locator(".toolbar [data-value=busy]").is_visible()
    page.keyboard.press("m")
    page.until(lambda: page.state.get("metric") == "calls")
    page.keyboard.press("t")
    page.wait_for_selector(".row")
    assert "busy" not in page.locator(".head").inner_text()
