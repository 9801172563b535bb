"""A range that is selected in the timeline: its statistics, its table and its flame graph."""

import re

import pytest
from playwright.sync_api import expect

from timed import PANEL, STATUS, click, drag, place, seen, timed_page


def rows_of(page):
    """{function: (calls, own time, cumulative)} of the table; a wait, if any, is the third."""
    found = {}
    for line in page.locator(".tl-table tbody tr").all():
        name, calls, own, *waited, cumulative = line.locator("td").all_inner_texts()
        found[name] = calls, own.rpartition(" ")[0], *filter(None, waited), cumulative
    return found


def test_a_drag_selects_a_range(timeline):
    page = timeline()
    drag(page, place(page, "0", 30000), place(page, "0", 60000))
    page.locator(".tl-table").wait_for()
    start, end = map(float, page.state["range"].split("~"))
    assert (start, end) == pytest.approx((30e6, 60e6), abs=100e3)  # a pixel
    assert re.match(r"(29\.9|30)", page.locator(STATUS).inner_text())
    page.click(f"{PANEL} button:has-text('Clear')")
    expect(page.locator(PANEL)).to_be_hidden()


def test_the_statistics_of_a_range_are_those_of_its_bins_and_slices(timeline):
    """A bin is a millisecond; of the last one, half is in the range."""
    page = timeline("&range=30000000~60500000")
    assert rows_of(page) == {
        "serve": ("1", "19 ms", "30.5 ms"),
        "work": ("0", "30 ms", "9 ms", "30.5 ms"),
        "handle": ("3", "4.50 ms", "11.5 ms"),  # and two resumes, of which one is counted
        "query": ("2", "7 ms", "7 ms"),
        "step": ("1", "500 µs", "500 µs"),
        "<module>": ("0", "0", "30.5 ms"),
    }
    assert (
        page.locator(".tl-note").inner_text()
        == "7 calls and resumes, 61 ms of own time. Waited, in gaps: worker 9 ms."
    )


def test_the_statistics_of_a_short_range_are_those_of_the_slices(timeline):
    page = timeline("&range=50500000~58000000")
    found = rows_of(page)
    assert found["handle"] == ("0", "1.50 ms", "7.50 ms")
    assert found["query"] == ("1", "6 ms", "6 ms")
    assert found["work"] == ("0", "7.50 ms", "7.50 ms")
    assert "1 call, 15 ms of own time." in page.locator(".tl-note").inner_text()


def test_the_calls_that_are_not_drawn_are_counted(visit, tmp_path):
    page = visit(timed_page(tmp_path / "least.html", least=5000), "view=timeline&range=0~100000000")
    page.wait_for_selector("[data-timeline]")
    expect(page.locator(".tl-sum")).to_contain_text("of 5 ms and longer")
    # query once and step once are shorter; of handle a slice is drawn that may be a resume
    note = "At least 3 calls shorter than 5 ms are not drawn"
    expect(page.locator(".tl-note")).to_contain_text(note)
    page.goto(page.url.partition("#")[0] + "#view=timeline&thread=worker&range=0~100000000")
    expect(page.locator(".tl-note")).to_contain_text("70 ms of own time. 1 call shorter than 5 ms")
    assert rows_of(page)["step"][:2] == ("3", "26 ms")


def test_the_table_and_the_flame_graph_of_a_range_by_one_click_each(timeline):
    page = timeline("&range=30000000~60000000")
    page.click(f"{PANEL} button:has-text('Flame graph')")
    page.until(lambda: page.state["view"] == "flame")
    expect(page.locator(".excerpt")).to_contain_text("30 ms of the run")
    page.keyboard.press("ArrowDown")
    expect(page.locator(STATUS)).to_contain_text("60 ms")  # two threads of 30 ms
    page.go_back()
    page.click(f"{PANEL} button:has-text('Table')")
    page.until(lambda: page.state["view"] == "table")
    expect(page.locator(".grid .row:has-text('query')").first).to_contain_text("7 ms")
    assert page.locator(".grid .row:has-text('parse')").count() == 0  # it ran before
    page.click(".excerpt")
    expect(page.locator(".grid .row:has-text('parse')").first).to_be_visible()
    assert "range" not in page.state


def test_m_selects_the_time_of_what_was_clicked_and_f_fits_it(timeline):
    page = timeline()
    click(page, "0", 54000, row=2)
    page.keyboard.press("m")
    expect(page.locator(".tl-range h2")).to_contain_text("8 ms")
    assert page.state["range"] == "50000000~58000000"
    page.keyboard.press("f")
    start, end = seen(page)
    assert start < 50000 < 58000 < end
    assert end - start < 9000
    page.keyboard.press("Escape")
    expect(page.locator(PANEL)).to_be_hidden()
    assert "range" not in page.state


def test_the_waits_of_a_range_are_those_of_its_gaps(timeline):
    """In `work` the worker waited 9 of 10 ms, half of which are in the range."""
    page = timeline("&range=45000000~75000000")
    assert rows_of(page)["work"] == ("0", "15 ms", "4.50 ms", "30 ms")
    expect(page.locator(".tl-note")).to_contain_text("Waited, in gaps: worker 4.50 ms.")
    page.click("[data-column='waited']")
    page.until(lambda: next(iter(rows_of(page))) == "work")
    page.click(f"{PANEL} button:has-text('Table')")
    page.until(lambda: page.state["view"] == "table")
    row = page.locator(".grid .row:has-text('work')").first
    expect(row).to_contain_text("4.50 ms")
    expect(page.locator(".grid")).to_contain_text("waited")
    page.keyboard.press("f")
    page.keyboard.press("ArrowDown")
    page.go_back()
    page = timeline("&range=20500000~29000000")  # without a gap
    assert page.locator("[data-column='waited']").count() == 0
