"""The steps: bars by phase, what is told of a step, and the ways to its timeline, table and flame
graph."""

import pytest
from playwright.sync_api import expect

import tracer
from stepped import CHART, NUMBERS, SLOW, bar, colours, page_of_runs, start_of, stepped_page
from timed import timed_page
from timelines import capture_of

STATUS = ".flame-status"
PANEL = ".st-panel"
TIP = ".tip"
LOAD, FORWARD, BACKWARD, OTHERS = "#e69f00", "#3567c8", "#7c2a78", "#c9ccd1"
ACTIVE = "&step=12"
RANGE = f"{1000 * start_of(SLOW)}~{1000 * (start_of(SLOW) + 180_000)}"


@pytest.fixture(scope="session")
def stepped_run(tmp_path_factory):
    return stepped_page(tmp_path_factory.mktemp("stepped") / "stepped.html")


@pytest.fixture
def steps(visit, stepped_run):
    """steps(state=""): that page at its steps."""

    def look(state="", **options):
        page = visit(stepped_run, f"view=steps{state}", **options)
        page.rest()
        return page

    return look


def hidden(page):
    return [
        key.locator("span").inner_text()
        for key in page.locator(".st-key").all()
        if key.get_attribute("aria-pressed") == "false"
    ]


def test_a_bar_for_each_step_by_phase(steps):
    page = steps()
    assert (
        page.locator(STATUS)
        .inner_text()
        .startswith("10 steps, median 80 ms, 1 slow, 444 items a second")
    )
    for slot in (0, 4, 6, 10):
        drawn = [it for it in colours(page, slot) if it in (LOAD, FORWARD, BACKWARD, OTHERS)]
        assert drawn == [LOAD, FORWARD, BACKWARD, OTHERS]
    assert LOAD not in colours(page, 5)  # between the cycles
    assert LOAD not in colours(page, 11)
    assert page.locator(".st-key").all_inner_texts() == [
        "load\n300 ms · 33.3%",
        "forward\n301 ms · 33.4%",
        "backward\n250 ms · 27.7%",
        "Others\n50 ms · 5.5%",
    ]


