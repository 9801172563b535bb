"""The timeline by mouse and by keyboard, of a run of which every moment is known (timed.py): each
thing that one can do, and what the page says then."""

import re

import pytest
from playwright.sync_api import expect

import tracer
from timed import MAIN, timed_page
from timelines import capture_of
from tracer.page.document import html_of, shown

CHART = ".tl-chart canvas"
PANEL = ".tl-panel"
STATUS = ".flame-status"
WHOLE = 100_000  # µs
ROW = 18


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return timed_page(tmp_path_factory.mktemp("timed") / "timed.html")


@pytest.fixture
def timeline(visit, address):
    """timeline(state=""): the page at its timeline."""

    def look(state="", **options):
        page = visit(address, f"view=timeline{state}", **options)
        page.wait_for_selector("[data-timeline]")
        page.rest()
        return page

    return look


def place(page, track, moment, row=0):
    """The place in the window of a moment (µs) of the whole run, in a row of a track."""
    box = page.locator(CHART).bounding_box()
    head = page.locator(f".tl-head[data-track='{track}']").bounding_box()
    return box["x"] + box["width"] * moment / WHOLE, head["y"] + ROW * row + ROW / 2


def click(page, track, moment, row=0):
    page.mouse.click(*place(page, track, moment, row))


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def seen(page):
    """The stretch of time on the screen, in µs: from and to, as the address has it."""
    page.rest()
    if "zoom" not in page.state:
        return 0, WHOLE
    start, span, _ = map(float, page.state["zoom"].split("~"))
    return start / 1000, (start + span) / 1000


def test_a_profile_without_a_timeline_has_no_such_tab(visit, html_of):
    page = visit(html_of("shapes"))
    assert page.locator("#tab-timeline").count() == 0


def test_tracks_are_those_of_the_run_by_thread_and_task(timeline):
    page = timeline()
    names = page.locator(".tl-name").all_inner_texts()
    assert names == [
        "Garbage collections",
        "queue",
        "Marks · MainThread",
        "Ranges · MainThread",
        "2 tasks",
        "request 1",
        "request 2",
        "MainThread",
        "Ranges · worker",
        "worker",
    ]
    assert "100 ms, 15 slices" in page.locator(".tl-sum").inner_text()
    assert "ran 10 ms, waited 17 ms" in page.locator("[data-track='0t1']").inner_text()


def test_a_click_tells_when_how_long_callers_and_callees(timeline):
    page = timeline()
    click(page, "0", 54000, row=2)
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("handle")
    facts = panel.locator("dl").inner_text()
    facts_of = panel.locator("dl").inner_text().split("\n")
    facts = dict(zip(facts_of[::2], facts_of[1::2], strict=True))
    assert facts == {
        "Lasted": "8 ms",
        "Own time": "2 ms (25.0%)",
        "Within it": "1 slice",
        "Began": "50.000000 ms",
        "Ended": "58.000000 ms",
        "Thread": "MainThread",
        "Task": "request 1",
    }
    lists = panel.locator(".tl-list").all_inner_texts()
    assert lists[0].split() == ["serve", "60", "ms", "<module>", "100", "ms"]
    assert lists[1].split() == ["query", "6", "ms"]
    expect(page.locator(STATUS)).to_contain_text("handle")
    panel.locator("text=query").click()
    expect(panel.locator("h2")).to_have_text("query")
    page.go_back()
    expect(panel.locator("h2")).to_have_text("handle")


def test_a_card_under_the_mouse(timeline):
    page = timeline()
    page.mouse.move(*place(page, "1", 15000, row=1))
    expect(page.locator(".tip")).to_contain_text("step")
    expect(page.locator(".tip")).to_contain_text("10 ms")
    page.mouse.move(*place(page, "c0", 40000))
    expect(page.locator(".tip")).to_contain_text("queue: 9")
    page.mouse.move(*place(page, "0m", 45200))
    expect(page.locator(".tip")).to_contain_text("epoch 2")
    expect(page.locator(".tip")).to_contain_text("0.5")
    page.mouse.move(*place(page, "gc", 15500))
    expect(page.locator(".tip")).to_contain_text("generation 2")


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


