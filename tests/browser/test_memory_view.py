"""Memory: the view opens on what answers "who holds it", the curve leads to the peak and the end,
and the flame graph, the table and the source show bytes."""

import re

import pytest
from playwright.sync_api import expect

from launch import traced

SENTENCE = ".mem-sentence"
CHART = ".mem-chart"
# 2,000 bodies of 2 KiB, which nothing takes out of CACHE.
LEAKS = """\
CACHE = {}

class Session:
    def __init__(self, number):
        self.number = number
        self.body = bytearray(2048)

def remember(number):
    CACHE[number] = Session(number)

def answer(number):
    return str(number) * 20

def main():
    for number in range(2000):
        answer(number)
        remember(number)

main()
"""
# 16 MiB for a while, of which 1 MiB stays.
RISES = """\
KEPT = []

def load(count):
    rows = []
    while len(rows) < count: rows.append(bytearray(2**16))
    return rows

def main():
    rows = load(256)
    KEPT.extend(rows[:16])
    del rows
    load(8)

main()
"""


@pytest.fixture(scope="session")
def page_of(tmp_path_factory):
    """page_of(text, *options): the address of the page of a program that ran with --memory."""
    made = {}

    def make(text, *options):
        if (text, options) not in made:
            folder = tmp_path_factory.mktemp("memory")
            (folder / "program.py").write_text(text)
            run = traced("--memory", *options, "-o", folder / "out", folder / "program.py")
            assert run.returncode == 0, run.stderr.decode()
            ended = traced("html", "-o", folder / "page.html", folder / "out")
            assert ended.returncode == 0, ended.stderr.decode()
            made[text, options] = (folder / "page.html").as_uri()
        return made[text, options]

    return make


@pytest.fixture
def memory(visit, page_of):
    """memory(text, state=""): the page of that program at its memory."""

    def look(text, state="", options=(), **more):
        page = visit(page_of(text, *options), f"view=memory{state}", **more)
        page.rest()
        return page

    return look


def pressed(page, label):
    return page.locator(f"[aria-label='{label}'] [aria-pressed='true']").get_attribute("data-value")


def test_it_opens_on_a_leak_and_says_who_holds_it(memory):
    page = memory(LEAKS)
    assert pressed(page, "Which memory") == "live"
    told = page.locator(SENTENCE).inner_text()
    assert re.match(
        r"At the end 4\.\d+ MiB were still live, in [\d,]+ blocks: \d+(\.\d)?% of", told
    )
    assert re.search(r"Most is by Session\.__init__: 4\.\d+ MiB \(\d\d\.\d%\)\. To see who", told)
    assert told.endswith("run with --live --memory: that page has Objects, too.")
    page.locator(f"{SENTENCE} .link").click()
    page.until(lambda: page.state.get("row") == "program.Session.__init__")
    expect(page.locator(".flame-status")).to_contain_text("All calls of Session.__init__")
    assert page.state["merged"] == "1"


def test_it_opens_on_a_peak_that_is_gone_at_the_end(memory):
    page = memory(RISES)
    assert pressed(page, "Which memory") == "peak"
    expect(page.locator(SENTENCE)).to_contain_text(re.compile(r"At the peak, .* 16\.\d MiB were"))
    expect(page.locator(SENTENCE)).to_contain_text("Most is by load: 16")


def test_a_click_at_the_curve_shows_who_was_alive_then(memory):
    page = memory(RISES, "&measure=allocated")
    box = page.locator(CHART).bounding_box()
    page.mouse.click(box["x"] + box["width"] - 16, box["y"] + box["height"] / 2)
    page.until(lambda: page.state.get("measure") == "live")
    expect(page.locator(SENTENCE)).to_contain_text(re.compile(r"At the end 1\.\d+ MiB were still"))
    page.go_back()
    page.until(lambda: page.state.get("measure") == "allocated")
    page.mouse.click(box["x"] + 100, box["y"] + box["height"] / 2)  # nearer to the peak
    page.until(lambda: "measure" not in page.state)  # where the view begins
    assert pressed(page, "Which memory") == "peak"


def test_the_curve_tells_the_moment_at_the_mouse(memory):
    page = memory(RISES)
    box = page.locator(CHART).bounding_box()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 40)
    expect(page.locator(".tip")).to_contain_text("into the run")
    expect(page.locator(".tip")).to_contain_text("live")
    expect(page.locator(".tip")).to_contain_text("who had the memory at the")
    page.mouse.move(5, 5)
    expect(page.locator(".tip")).to_be_hidden()


def test_the_curve_is_walked_by_keys(memory):
    page = memory(RISES)
    page.locator(CHART).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#toast")).to_contain_text("into the run")
    page.keyboard.press("End")
    page.until(lambda: page.state.get("measure") == "live")
    page.locator(CHART).focus()
    page.keyboard.press("Enter")
    page.until(lambda: "measure" not in page.state)