@pytest.mark.parametrize("size", [(1400, 900), (900, 700)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits(steps, size, theme):
    page = steps(ACTIVE, width=size[0], height=size[1], theme=theme)
    page.wait_for_selector(".st-range[data-ready]")
    for selector in (CHART, PANEL, ".toolbar", ".st-range .tl-table"):
        box = page.locator(selector).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
    box = page.locator(PANEL).bounding_box()
    assert box["y"] + box["height"] <= size[1]
    assert page.locator(CHART).bounding_box()["height"] >= 140


def test_the_card_tells_a_step_beside_the_median(steps):
    page = steps()
    page.mouse.move(*bar(page, 8))
    expect(page.locator(TIP)).to_contain_text("Step 12: 180 ms ▼ slow")
    text = page.locator(TIP).inner_text()
    assert "100 ms (125%) more than the median" in text
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator(f"{TIP} tr").all()]
    assert rows == [
        ["load", "120 ms", "+100 ms"],
        ["forward", "30 ms", "0"],
        ["backward", "25 ms", "0"],
        ["Others", "5 ms", "0"],
    ]
    assert "40 items, 222 a second" in text
    page.mouse.move(*bar(page, 5))  # between the cycles
    expect(page.locator(TIP)).to_be_hidden()


def test_a_click_chooses_a_step_and_its_facts_are_told(steps):
    page = steps()
    page.mouse.click(*bar(page, 8))
    page.until(lambda: page.state.get("step") == "12")
    expect(page.locator(f"{PANEL} h2").first).to_have_text("Step 12  180 ms  ▼ slow")
    expect(page.locator(f"{PANEL} .st-facts tbody tr").first).to_have_text(
        "load120 ms66.7%20 ms+100 ms"
    )
    expect(page.locator(".st-range tbody tr").first).to_contain_text("read")
    found = [row.inner_text().split("\t") for row in page.locator(".st-range tbody tr").all()]
    assert [(name, calls, own.split(" ms")[0]) for name, calls, own, _ in found] == [
        ("read", "1", "120"),
        ("predict", "1", "30"),
        ("learn", "1", "25"),
        ("main", "0", "5"),
    ]
    page.mouse.click(*bar(page, 5))
    expect(page.locator(PANEL)).to_be_hidden()
    assert "step" not in page.state
    page.go_back()
    expect(page.locator(PANEL)).to_be_visible()


def test_a_step_opens_the_timeline_with_its_time_selected(steps):
    page = steps(ACTIVE)
    page.click(f"{PANEL} button:has-text('Timeline')")
    page.wait_for_selector("[data-timeline]")
    assert page.state["range"] == RANGE
    expect(page.locator(".tl-range h2")).to_contain_text("180 ms from 1.401000 s to 1.581000 s")
    start, span, _ = map(float, page.state["zoom"].split("~"))
    assert start == 1000 * (start_of(SLOW) - 9000)
    assert span == 1000 * (180_000 + 18_000)
    page.go_back()
    page.until(lambda: page.state == {"view": "steps", "step": "12"})


def test_a_step_opens_its_table_and_its_flame_graph(steps):
    page = steps(ACTIVE)
    page.click(f"{PANEL} button:has-text('Flame graph')")
    page.until(lambda: page.state["view"] == "flame")
    assert page.state["range"] == RANGE
    expect(page.locator(".excerpt")).to_contain_text("180 ms of the run")
    page.go_back()
    page.click(f"{PANEL} button:has-text('Table')")
    page.until(lambda: page.state["view"] == "table")
    expect(page.locator(".grid .row:has-text('read')").first).to_contain_text("120 ms")
    page.go_back()
    page.click(f"{PANEL} button:has-text('predict')")
    page.until(lambda: page.state["view"] == "butterfly")
    expect(page.locator(".focus h2")).to_contain_text("predict")


def test_a_step_of_one_of_several_runs_has_its_own_functions_alone(visit, tmp_path):
    page = visit(page_of_runs(tmp_path / "page.html", NUMBERS[:3], NUMBERS[:3]), "view=steps")
    page.mouse.click(*bar(page, 1))
    page.wait_for_selector(".st-range[data-ready]")
    rows = [row.inner_text().split("\t") for row in page.locator(".st-range tbody tr").all()]
    assert [(name, calls) for name, calls, *_ in rows][:3] == [
        ("predict", "1"),
        ("learn", "1"),
        ("read", "1"),
    ]
    assert page.locator(".st-range").inner_text().count("3 calls, 81 ms of own time") == 1


def test_a_double_click_opens_the_timeline(steps):
    page = steps()
    page.mouse.dblclick(*bar(page, 0))
    page.wait_for_selector("[data-timeline]")
    assert page.state["range"] == "1000000~81000000"


def test_a_link_shows_what_was_seen(steps):
    page = steps("&step=11&sorted=length&hidden=load%2C%2B")
    expect(page.locator(PANEL)).to_contain_text("Step 11")
    expect(page.locator(".segment[data-value='length']")).to_have_attribute("aria-pressed", "true")
    assert hidden(page) == ["load", "Others"]
    drawn = colours(page, 0)  # the longest of what is shown is step 1
    assert FORWARD in drawn
    assert LOAD not in drawn
    page.mouse.move(*bar(page, 0))
    expect(page.locator(TIP)).to_contain_text("Step 1: 81 ms")


def test_a_link_to_no_step_shows_all(steps):
    page = steps("&step=99&zoom=x&hidden=gone&sorted=x")
    expect(page.locator(PANEL)).to_be_hidden()
    assert hidden(page) == []


def test_phases_are_hidden_and_shown_alone(steps):
    page = steps()
    key = page.locator(".st-key")
    key.nth(0).click()
    assert hidden(page) == ["load"]
    page.rest()
    assert LOAD not in colours(page, 0)
    key.nth(2).click(modifiers=["Shift"])
    assert hidden(page) == ["load", "forward", "Others"]
    page.rest()
    assert [it for it in colours(page, 8) if it in (LOAD, FORWARD, BACKWARD, OTHERS)] == [BACKWARD]
    key.nth(2).click()
    assert hidden(page) == []
    assert "hidden" not in page.state
    page.go_back()
    page.until(lambda: hidden(page) == ["load", "forward", "Others"])


def test_keys_walk_over_the_steps(steps):
    page = steps()

    def at(*keys):
        for key in keys:
            page.keyboard.press(key)
        return page.state.get("step")

    assert at("ArrowRight") == "0"
    assert at("ArrowRight", "ArrowRight") == "2"
    assert at("ArrowLeft") == "1"
    assert at("End") == "14"
    assert at("ArrowRight") == "14"
    assert at("Home") == "0"
    assert at("PageDown") == "14"
    assert at("N") == "12"
    assert at("n") == "12"
    assert at("Home", "n") == "12"
    assert at("Home", "x") == "12"
    assert at("w") == "12"
    assert page.state["sorted"] == "length"
    assert at("ArrowRight") == "1"  # the second longest
    assert at("Escape") is None
    assert at("x") == "12"
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-timeline]")
    assert page.state["range"] == RANGE
    page.keyboard.press("k")
    page.until(lambda: page.state["view"] == "steps")