def rows_of(page):
    """{function: (calls, own time, cumulative)} of the range's table."""
    found = {}
    for line in page.locator(".tl-table tbody tr").all():
        name, calls, own, cumulative = line.locator("td").all_inner_texts()
        found[name] = calls, own.rpartition(" ")[0], cumulative
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


def test_the_statistics_of_a_range_are_those_of_whole_bins(timeline):
    """A bin is a millisecond, so that half of the last one counts with the other half."""
    page = timeline("&range=30000000~60500000")
    assert rows_of(page) == {
        "serve": ("1", "19 ms", "31 ms"),
        "work": ("0", "30 ms", "31 ms"),
        "handle": ("2", "5 ms", "12 ms"),  # and two resumes
        "query": ("2", "7 ms", "7 ms"),
        "step": ("1", "1 ms", "1 ms"),
        "<module>": ("0", "0", "31 ms"),
    }
    note = page.locator(".tl-note").inner_text()
    assert "6 calls, 62 ms of own time." in note
    assert "exact from 30.00 ms to 61.00 ms: of whole steps of 1 ms" in note


def test_the_statistics_of_a_short_range_are_those_of_the_slices(timeline):
    page = timeline("&range=50500000~58000000")
    found = rows_of(page)
    assert found["handle"] == ("0", "1.50 ms", "7.50 ms")
    assert found["query"] == ("1", "6 ms", "6 ms")
    assert found["work"] == ("0", "7.50 ms", "7.50 ms")
    assert "1 call and resumes, 15 ms of own time." in page.locator(".tl-note").inner_text()


def test_the_calls_that_are_not_drawn_are_counted(visit, tmp_path):
    page = visit(timed_page(tmp_path / "least.html", least=5000), "view=timeline&range=0~100000000")
    page.wait_for_selector("[data-timeline]")
    expect(page.locator(".tl-sum")).to_contain_text("of 5 ms and longer")
    # query once and step once are shorter; of handle a slice is drawn that may be a resume
    note = "At least 3 calls shorter than 5 ms are not drawn"
    expect(page.locator(".tl-note")).to_contain_text(note)
    page.goto(page.url.partition("#")[0] + "#view=timeline&thread=worker&range=0~100000000")
    expect(page.locator(".tl-note")).to_contain_text("steps of 1 ms. 1 call shorter than 5 ms")
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


def test_arrows_walk_to_callers_callees_and_neighbours(timeline):
    page = timeline()
    title = page.locator(f"{PANEL} h2")
    click(page, "0", 54000, row=2)
    expect(title).to_have_text("handle")
    page.keyboard.press("ArrowDown")
    expect(title).to_have_text("query")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(f"{PANEL} dl")).to_contain_text("31.5")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(title).to_have_text("serve")


def test_the_search_lights_up_dims_and_leads_on(timeline):
    page = timeline()
    before = page.picture(CHART)
    page.fill("input[type=search]", "step")
    page.keyboard.press("Enter")
    expect(page.locator(".flame-hits")).to_contain_text("3 slices found")
    assert page.picture(CHART) != before
    page.keyboard.press("n")
    expect(page.locator(f"{PANEL} dl")).to_contain_text("10 ms")
    began = []
    for key in "nnN":
        page.keyboard.press(key)
        page.rest()
        text = page.locator(f"{PANEL} dl").inner_text()
        began.append(re.search(r"Began\n(\d+)", text)[1])
    assert began == ["25", "60", "25"]
    page.click("button[aria-label='Next (n)']")
    page.until(lambda: "Began\n60" in page.locator(f"{PANEL} dl").inner_text())


def test_the_search_finds_ranges_marks_and_tasks_by_name(timeline):
    page = timeline()
    page.fill("input[type=search]", "e")
    page.fill("input[type=search]", "/^(phase|epoch 2|request 1)$/")
    page.keyboard.press("Enter")
    expect(page.locator(".flame-hits")).to_contain_text("0 slices found, 3 by name")
    title = page.locator(f"{PANEL} h2")
    for name in ("phase", "request 1", "epoch 2"):
        page.keyboard.press("n")
        expect(title).to_have_text(name)
    page.keyboard.press("N")
    expect(title).to_have_text("request 1")


