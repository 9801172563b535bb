"""The flame graph by keyboard and mouse: what it says of a box is what Stats and the paths say."""

import re

import pytest
from playwright.sync_api import expect

import tracer
from tracer.analysis.tree.call_tree import NO_ROW, paths_of

STATUS = ".flame-status"
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


@pytest.fixture
def flame(visit, html_of):
    """flame(state=""): the flame graph of the program shapes.py."""

    def look(state=""):
        page = visit(html_of("shapes"), f"view=flame{state}")
        page.wait_for_selector(".flame-chart canvas")
        return page

    return look


@pytest.fixture(scope="module")
def merged(profiles):
    """What the root of all threads calls, {name: (calls, nanoseconds)}; and the root's total."""
    paths = paths_of(tracer.Stats(profiles["shapes"]))
    tree = paths.merged()
    totals = tree.totals()
    found = {}
    for node in range(1, len(tree)):
        if tree.depth[node] == 1:
            found[paths.rows[tree.row[node]].name] = (tree.calls[node], totals[node])
    assert tree.row[0] == NO_ROW
    return found, totals[0]


def said(page):
    """The nanoseconds that the line above the picture names first."""
    text = page.locator(STATUS).inner_text()
    number, unit = re.search(r"([\d.,]+) (ns|µs|ms|s)\b", text).groups()
    return float(number.replace(",", "")) * UNITS[unit]


def test_boxes_are_those_of_the_paths(flame, merged):
    page = flame()
    found, total = merged
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    seen = {}
    for _ in range(len(found)):
        name = page.locator(f"{STATUS} .fn").inner_text()
        seen[name] = said(page)
        page.keyboard.press("ArrowRight")
    for name, nanoseconds in seen.items():
        function = name.removesuffix(" (module)").split(".")[-1]
        candidates = [
            time for label, (_, time) in found.items() if function in label or label == "<module>"
        ]
        assert any(time == pytest.approx(nanoseconds, rel=0.01) for time in candidates), name
    assert sum(seen.values()) <= total * 1.01


def test_walk_zoom_and_come_back_by_keyboard(flame):
    page = flame()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator(f"{STATUS} .fn").count() == 1
    page.keyboard.press("Enter")
    page.rest()
    zoomed = page.address
    assert "at" in page.state
    page.keyboard.press("0")
    page.rest()
    assert not {"at", "zoom"} & page.state.keys()
    assert page.locator("button:has-text('Whole')").is_disabled()
    page.go_back()
    page.wait_for_function("!document.querySelector('.flame-line > button').disabled")
    page.rest()
    assert page.address == zoomed


def test_click_zooms_and_the_wheel_goes_closer(flame):
    page = flame("&metric=calls")  # so the widths of the boxes are known
    before = page.picture()
    box = page.locator(".flame-chart canvas").first.bounding_box()
    page.mouse.click(box["x"] + 80, box["y"] + 50)
    expect(page.locator(f"{STATUS} .fn")).to_have_count(1)
    assert "at" in page.state
    zoomed = page.picture()
    assert zoomed != before
    page.mouse.move(box["x"] + 300, box["y"] + 30)
    expect(page.locator(".flame-tip")).to_be_visible()
    page.mouse.wheel(0, -600)
    page.until(lambda: "zoom" in page.state)
    assert page.picture() not in (before, zoomed)
    assert not page.locator("button:has-text('Whole')").is_disabled()


def test_search_tells_the_share_that_it_found(flame, profiles):
    page = flame()
    page.keyboard.press("/")
    page.keyboard.type("recurse")
    text = page.locator(".flame-hits").inner_text()
    shown = float(re.match(r"<?([\d.]+)%", text)[1])
    stats = tracer.Stats(profiles["shapes"])
    [cumtime] = [row[3] for label, row in stats.stats.items() if label[2] == "recurse"]
    assert shown == pytest.approx(100 * cumtime / stats.total_tt, abs=0.11)
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    assert "recurse" in page.locator(f"{STATUS} .fn").inner_text()