def test_the_overview_leads_to_the_steps(visit, stepped_run):
    page = visit(stepped_run)
    expect(page.locator(".st-card")).to_contain_text(
        "10 steps, median 80 ms, 1 slow, 444 items a second"
    )
    page.click(".st-card button")
    page.until(lambda: page.state["view"] == "steps")
    expect(page.locator("#tab-steps")).to_have_attribute("aria-selected", "true")


def test_a_page_without_steps_has_neither_their_tab_nor_their_script(visit, html_of, tmp_path):
    for url in (html_of("shapes"), timed_page(tmp_path / "timed.html")):
        page = visit(url, "view=steps&step=1")
        assert page.locator("#tab-steps, .st-card").count() == 0
        assert page.locator("#tab-overview").get_attribute("aria-selected") == "true"
        text = page.content()
        assert ".st-" not in text
        assert "m_views_steps" not in text


def test_the_steps_of_the_chosen_thread(visit, tmp_path):
    """The other thread has two steps, of 10 and 20 ms, without items."""
    more = [
        (1, 1, 1000, 11_000, "step", "step", (("number", 0),), 0, 1),
        (1, 1, 20_000, 40_000, "step", "step", (), 0, 1),
    ]
    url = stepped_page(
        tmp_path / "two.html",
        "work@helpers 0-90000",
        "idle@helpers 0-10",
        names=("a", "b", "c"),
        ranges=more,
    )
    page = visit(url, "view=steps&thread=b")
    expect(page.locator(STATUS)).to_contain_text("2 steps, median 15 ms, none slow  A")
    page.locator("#bar select").select_option("c")
    expect(page.locator(".empty")).to_contain_text("No step ran in this thread")
    page.locator("#bar select").select_option("")
    expect(page.locator(STATUS)).to_contain_text("2 steps")
    page.keyboard.press("ArrowRight")
    expect(page.locator(PANEL)).to_contain_text("thread")


def test_more_steps_than_pixels_are_bins_with_the_highest(visit, tmp_path):
    """Of 20,000 steps of 4 ticks, the 15,000th lasts 8."""
    ranges = [
        (
            0,
            1,
            10 * at,
            10 * at + (8 if at == 15_000 else 4),
            "step",
            "step",
            (("number", at),),
            0,
            0,
        )
        for at in range(20_000)
    ]
    capture = capture_of("main@main 0-200000", ranges=ranges)
    tracer.Stats(capture).to_html(tmp_path / "many.html")
    page = visit((tmp_path / "many.html").as_uri(), "view=steps")
    page.rest()
    expect(page.locator(STATUS)).to_contain_text("20,000 steps, median 4 µs, 1 slow")
    box = page.locator(CHART).bounding_box()
    room = box["width"] - 76
    page.mouse.move(box["x"] + 64 + room * 15_000 / 20_000 + 0.5, box["y"] + 100)
    expect(page.locator(TIP)).to_contain_text("Step 15000: 8 µs ▼ slow")
    expect(page.locator(TIP)).to_contain_text("The highest of 1")  # 16 or 17
    page.mouse.wheel(0, -100)
    page.until(lambda: "zoom" in page.state)
    start, span = map(float, page.state["zoom"].split("~"))
    assert span < 20_000
    assert start < 15_000 < start + span
    page.keyboard.press("0")
    page.until(lambda: "zoom" not in page.state)
    page.keyboard.press("x")
    page.until(lambda: page.state["step"] == "15000")
    for _ in range(12):
        page.keyboard.press("+")
    page.rest()
    page.keyboard.press("Home")  # which is not on the screen
    page.until(lambda: float(page.state["zoom"].split("~")[0]) == 0)


def test_a_drag_moves(steps):
    page = steps("&zoom=1~8")
    x, y = bar(page, 3)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 400, y, steps=4)
    page.mouse.up()
    page.until(lambda: page.state["zoom"].startswith("0~"))
    assert "step" not in page.state


def test_a_profile_that_a_program_made(visit, tmp_path):
    """A loop that marks its steps and their phases by ranges."""
    with tracer.Profile(timeline=True) as profile:
        for number in range(4):
            with tracer.range("step", "step", number=number, items=2):
                for phase in ("load", "forward", "backward", "optimizer"):
                    with tracer.range(phase, phase):
                        sorted(range(1000))
    tracer.Stats(profile).to_html(tmp_path / "made.html")
    page = visit((tmp_path / "made.html").as_uri(), "view=steps")
    expect(page.locator(STATUS)).to_contain_text("4 steps, median ")
    assert page.locator(".st-key span").all_inner_texts() == [
        "load",
        "forward",
        "backward",
        "optimizer",
        "Others",
    ]