def test_a_function_chosen_elsewhere_is_lit_up_and_the_other_way_round(timeline):
    page = timeline("&row=helpers.query")
    expect(page.locator(".flame-hits")).to_contain_text("2 slices of query")
    lit = page.picture(CHART)
    click(page, "0", 15000, row=2)
    page.until(lambda: page.state.get("row", "").endswith("parse"))
    assert page.picture(CHART) != lit
    page.click(f"{PANEL} button:has-text('Callers, callees')")
    expect(page.locator(".focus h2")).to_have_text("parse")
    page.go_back()
    expect(page.locator(f"{PANEL} h2")).to_have_text("parse")


def test_the_next_slice_of_the_same_function(timeline):
    page = timeline()
    click(page, "1", 15000, row=1)
    page.keyboard.press(".")
    expect(page.locator(f"{PANEL} dl")).to_contain_text("25")
    page.keyboard.press(",")
    expect(page.locator(f"{PANEL} dl")).to_contain_text("10 ms")


def test_a_wait_of_a_task_tells_what_ran_meanwhile_and_its_stretches_are_followed(timeline):
    page = timeline()
    click(page, "0t1", 40000)
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("request 1 waits")
    expect(panel).to_contain_text("What its thread ran meanwhile")
    expect(panel).to_contain_text("serve")
    page.keyboard.press(">")
    expect(panel.locator("h2")).to_have_text("request 1")
    expect(panel.locator("dl")).to_contain_text("8")
    page.keyboard.press("<")
    expect(panel.locator("dl")).to_contain_text("31")


def test_who_made_a_thread_wait(timeline):
    """The gap is a wait for the GIL or a CPU: the other threads' functions are told."""
    page = timeline()
    click(page, "1", 45000, row=1)
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("waited for the GIL or a CPU")
    expect(panel.locator("dl")).to_contain_text("9 ms (90.0%)")
    expect(panel).to_contain_text("What the other threads ran meanwhile")
    expect(panel).to_contain_text("serve")
    click(page, "0", 5000, row=3)
    expect(panel.locator("h2")).to_have_text("waited in C")


def test_a_range_of_a_task_tells_what_its_task_ran(timeline):
    """`inner` is of request 1; other tasks that ran in its time would not count."""
    page = timeline()
    click(page, "0r", 31500, row=1)
    panel = page.locator(PANEL)
    expect(panel.locator("dl")).to_contain_text("Its task ran2 ms (100%)")
    ran = panel.locator("section:has-text('What ran in it')")
    assert ran.inner_text().split("\n")[1:] == ["handle", "1 ms", "query", "1 ms"]
    panel.locator("button:has-text('Select its time')").click()
    page.until(lambda: page.state.get("range") == "31000000~33000000")


def test_a_flow_is_followed_to_the_other_thread_and_back(timeline):
    page = timeline()
    click(page, "0r", 31500, row=1)
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("inner")
    expect(panel).to_contain_text("job → worker")
    page.keyboard.press(">")
    expect(panel.locator("h2")).to_have_text("step")
    expect(panel).to_contain_text("job ← MainThread")
    panel.locator("text=job ← MainThread").click()
    expect(panel.locator("h2")).to_have_text("query")


def test_tracks_are_folded_pinned_and_moved_by_mouse(timeline):
    page = timeline()
    names = page.locator(".tl-name")
    page.click("[data-track='0tasks'] .tl-fold")
    page.until(lambda: "request 1" not in names.all_inner_texts())
    page.hover("[data-track='1']")
    page.click("[data-track='1'] .tl-pin")
    page.until(lambda: names.all_inner_texts()[0] == "worker")
    page.click("[data-track='1'] .tl-pin")
    page.until(lambda: names.all_inner_texts()[-1] == "worker")
    head, first = (
        page.locator(f".tl-head[data-track='{track}']").bounding_box() for track in ("1", "gc")
    )
    drag(page, (head["x"] + 60, head["y"] + 9), (first["x"] + 60, first["y"] + 2))
    page.until(lambda: names.all_inner_texts()[0] == "worker")
    assert page.state["order"]
    page.reload()
    page.wait_for_selector("[data-timeline]")
    assert names.all_inner_texts()[0] == "worker"


