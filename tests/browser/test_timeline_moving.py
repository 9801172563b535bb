"""The stretch of the timeline on the screen: by wheel, drag, keys, the strip and the address."""

import pytest
from playwright.sync_api import expect

from timed import CHART, PANEL, ROW, STATUS, WHOLE, click, drag, place, seen


def test_the_wheel_zooms_at_the_mouse(timeline):
    page = timeline()
    page.mouse.move(*place(page, "0", 25000))
    for _ in range(5):
        page.mouse.wheel(0, -100)
    start, end = seen(page)
    assert end - start < 40000
    assert (25000 - start) / (end - start) == pytest.approx(0.25, abs=0.01)


def test_w_a_s_d_move(timeline):
    page = timeline()
    page.mouse.move(*place(page, "0", 50000))
    page.keyboard.press("w")
    page.keyboard.press("w")
    start, end = seen(page)
    assert end - start == pytest.approx(WHOLE * 0.36, rel=0.01)
    page.keyboard.press("d")
    later = seen(page)
    assert later[0] > start
    page.keyboard.press("a")
    assert seen(page)[0] == pytest.approx(start, abs=1)
    page.keyboard.press("s")
    assert seen(page)[1] - seen(page)[0] > end - start
    page.keyboard.press("0")
    assert seen(page) == (0, WHOLE)


def test_down_to_a_nanosecond_and_back(timeline):
    page = timeline()
    page.mouse.move(*place(page, "0", 50000))
    for _ in range(45):
        page.mouse.wheel(0, -150)
    start, end = seen(page)
    assert end - start == pytest.approx(0.001, rel=0.01)
    assert page.state["zoom"].split("~")[1] == "1"
    address = page.address
    page.keyboard.press("0")
    page.rest()
    assert seen(page) == (0, WHOLE)
    again = timeline("&" + address.partition("#view=timeline&")[2])
    assert seen(again) == pytest.approx((start, end), abs=1e-6)


def test_shift_and_drag_and_the_ruler_move(timeline):
    page = timeline("&zoom=20000000~20000000~0")
    page.keyboard.down("Shift")
    drag(page, place(page, "0", 50000), place(page, "0", 60000))
    page.keyboard.up("Shift")
    assert seen(page)[0] == pytest.approx(18000, abs=100)
    box = page.locator(CHART).bounding_box()
    ruler = box["y"] + 8
    middle = box["x"] + box["width"] / 2
    drag(page, (middle, ruler), (middle - box["width"] / 10, ruler))
    assert seen(page)[0] == pytest.approx(20000, abs=100)
    assert "range" not in page.state


def test_the_strip_shows_and_chooses_the_part_on_the_screen(timeline):
    page = timeline()
    box = page.locator(".tl-strip canvas").bounding_box()

    def at(part):
        return box["x"] + box["width"] * part, box["y"] + 20

    page.keyboard.press("w")
    page.rest()
    page.keyboard.press("0")
    page.rest()
    drag(page, at(0.2), at(0.4))
    assert seen(page) == pytest.approx((20000, 40000), abs=200)
    drag(page, at(0.3), at(0.5))
    assert seen(page) == pytest.approx((40000, 60000), abs=200)
    page.mouse.click(*at(0.8))
    assert seen(page) == pytest.approx((70000, 90000), abs=200)


def test_the_address_leads_back_to_what_was_seen(timeline):
    page = timeline()
    click(page, "0", 54000, row=2)
    page.keyboard.press("f")
    page.rest()
    state = page.address.partition("#view=timeline")[2]
    again = timeline(state)
    expect(again.locator(f"{PANEL} h2")).to_have_text("handle")
    assert seen(again) == pytest.approx(seen(page), abs=0.01)


def test_the_help_tells_the_mouse_and_the_keys(timeline):
    page = timeline()
    expect(page.locator(STATUS)).to_contain_text("Shift and drag moves")
    page.keyboard.press("?")
    text = page.locator("dialog").inner_text()
    assert "Fit what is clicked or selected" in text
    assert "Light, dark" not in text  # d is another key here


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (900, 700)])
def test_it_looks_as_it_should(timeline, theme, width, height):
    """The picture is for who looks at it, in build/browser; nothing may stick out of the window."""
    page = timeline("&range=30000000~60000000", theme=theme, width=width, height=height)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(CHART).bounding_box()["height"] > 130


def test_a_double_click_zooms_also_where_the_panel_comes(timeline):
    page = timeline(height=480)
    x, y = place(page, "1", 15000, row=1)
    page.mouse.dblclick(x, y)
    expect(page.locator(f"{PANEL} h2")).to_have_text("step")
    assert page.locator(PANEL).bounding_box()["y"] < y
    assert seen(page) == pytest.approx((9500, 20500), abs=1)


def test_what_is_clicked_stays_in_sight_when_the_panel_comes(timeline):
    page = timeline(height=480)
    before = place(page, "1", 15000, row=1)
    page.mouse.click(*before)
    expect(page.locator(f"{PANEL} h2")).to_have_text("step")
    page.rest()
    panel = page.locator(PANEL).bounding_box()["y"]
    assert panel < before[1]
    assert place(page, "1", 15000, row=1)[1] + ROW / 2 < panel


def test_a_key_that_is_pressed_before_the_page_is_ready_is_remembered(visit, timed_run):
    page = visit(timed_run, "view=table")
    page.page.add_init_script(
        """new MutationObserver((seen) => {
          if (seen.some(({ addedNodes }) => [...addedNodes].some(({ id }) => id === "data"))) {
            document.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
          }
        }).observe(document, { childList: true, subtree: true });"""
    )
    page.reload()  # the script presses r as soon as the data is there
    page.wait_for_selector("[data-timeline]")
    assert page.state["view"] == "timeline"