def test_each_measure_has_its_own_picture(memory):
    page = memory(RISES, "&measure=live")
    pictures = {page.picture()}
    for key in ("At the peak", "Temporary"):
        page.click(f".segment:has-text('{key}')")
        pictures.add(page.picture())
    assert len(pictures) == 3
    assert page.state["measure"] == "temporary"


def test_keys_choose_measure_picture_and_width(memory):
    page = memory(RISES)
    page.keyboard.press("g")
    page.until(lambda: page.state.get("measure") == "allocated")
    page.keyboard.press("q")
    page.until(lambda: page.state.get("table") == "1")
    expect(page.locator(".mem-inner .grid")).to_be_visible()
    expect(page.locator(".flame-chart")).to_have_count(0)
    page.keyboard.press("q")
    page.until(lambda: "table" not in page.state)
    page.keyboard.press("m")
    page.until(lambda: page.state.get("blocks") == "1")
    assert "metric" not in page.state  # which all other views share
    assert pressed(page, "What the width is") == "calls"
    page.keyboard.press("m")
    page.until(lambda: "blocks" not in page.state)
    page.keyboard.press("f")
    page.until(lambda: page.state["view"] == "flame")
    expect(page.locator("[aria-label='What the width is'] button").first).to_have_text("Time")
    page.keyboard.press("j")
    page.until(lambda: page.state["view"] == "memory")


def test_the_help_lists_the_keys_of_one_picture_alone(memory):
    page = memory(RISES)
    for _ in range(3):
        page.keyboard.press("q")
    page.keyboard.press("?")
    keys = page.locator("dialog.help dd").all_inner_texts()
    assert keys.count("Flame graph or table") == keys.count("Copy these rows") == 1
    assert "Bytes or blocks" not in keys


def test_the_metric_of_other_views_is_not_that_of_memory(memory):
    page = memory(RISES, "&metric=calls")
    assert pressed(page, "What the width is") == ""


def test_the_table_has_all_measures_and_leads_to_all_calls(memory):
    page = memory(LEAKS, "&table=1")
    heads = page.locator(".mem-inner .head button").all_inner_texts()
    names = ["function", "at end", "cum", "blocks", "at peak", "allocated", "temporary"]
    assert [head.rstrip("↓") for head in heads] == names
    row = page.locator(".mem-inner .row:has-text('Session.__init__')").first
    blocks = row.locator(".figure").nth(2).inner_text()
    assert int(blocks.replace(",", "")) >= 4000  # an array and its bytes, each session
    tip = row.locator(".figure").first.get_attribute("data-tip")
    assert re.match(r"[\d,]+ bytes = 4\.\d+ MiB\n\d\d\.\d% of the memory$", tip)
    row.locator(".figure").first.click()
    page.keyboard.press("Enter")
    page.until(lambda: page.state.get("merged") == "1")
    assert page.state["view"] == "memory"
    expect(page.locator(".flame-status")).to_contain_text("All calls of Session.__init__")


def test_a_search_tells_its_share_of_the_memory(memory):
    page = memory(LEAKS, "&search=remember")
    found = page.locator(".flame-hits").inner_text()
    assert re.search(r"found: 4\.\d+ MiB in 1 function, 1 box", found)


def test_a_box_tells_bytes_and_blocks(memory):
    page = memory(LEAKS)
    box = page.locator(".flame-chart").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 30)
    tip = page.locator(".tip .flame-tip")
    expect(tip).to_contain_text("At the end")
    expect(tip).to_contain_text("Own blocks")
    expect(tip).to_contain_text(re.compile(r"[\d,]+ bytes = 4\.\d+ MiB"))


def test_the_overview_leads_to_both(visit, page_of):
    page = visit(page_of(RISES), "view=overview")
    card = page.locator(".mem-card")
    expect(card).to_contain_text("At the peak")
    expect(card).to_contain_text("At the end")
    expect(card).to_contain_text("To see who holds objects, run with --live --memory")
    assert card.locator(".link").all_inner_texts() == ["Who allocated it"] * 2
    card.locator(".link").last.click()
    page.until(lambda: (page.state["view"], page.state.get("measure")) == ("memory", "live"))


def test_the_source_has_the_memory_of_lines(visit, page_of):
    page = visit(page_of(RISES, "--lines"), "view=source")
    heads = page.locator(".code-head .figure").all_inner_texts()
    assert heads[:3] == ["Hits", "Time", "%"]
    assert heads[-3:] == ["At peak", "At end", "Allocated"]
    cells = page.locator("#line-5 .figure").all_inner_texts()
    assert cells[-2] == "1.00 MiB"  # 16 of 64 KiB and a bit
    assert cells[-3].startswith("16.")
    buttons = page.locator("[aria-label='What makes a line hot'] button:visible").all()
    offered = [button.get_attribute("data-value") for button in buttons]
    assert offered in (["", "own", "memory"], ["", "memory"])  # own times: from 3.12 on
    for value in offered[1:]:
        page.keyboard.press("m")
        page.until(lambda value=value: page.state.get("heat") == value)
    heat = page.locator("#line-5").evaluate("(line) => line.style.getPropertyValue('--heat')")
    assert heat == "1.000"
    page.keyboard.press("m")
    page.until(lambda: "heat" not in page.state)