def test_a_search_counts_within_what_is_seen(flame):
    page = flame("&metric=calls&search=recurse")
    hits = page.locator(".flame-hits")
    whole = hits.text_content()
    assert " found: " in whole
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(hits).to_contain_text("100% of what is seen: ")
    page.keyboard.press("0")
    expect(hits).to_have_text(whole)
    page.keyboard.press("=")
    page.until(lambda: "zoom" in page.state)
    expect(hits).to_contain_text("seen")


def test_a_search_that_finds_what_is_folded_says_so(flame):
    page = flame("&metric=calls&search=builtins.sum&fold=b")
    expect(page.locator(".flame-hits")).to_have_text("Nothing was found outside of what is folded")
    legend = page.locator(".flame-legend")
    assert "builtins" not in legend.inner_text()
    page.keyboard.press("h")
    expect(legend).to_contain_text("builtins")
    expect(page.locator(".flame-hits")).to_contain_text("found: ")
    page.keyboard.press("h")
    page.fill("input[type=search]", "no such function")
    expect(page.locator(".flame-hits")).to_have_text("Nothing was found")


# In this picture of one function boxes are walked to, and not zoomed to.
def test_all_calls_of_a_function_are_one_picture(flame, profiles):
    page = flame("&metric=calls&row=shapes.recurse")
    whole = page.picture()
    page.keyboard.press("u")
    page.until(lambda: page.state.get("merged") == "1")
    assert page.picture() != whole
    assert "All calls of recurse" in page.locator(STATUS).inner_text()
    stats = tracer.Stats(profiles["shapes"], names="qualname")
    [primitive] = [row[0] for label, row in stats.stats.items() if label[2] == "recurse"]
    page.keyboard.press("m")  # by time, its line tells of its calls
    page.keyboard.press("ArrowDown")
    assert f" {primitive} calls" in page.locator(STATUS).inner_text()
    page.keyboard.press("m")
    page.keyboard.press("m")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert "shapes.work" in page.locator(STATUS).inner_text()
    page.keyboard.press("Enter")
    page.until(lambda: page.state.get("row") == "shapes.work")
    assert "All calls of work" in page.locator(STATUS).inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "shapes.recurse" in page.locator(STATUS).inner_text()
    page.go_back()
    page.until(lambda: page.state["row"] == "shapes.recurse")
    page.keyboard.press("i")
    page.until(lambda: "merged" not in page.state)


def test_a_caller_is_zoomed_to_and_the_whole_comes_back(flame):
    page = flame("&metric=calls&merged=1&row=shapes.recurse")
    whole = page.picture()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("a")
    page.locator("[role=menu] >> text=Zoom to it").click()
    page.until(lambda: page.state.get("at", "").startswith("^"))
    zoomed = page.picture()
    assert zoomed != whole
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.picture() == zoomed
    page.keyboard.press("0")
    assert page.picture() == whole


def test_a_function_is_found_in_the_whole_again(flame):
    page = flame("&merged=1&row=shapes.recurse")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("a")
    page.locator("[role=menu] >> text=Its widest box in the whole graph").click()
    page.until(lambda: "merged" not in page.state)
    page.rest()
    assert "level " in page.locator(STATUS).inner_text()
    page.keyboard.press("a")
    page.locator("[role=menu] >> text=All its calls as one").click()
    page.until(lambda: page.state.get("merged") == "1")


# All but the first show calls: boxes are then as wide on every machine, and show the change.
@pytest.mark.parametrize(
    ("key", "before", "state"),
    [
        ("m", "", "&metric=busy"),
        ("i", "&metric=calls", "&inverted=1"),
        ("u", "&metric=calls", "&merged=1"),
        ("p", "&metric=calls", "&colour=package"),
        ("h", "&metric=calls", "&fold=b"),
        ("l", "&metric=calls", "&fold=l"),
        ("w", "&metric=calls", "&order=called"),
        ("v", "&metric=calls", "&up=1"),
    ],
)
def test_each_key_changes_the_picture_and_is_in_the_link(flame, key, before, state):
    page = flame(before)
    drawn = page.picture()
    page.keyboard.press(key)
    after = page.picture()
    assert page.address.endswith(before + state)
    assert after != drawn
    assert flame(before + state).picture() == after


