"""The lists of ranges, tasks and marks below the timeline."""

from playwright.sync_api import expect

from timed import PANEL, seen


def names(page):
    return page.locator(".tl-table tbody .link").all_inner_texts()


def test_the_slowest_ranges_come_first_and_a_click_goes_there(timeline):
    page = timeline()
    page.click("button:has-text('Lists')")
    page.until(lambda: names(page) == ["never left", "phase", "load all", "inner"])
    row = page.locator(".tl-table tbody tr:has-text('load all')").inner_text().split("\t")
    assert [text.strip() for text in row] == [
        "load all category=io, batch=3",
        "20 ms",
        "1.000 ms",
        "",
        "MainThread",
    ]
    page.click(".tl-table .link:has-text('inner')")
    expect(page.locator(f"{PANEL} h2")).to_have_text("inner")
    start, end = seen(page)
    assert 30000 < start < 31000 < 33000 < end < 34000
    page.keyboard.press("Escape")  # back to the list
    page.until(lambda: len(names(page)) == 4)
    page.keyboard.press("Escape")
    expect(page.locator(PANEL)).to_be_hidden()


def test_tasks_are_sorted_by_a_click_on_a_column(timeline):
    page = timeline("&list=tasks")
    page.until(lambda: names(page) == ["request 2", "request 1"])
    page.click("[data-column='ran']")
    page.until(lambda: names(page) == ["request 1", "request 2"])
    page.click("[data-column='ran']")
    page.until(lambda: names(page) == ["request 2", "request 1"])
    page.click("[data-column='begin']")
    page.until(lambda: names(page) == ["request 1", "request 2"])
    page.click(".tl-table .link:has-text('request 1')")
    expect(page.locator(f"{PANEL} h2")).to_have_text("request 1")
    start, end = seen(page)
    assert 29000 < start < 31000 < 58000 < end < 60000


def test_the_search_and_a_selected_range_filter_a_list(timeline):
    page = timeline("&list=ranges&range=22000000~29000000")
    page.until(lambda: names(page) == ["never left"])
    expect(page.locator(PANEL)).to_contain_text("1 of them in the selected time")
    page.keyboard.press("l")
    expect(page.locator(f"{PANEL} h2")).to_contain_text("7 ms")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    page.until(lambda: len(names(page)) == 4)
    page.fill("input[type=search]", "batch=3")
    page.until(lambda: names(page) == ["load all"])


def test_the_heading_of_tasks_leads_to_their_list(timeline):
    page = timeline()
    box = page.locator("[data-track='0tasks']").bounding_box()
    page.mouse.click(box["x"] + box["width"] + 600, box["y"] + 9)
    page.click(f"{PANEL} button:has-text('List them')")
    page.until(lambda: names(page) == ["request 2", "request 1"])