def test_a_box_leads_to_its_source_by_memory(memory):
    page = memory(RISES, options=("--lines",))
    box = page.locator(".flame-chart").bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 70, button="right")  # load, below main
    page.click("[role=menuitem]:has-text('Open source')")
    page.until(lambda: page.state["view"] == "source")
    assert (page.state["heat"], page.state["row"]) == ("memory", "program.load")
    assert page.state["line"] == "5"  # where it allocates


def test_the_recipe_for_a_leak_works(memory):
    page = memory(RISES, "&measure=live", options=("--lines",))
    page.locator(f"{SENTENCE} .link").click()
    page.until(lambda: page.state.get("merged") == "1")
    page.rest()
    box = page.locator(".flame-chart").bounding_box()
    for below in range(
        10, int(box["height"]), 20
    ):  # callers above, callees below: one box is its own
        page.mouse.click(box["x"] + 60, box["y"] + below, button="right")
        menu = page.locator("[role=menu]")
        if menu.count() == 1 and "load" in (menu.get_attribute("aria-label") or ""):
            break
        page.keyboard.press("Escape")
    page.click("[role=menuitem]:has-text('Open source')")
    page.until(lambda: page.state["view"] == "source")
    assert (page.state["heat"], page.state["line"]) == ("memory", "5")


def test_the_finding_leads_to_the_memory_and_to_the_line(visit, page_of):
    page = visit(page_of(LEAKS, "--lines"), "view=overview")
    found = page.locator("[data-rule=kept_memory]")
    expect(found).to_contain_text(re.compile(r"4,\d{3}\.\d KiB live at the end, \d+% of the peak"))
    expect(found).to_contain_text("allocated by Session.__init__, program.py:4")
    expect(found).to_contain_text("Most at line 6 of Session.__init__.")
    expect(found).to_contain_text("run the program with --live --memory, and open Objects")
    assert page.locator(".finding").first.get_attribute("data-rule") == "kept_memory"
    found.locator(".link:text-is('Memory')").click()
    page.until(lambda: page.state["view"] == "memory")
    assert (page.state["measure"], page.state["row"]) == ("live", "program.Session.__init__")
    page.go_back()
    page.until(lambda: page.state["view"] == "overview")
    page.locator("[data-rule=kept_memory] .link:text-is('Source')").click()
    page.until(lambda: page.state["view"] == "source")
    assert (page.state["heat"], page.state["line"]) == ("memory", "6")
    expect(page.locator("#line-6")).to_have_attribute("aria-selected", "true")


def test_figures_and_numbers_stay_while_code_scrolls(visit, page_of):
    text = RISES.replace("    del rows\n", f"    del rows  # {'long ' * 80}\n")
    page = visit(page_of(text, "--lines"), "view=source", width=1400)
    number = page.locator("#line-5 .number")
    code = page.locator("#line-5 code")
    before = [number.bounding_box()["x"], code.bounding_box()["x"]]
    page.locator(".source-scroller").evaluate("(scroller) => { scroller.scrollLeft = 300; }")
    assert number.bounding_box()["x"] == before[0]
    assert code.bounding_box()["x"] == before[1] - 300
    assert page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('.beside-code') !== null",
        [before[0] + 10, number.bounding_box()["y"] + 5],
    )


def test_a_box_leads_to_the_table_of_memory(memory):
    page = memory(RISES)
    box = page.locator(".flame-chart").bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 70, button="right")
    page.click("[role=menuitem]:has-text('Open in table')")
    page.until(lambda: page.state.get("table") == "1")
    assert page.state["view"] == "memory"
    expect(page.locator(".mem-inner .row[aria-selected='true']")).to_contain_text("load")


def test_a_source_without_memory_of_lines_does_not_offer_it(visit, page_of):
    page = visit(page_of(RISES), "view=source&heat=memory")
    assert page.locator(".segment[data-value='memory']").is_hidden()
    assert pressed(page, "What makes a line hot") == ""


def test_beside_a_timeline_the_curve_is_a_track_too(memory):
    page = memory(RISES, options=("--timeline",))
    expect(page.locator(CHART)).to_be_visible()
    page.click("#tab-timeline")
    page.wait_for_selector("[data-timeline]")
    expect(page.locator(".tl-head:has-text('live memory, MiB')")).to_be_visible()


@pytest.mark.parametrize("size", [(1400, 900), (900, 700), (420, 760)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits(memory, size, theme):
    page = memory(LEAKS, width=size[0], height=size[1], theme=theme)
    for selector in (CHART, ".flame-chart", ".mem-bar", SENTENCE):
        box = page.locator(selector).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert box["y"] + box["height"] <= size[1]
    assert page.locator(".flame-chart").bounding_box()["height"] >= 120


def test_a_profile_without_memory_has_no_such_view(visit, html_of):
    page = visit(html_of("shapes"), "view=memory")
    expect(page.locator("#tab-memory")).to_have_count(0)
    expect(page.locator("#tab-overview")).to_have_attribute("aria-selected", "true")