def test_tracks_are_folded_pinned_and_moved_by_keyboard(timeline):
    page = timeline()
    names = page.locator(".tl-name")
    page.focus("[data-track='1'] .tl-fold")
    page.keyboard.press("p")
    page.until(lambda: names.all_inner_texts()[0] == "worker")
    page.keyboard.press("p")
    page.until(lambda: names.all_inner_texts()[-1] == "worker")
    page.keyboard.press("K")
    page.until(lambda: names.all_inner_texts()[-2] == "worker")
    page.keyboard.press("J")
    page.until(lambda: names.all_inner_texts()[-1] == "worker")
    page.keyboard.press("z")
    assert page.locator("[data-track='1'] .tl-fold").get_attribute("aria-expanded") == "false"
    page.keyboard.press("Enter")
    page.until(
        lambda: page.locator("[data-track='1'] .tl-fold").get_attribute("aria-expanded") == "true"
    )


def test_greenlets_have_tracks_of_their_own(visit, tmp_path):
    """A slice of a stack's bottom call has its number: of `handle`, in place of the task's."""
    text = MAIN.replace("#1", "/1").replace("#2", "/2")
    stacks = [(1, 0, "green one"), (2, 0, None)]
    address = timed_page(tmp_path / "green.html", text, tasks=[], stacks=stacks)
    page = visit(address, "view=timeline")
    page.wait_for_selector("[data-timeline]")
    names = page.locator(".tl-name").all_inner_texts()
    assert {"2 greenlets", "green one", "Greenlet 2"} <= set(names)
    page.rest()
    click(page, "0s1", 54000)
    expect(page.locator(f"{PANEL} h2")).to_have_text("green one")


def test_processes_that_ran_together_have_one_clock(visit, tmp_path):
    """The second begins 20 ms after the first."""
    captures = [
        capture_of("a@main 0-100000", timeline={"pid": 7, "clock": ((0, 5_000_000),)}),
        capture_of("b@main 1000-50000", timeline={"pid": 8, "clock": ((0, 24_000_000),)}),
    ]
    path = tmp_path / "two.html"
    path.write_bytes(b"".join(html_of([shown(tracer.Stats(*captures))], "two")))
    page = visit(path.as_uri(), "view=timeline")
    page.wait_for_selector("[data-timeline]")
    page.rest()
    names = page.locator(".tl-name").all_inner_texts()
    assert [name for name in names if name.startswith("Process")] == ["Process 7", "Process 8"]
    click(page, "1.0", 30000)
    expect(page.locator(f"{PANEL} h2")).to_have_text("b")
    expect(page.locator(f"{PANEL} dl")).to_contain_text("Began20.000000 ms")


def test_a_task_unfolds_to_the_slices_within(timeline):
    page = timeline()
    page.click("[data-track='0t1'] .tl-fold")
    page.rest()
    click(page, "0t1", 54000, row=2)
    expect(page.locator(f"{PANEL} h2")).to_have_text("query")


def test_the_address_leads_back_to_what_was_seen(timeline):
    page = timeline()
    click(page, "0", 54000, row=2)
    page.keyboard.press("f")
    page.rest()
    state = page.address.partition("#view=timeline")[2]
    again = timeline(state)
    expect(again.locator(f"{PANEL} h2")).to_have_text("handle")
    assert seen(again) == pytest.approx(seen(page), abs=0.01)


def test_one_thread_alone(timeline):
    page = timeline("&thread=worker")
    names = ["Garbage collections", "queue", "Ranges · worker", "worker"]
    assert page.locator(".tl-name").all_inner_texts() == names


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
