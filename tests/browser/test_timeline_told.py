"""What the timeline tells of a thing: under the mouse, by a click, by a step to the next one; and
what a search finds."""

import re

from playwright.sync_api import expect

from timed import CHART, PANEL, STATUS, WHOLE, click, place, seen, timed_page


def test_a_click_tells_when_how_long_callers_and_callees(timeline):
    page = timeline()
    click(page, "0", 54000, row=2)
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("handle")
    facts = panel.locator("dl").inner_text().split("\n")
    assert dict(zip(facts[::2], facts[1::2], strict=True)) == {
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
    expect(page.locator(".flame-hits")).to_contain_text("1 function, 3 drawn slices")
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
    page.keyboard.press("N")
    page.keyboard.press("x")  # the longest of them
    page.until(lambda: "Lasted\n15 ms" in page.locator(f"{PANEL} dl").inner_text())


def test_the_search_finds_ranges_marks_and_tasks_by_name(timeline):
    page = timeline()
    page.fill("input[type=search]", "e")
    page.fill("input[type=search]", "/^(phase|epoch 2|request 1)$/")
    page.keyboard.press("Enter")
    expect(page.locator(".flame-hits")).to_contain_text("1 range, 1 task, 1 mark")
    title = page.locator(f"{PANEL} h2")
    for name in ("phase", "request 1", "epoch 2"):
        page.keyboard.press("n")
        expect(title).to_have_text(name)
    assert seen(page) == (0, WHOLE)  # a moment has no length to zoom to
    page.keyboard.press("N")
    expect(title).to_have_text("request 1")
    page.keyboard.press("x")
    expect(title).to_have_text("phase")


def test_the_search_finds_by_value_what_has_values(timeline):
    page = timeline()
    before = page.picture(CHART)
    page.fill("input[type=search]", "loss=0.5")
    page.keyboard.press("Enter")
    expect(page.locator(".flame-hits")).to_have_text(re.compile("^1 mark"))
    assert page.picture(CHART) != before
    page.keyboard.press("n")
    expect(page.locator(f"{PANEL} h2")).to_have_text("epoch 2")
    page.fill("input[type=search]", "batch=3")
    expect(page.locator(".flame-hits")).to_have_text(re.compile("^1 range"))
    page.fill("input[type=search]", "no such thing")
    expect(page.locator(".flame-hits")).to_have_text("nothing found")


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
    others = panel.locator("section:has-text('What the other threads ran meanwhile')")
    assert others.inner_text().split("\n")[1:3] == ["work", "17 ms"]
    page.keyboard.press(">")
    expect(panel.locator("h2")).to_have_text("request 1")
    expect(panel.locator("dl")).to_contain_text("8")
    page.keyboard.press("<")
    expect(panel.locator("h2")).to_have_text("request 1 waits")
    page.keyboard.press("<")
    expect(panel.locator("dl")).to_contain_text("31")
    panel.locator("text=It waits after").click()
    expect(panel.locator("h2")).to_have_text("request 1 waits")


def test_the_task_of_a_slice_is_a_way_to_its_track(timeline):
    page = timeline("&turned=0tasks")  # which is collapsed
    click(page, "0", 54000, row=3)
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("query")
    panel.locator("dl button:has-text('request 1')").click()
    expect(panel.locator("h2")).to_have_text("request 1")
    expect(panel.locator("dl")).to_contain_text("Began50.000000 ms")
    expect(page.locator("[data-track='0t1']")).to_be_visible()


def test_who_made_a_thread_wait(timeline):
    """The gap is a wait for a lock, the GIL or a CPU: the other threads' functions are told."""
    page = timeline()
    page.mouse.move(*place(page, "1", 45000, row=1))
    expect(page.locator(".tip")).to_contain_text("waited9 ms (90.0%)")
    click(page, "1", 45000, row=1)
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("waited 9 ms of 10 ms for a lock, the GIL or a CPU")
    expect(panel.locator("dl")).to_contain_text("9 ms (90.0%)")
    expect(panel).to_contain_text("What the other threads ran meanwhile")
    expect(panel).to_contain_text("serve")
    click(page, "0", 5000, row=3)
    expect(panel.locator("h2")).to_have_text("waited 8 ms in C")


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


def test_a_mark_leads_along_the_flow_of_the_call_around_it(timeline):
    page = timeline()
    click(page, "0m", 45000)
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("epoch 2")
    expect(panel).to_contain_text("job → worker")
    page.keyboard.press(">")
    expect(panel.locator("h2")).to_have_text("step")


def test_many_arrows_are_hidden_but_for_those_of_what_is_clicked(visit, tmp_path, timeline):
    few = timeline()
    expect(few.locator("button:has-text('Arrows')")).to_have_attribute("aria-pressed", "true")
    flows = [("job", 0, 31600 + at, 1, 60500 + at) for at in range(21)]
    page = visit(timed_page(tmp_path / "flows.html", flows=flows), "view=timeline")
    page.wait_for_selector("[data-timeline]")
    arrows = page.locator("button:has-text('Arrows')")
    expect(arrows).to_have_attribute("aria-pressed", "false")
    without = page.picture(CHART)
    page.keyboard.press("e")
    expect(arrows).to_have_attribute("aria-pressed", "true")
    assert page.picture(CHART) != without
    arrows.click()
    expect(arrows).to_have_attribute("aria-pressed", "false")
    page.mouse.move(1, 1)
    assert page.picture(CHART) == without