def test_each_thread_has_its_own(flame):
    page = flame()
    page.keyboard.press("ArrowDown")
    whole = said(page)
    page.locator("#bar select").select_option("Waiter 0")
    page.keyboard.press("0")
    page.keyboard.press("ArrowDown")
    assert said(page) < whole


def test_menu_leads_to_the_other_views(flame):
    page = flame()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("a")
    menu = page.locator("[role=menu]")
    assert menu.is_visible()
    names = menu.locator("[role=menuitem]").all_inner_texts()
    assert any("utterfly" in name or "aller" in name for name in names), names
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)


def test_the_menu_is_walked_by_keys(flame):
    page = flame()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("a")
    menu = page.locator("[role=menu]")
    names = menu.locator("[role=menuitem]").all_text_contents()
    steps = {"ArrowDown": 1, "ArrowUp": 0, "End": -1, "Home": 0}
    for key, at in steps.items():
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.textContent") == names[at], key
    page.mouse.click(5, 5)
    expect(menu).to_have_count(0)


def test_the_path_of_a_box_is_copied(visit, html_of):
    permissions = ["clipboard-read", "clipboard-write"]
    page = visit(html_of("shapes"), "view=flame", permissions=permissions)
    page.wait_for_selector(".flame-chart canvas")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    name = page.locator(f"{STATUS} .fn").inner_text()
    page.evaluate("navigator.clipboard.writeText('')")  # takes away what was copied before
    page.keyboard.press("a")
    page.locator("[role=menu] >> text=Copy its path").click()
    page.wait_for_function("navigator.clipboard.readText()")
    path = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(path) > 1
    assert name.split(".")[-1] in path[-1]


def test_the_picture_is_moved_and_scaled(flame):
    page = flame()
    whole = page.picture()
    pictures = [whole]
    for key in ("=", "=", "Shift+ArrowRight", "-"):
        page.keyboard.press(key)
        pictures.append(page.picture())
    page.keyboard.press("=")
    box = page.locator(".flame-chart canvas").first.bounding_box()
    page.mouse.move(box["x"] + 400, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 30)
    page.mouse.up()
    pictures.append(page.picture())
    assert len(set(pictures)) == 6
    assert "at" not in page.state  # a drag is no click
    page.mouse.move(5, 5)
    page.keyboard.press("0")
    assert page.picture() == whole


def test_a_drag_goes_on_from_what_is_seen(flame):
    """A drag does so also when the button was pressed while the picture still moved."""
    reached = []
    for wait in (True, False):
        page = flame("&metric=calls")
        box = page.locator(".flame-chart canvas").first.bounding_box()
        page.mouse.move(box["x"] + 400, box["y"] + 30)
        page.keyboard.press("=")
        if wait:
            page.rest()
        page.mouse.down()
        page.rest()
        page.mouse.move(box["x"] + 300, box["y"] + 30)
        page.mouse.up()
        page.rest()
        reached.append(page.state["zoom"])
    assert reached[0] == reached[1]


def test_the_box_above_is_zoomed_to(flame):
    page = flame()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    above = page.state["at"]
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.state["at"] != above
    page.keyboard.press("Backspace")
    assert page.state["at"] == above


@pytest.mark.parametrize(
    ("label", "before", "state"),
    [
        ("Calls", "", ("metric", "calls")),
        ("Callers", "&metric=calls", ("inverted", "1")),
        ("One function", "&metric=calls", ("merged", "1")),
        ("Own time", "&metric=calls", ("colour", "share")),
        ("Fold builtins", "&metric=calls", ("fold", "b")),
        ("Fold libraries", "&metric=calls", ("fold", "l")),
        ("Heaviest first", "&metric=calls", ("order", "called")),
    ],
)
def test_each_button_changes_the_picture_and_is_in_the_link(flame, label, before, state):
    page = flame(before)
    picture = page.picture()
    page.click(f".toolbar button:text-is('{label}')")
    key, value = state
    page.until(lambda: page.state.get(key) == value)
    assert page.picture() != picture
