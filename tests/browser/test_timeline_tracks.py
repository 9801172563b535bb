"""The tracks of the timeline: which there are, and how they are collapsed, pinned and moved."""

import pytest
from playwright.sync_api import expect

import tracer
from timed import MAIN, PANEL, ROW, click, drag, place, seen, timed_page
from timelines import capture_of
from tracer.page.document import html_of, shown


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


def test_tracks_are_collapsed_pinned_and_moved_by_mouse(timeline):
    page = timeline()
    names = page.locator(".tl-name")
    page.click("[data-track='0tasks'] .tl-collapse")
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


def test_tracks_are_collapsed_pinned_and_moved_by_keyboard(timeline):
    page = timeline()
    names = page.locator(".tl-name")
    page.focus("[data-track='1'] .tl-collapse")
    page.keyboard.press("p")
    page.until(lambda: names.all_inner_texts()[0] == "worker")
    page.keyboard.press("p")
    page.until(lambda: names.all_inner_texts()[-1] == "worker")
    page.keyboard.press("K")
    page.until(lambda: names.all_inner_texts()[-2] == "worker")
    page.keyboard.press("J")
    page.until(lambda: names.all_inner_texts()[-1] == "worker")
    button = page.locator("[data-track='1'] .tl-collapse")
    page.keyboard.press("z")
    page.until(
        lambda: (
            page.locator("[data-track='1'] .tl-collapse").get_attribute("aria-expanded") == "false"
        )
    )
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")


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


def test_a_task_expands_to_the_slices_within(timeline):
    page = timeline()
    page.click("[data-track='0t1'] .tl-collapse")
    page.rest()
    click(page, "0t1", 54000, row=2)
    expect(page.locator(f"{PANEL} h2")).to_have_text("query")


def test_one_thread_alone(timeline):
    page = timeline("&thread=worker")
    names = ["Garbage collections", "queue", "Ranges · worker", "worker"]
    assert page.locator(".tl-name").all_inner_texts() == names


def deep_page(visit, path, state=""):
    """A page whose main thread imports 50 rows deep at first, and then serves."""
    imports = [f"{'  ' * depth}_import_{depth}@main 1000-9000" for depth in range(1, 50)]
    text = "\n".join(["<module>@main 0-100000", *imports, "  serve@main 10000-90000"])
    page = visit(timed_page(path, text, tasks=[], flows=[], ranges=[], marks=[]), state)
    page.wait_for_selector("[data-timeline]")
    page.rest()
    return page


def height(page, track):
    return page.locator(f".tl-head[data-track='{track}']").bounding_box()["height"]


def test_a_track_is_as_high_as_what_is_on_the_screen_needs(visit, tmp_path):
    page = deep_page(visit, tmp_path / "deep.html", "view=timeline")
    # two full rows; of the others, which an eighth of the time has nothing of, each has a pixel
    assert height(page, "0") == 2 * ROW + 48 + 4
    assert page.locator(".tl-head[data-track='1']").bounding_box()["y"] < 330
    x, y = place(page, "0", 5000, row=0)
    page.mouse.move(x, y)
    for _ in range(6):
        page.mouse.wheel(0, -150)
    assert seen(page)[1] < 12000
    assert height(page, "0") > 49 * ROW
    assert place(page, "0", 0, row=0)[1] == y  # what is under the mouse stays there
    page.mouse.move(*place(page, "0", 50000, row=0))
    page.keyboard.press("0")
    page.rest()
    assert height(page, "0") == 2 * ROW + 48 + 4
    for _ in range(3):
        page.mouse.wheel(0, -150)
    assert seen(page)[0] > 10000
    assert height(page, "0") == 2 * ROW + 4


def test_a_slice_in_a_thin_row_is_found_again_by_the_address(visit, tmp_path):
    page = deep_page(visit, tmp_path / "deep.html", "view=timeline")
    x, y = place(page, "0", 5000)
    page.mouse.click(x, y - ROW / 2 + 2 * ROW + 20.5)
    expect(page.locator(f"{PANEL} h2")).to_have_text("_import_22")
    page.reload()
    expect(page.locator(f"{PANEL} h2")).to_have_text("_import_22")


def test_all_tracks_are_collapsed_to_a_row_each_and_expanded(timeline):
    page = timeline()
    button = page.locator("button[data-tip*='tracks (Z)']")
    before = height(page, "0")
    page.keyboard.press("Z")
    expect(button).to_have_text("Expand all")
    page.until(lambda: height(page, "0") == height(page, "1") == ROW + 4)
    click(page, "0", 54000)  # of the row in which calls follow each other
    expect(page.locator(f"{PANEL} h2")).to_have_text("handle")
    page.keyboard.press("Escape")
    button.click()
    page.until(lambda: height(page, "0") == before)
    button.click()
    page.until(lambda: height(page, "0") == ROW + 4)


def test_of_many_tasks_those_of_the_stretch_on_the_screen_have_tracks(visit, tmp_path):
    tasks = [(at, 0, 6, at * 1000, at * 1000 + 900, f"job {at}") for at in range(3, 91)]
    address = timed_page(tmp_path / "many.html", tasks=tasks, flows=[], ranges=[])
    page = visit(address, "view=timeline&turned=0tasks&zoom=30000000~3000000~0")
    page.wait_for_selector("[data-timeline]")
    jobs = page.locator(".tl-name:text-matches('^job ')")
    page.until(lambda: jobs.all_inner_texts() == [f"job {at}" for at in range(30, 34)])
    page.hover("[data-track='0t30']")
    page.click("[data-track='0t30'] .tl-pin")
    page.until(lambda: "pinned" in page.state)
    page.keyboard.press("0")
    page.mouse.move(900, 400)
    for _ in range(6):
        page.mouse.wheel(0, -150)
    page.rest()
    assert jobs.all_inner_texts()[0] == "job 30"  # which is pinned, and not there


@pytest.mark.parametrize(("width", "height"), [(420, 700), (1400, 320)])
def test_a_small_window_has_room_for_all(timeline, width, height):
    page = timeline("&search=step", width=width, height=height)
    click(page, "0m", 45000)
    expect(page.locator(f"{PANEL} h2")).to_have_text("epoch 2")
    bottom = 0
    for part in ("#bar", ".flame-line", ".tl-body", PANEL):
        box = page.locator(part).bounding_box()
        assert box["y"] >= bottom - 1
        bottom = box["y"] + box["height"]
    assert bottom <= height
    buttons = page.locator("#bar button:visible, .flame-line button:visible, #bar input").all()
    boxes = [button.bounding_box() for button in buttons]
    assert all(0 <= box["x"] <= width - box["width"] for box in boxes)
    # a figure stands in one line
    facts = page.locator(f"{PANEL} dd").all()
    assert all(it.bounding_box()["height"] < 25 for it in facts)
    assert page.locator(".tl-chart").bounding_box()["width"] > 0.6 * width
