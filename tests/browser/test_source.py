"""The source beside its figures, and two profiles compared."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

import tracer
from launch import traced


def test_source_is_that_of_the_file(visit, html_of):
    page = visit(html_of("shapes"), "view=source")
    page.locator("select[aria-label=File]").select_option(index=0)
    path = Path(__file__).parent / "programs" / "shapes.py"
    shown = page.locator(".code-line code").all_text_contents()
    # Empty lines have a character without width, so that they are as high as others.
    assert [line.replace("\u200b", "") for line in shown] == path.read_text().splitlines()


def test_figures_stand_above_the_function(visit, html_of, profiles):
    page = visit(html_of("shapes"), "view=source")
    stats = tracer.Stats(profiles["shapes"], names="qualname")
    [calls] = [row[1] for label, row in stats.stats.items() if label[2] == "Shape.area"]
    lens = page.locator(".lens:has-text('Shape.area')").first
    assert f"{calls} calls" in lens.inner_text() or f"{calls}" in lens.inner_text()
    lens.click()
    page.wait_for_selector(".source-side:has-text('area')")
    page.keyboard.press("Enter")
    page.wait_for_selector("#view[data-view=butterfly]")
    assert "Shape.area" in page.locator(".butterfly .body").inner_text()


def test_the_side_is_there_for_a_function_alone(visit, html_of):
    page = visit(html_of("shapes"), "view=source")
    side = page.locator(".source-side")
    code = page.locator(".source-scroller")
    expect(side).to_be_hidden()
    assert code.bounding_box()["width"] == 1280
    page.locator(".lens:has-text('Shape.area')").first.click()
    expect(side).to_be_visible()
    assert code.bounding_box()["width"] < 1280


def test_a_chosen_function_is_opened_with_its_lines_in_sight(visit, tmp_path):
    body = "".join(f"    x = {line}\n" for line in range(18))
    functions = [f"def f{number}():\n{body}\n" for number in range(20)]
    calls = "".join(f"f{number}()\n" for number in range(20))
    (tmp_path / "long.py").write_text("".join(functions) + calls)
    for words in (["-o", "long.out", "long.py"], ["html", "long.out"]):
        assert traced(*words, cwd=tmp_path).returncode == 0
    for number in (19, 11, 0):
        page = visit(
            (tmp_path / "long.html").as_uri(), f"view=source&row=long.f{number}", height=640
        )
        page.rest()
        box = page.locator(".source-scroller").bounding_box()
        for line in (20 * number + 1, 20 * number + 19):
            at = page.locator(f"[data-line='{line}']").bounding_box()
            assert box["y"] <= at["y"] < at["y"] + at["height"] <= box["y"] + box["height"], line


def test_functions_are_hot_by_total_or_by_own_time(visit, html_of):
    page = visit(html_of("shapes"), "view=source")
    lens = page.locator(".lens", has=page.locator(".fn:text-is('Shape.describe')"))
    heat = "(lens) => Number(lens.style.getPropertyValue('--heat'))"
    total = lens.evaluate(heat)
    page.click(".segment:text-is('Own')")
    page.until(lambda: page.state.get("heat") == "own")
    assert lens.evaluate(heat) < total


def test_lines_by_keyboard(visit, html_of):
    page = visit(html_of("shapes"), "view=source")
    page.keyboard.press("n")
    first = page.state["line"]
    page.keyboard.press("ArrowDown")
    assert page.state["line"] != first


def test_hostile_source_is_text(visit, html_of):
    page = visit(html_of("hostile"), "view=source")
    assert "onerror=\"alert('source')\"" in page.locator(".code").inner_text()
    assert page.locator(".code img").count() == 0


def test_compare_is_there_for_two(visit, html_of):
    page = visit(html_of("shapes"))
    assert page.locator("#tab-compare").count() == 0
    page = visit(html_of("shapes", "hostile", flags=("--compare",)), "view=compare")
    assert "shapes.out" in page.locator(".compare-sum").inner_text()
    rows = page.locator(".row:visible")
    assert rows.count() > 10
    for status, found in (("Gone", 1), ("New", 0)):
        page.fill("input[type=search]", "recurse")
        page.click(f"button:has-text('{status}')")
        expect(rows).to_have_count(found)
    page.fill("input[type=search]", "")
    page.keyboard.press("Enter")
    page.keyboard.press("g")
    page.wait_for_selector(".flame-chart canvas")
    assert page.state["mode"] == "flame"


@pytest.mark.parametrize("view", ["table", "flame"])
def test_a_profile_compared_with_itself_has_not_changed(visit, html_of, view):
    page = visit(html_of("shapes", "shapes", flags=("--compare",)), "view=compare")
    summary = page.locator(".compare-sum").inner_text()
    assert "the same" in summary and "machine" not in summary
    for figure in "real time", "tottime", "calls":  # as diff calls them
        assert page.locator(".compare-sum p", has_text=figure).count() == 1
    assert "Changed 0" in page.locator("[role=group][aria-label='Which functions']").inner_text()
    if view == "flame":
        page.keyboard.press("g")
        page.wait_for_selector(".flame-chart canvas")
