"""The overview: the run, what holds the time, and the ways from there."""

import re
from pathlib import Path

from playwright.sync_api import expect

import tracer
from launch import plain, traced


def test_it_has_the_numbers_of_the_run(visit, html_of, profiles):
    page = visit(html_of("shapes"))
    stats = tracer.Stats(profiles["shapes"])
    [capture] = stats.captures
    text = page.locator(".overview").inner_text()
    assert f"{capture.run.real:.9f} s real" in text
    assert capture.run.python in text
    tips = [tile.get_attribute("data-tip") for tile in page.locator(".tile").all()]
    assert f"{stats.total_calls:,}" in tips
    assert f"{capture.run.max_memory:,} bytes" in tips
    assert capture.run.command[-1].split("/")[-1] in page.locator(".command").inner_text()


def test_its_functions_lead_to_the_butterfly_and_its_threads_to_one(visit, html_of, profiles):
    page = visit(html_of("shapes"))
    stats = tracer.Stats(profiles["shapes"], names="qualname")
    first = max(stats.stats, key=lambda label: stats.stats[label][2])
    row = page.locator(".bar-row >> nth=0")
    assert row.locator(".fn").inner_text() == first[2]
    row.click()
    assert page.locator(".focus h2").inner_text() == first[2]
    page.go_back()
    page.wait_for_selector("#view[data-view=overview]")
    page.click(".bar-row:has-text('Waiter 0')")
    assert page.locator("#bar select").input_value() == "Waiter 0"
    one = stats.threads["Waiter 0"]
    tips = [tile.get_attribute("data-tip") for tile in page.locator(".tile").all()]
    assert f"{one.total_calls:,}" in tips


def test_a_search_leads_to_the_table(visit, html_of):
    page = visit(html_of("shapes"))
    page.keyboard.press("/")
    page.keyboard.type("recurse")
    page.wait_for_selector("#view[data-view=table]")
    assert page.locator("input[type=search]").input_value() == "recurse"


def test_the_key_that_opens_the_help_closes_it(visit, html_of):
    page = visit(html_of("shapes"))
    for shown in (1, 0, 1):
        page.keyboard.press("?")
        expect(page.locator("dialog[open]")).to_have_count(shown)


# Between these keys the page draws nothing, and the dialog sends no event of its own.
PRESSED_IN_ONE_GO = """(keys) => keys.map((key) => {
  const pressed = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(pressed);
  return document.querySelectorAll("dialog[open]").length;
})"""


def test_no_key_is_lost_while_the_help_goes(visit, html_of):
    page = visit(html_of("shapes"))
    keys = ["?", "?", "?", "Escape", "?"]
    assert page.evaluate(PRESSED_IN_ONE_GO, keys) == [1, 0, 1, 0, 1]
    expect(page.locator("dialog")).to_have_count(1)


def test_what_waits_is_pointed_out(visit, html_of):
    page = visit(html_of("shapes"))
    for finding in page.locator(".finding").all():
        assert finding.get_attribute("data-rule")
        for way in finding.locator("button").all():
            assert way.inner_text() in ("Butterfly", "All its calls", "Source")


def test_a_package_leads_to_its_functions_and_its_boxes(visit, html_of, profiles):
    page = visit(html_of("shapes"))
    packages = page.locator(".packages li")
    row = packages.filter(has=page.locator("button", has_text=re.compile("^json$")))
    row.locator(".fn").click()
    page.wait_for_selector("#view[data-view=table]")
    assert page.state["package"] == "json"
    assert all(
        text.startswith("json") for text in page.locator(".row:visible .where").all_inner_texts()
    )
    page.go_back()
    row.locator("text=flame").click()
    page.wait_for_selector("#view[data-view=flame]")
    stats = tracer.Stats(profiles["shapes"], names="qualname")
    files = {label for label in stats.stats if "/json/" in label[0]}
    assert f"{len(files)} functions" in page.locator(".flame-hits").inner_text()


def test_the_packages_that_are_not_shown_are_shown_when_asked_for(visit, html_of):
    page = visit(html_of("shapes"))
    packages = page.locator(".packages li")
    more = page.locator("button", has_text=re.compile(r"^and \d+ others?$"))
    shown, others = packages.count(), int(re.search(r"\d+", more.inner_text())[0])
    more.click()
    expect(packages).to_have_count(shown + others)
    expect(more).to_have_count(0)


def test_an_estimate_is_called_so(visit, tmp_path):
    """A file of cProfile has callers, and no paths."""
    program = Path(__file__).parent / "programs" / "shapes.py"
    assert plain("-m", "cProfile", "-o", "c.out", program, cwd=tmp_path).returncode == 0
    assert traced("html", "c.out", cwd=tmp_path).returncode == 0
    page = visit((tmp_path / "c.html").as_uri())
    expect(page.locator(".notice", has_text="The paths are an estimate.")).to_be_visible()
    page.keyboard.press("f")
    page.wait_for_selector(".flame-chart canvas")
    assert "The paths are an estimate: " in page.locator("#view").inner_text()


def test_of_two_profiles_it_leads_to_the_comparison(visit, html_of):
    page = visit(html_of("shapes", "hostile", flags=("--compare",)), "view=overview")
    page.locator(".notice", has_text="compared with hostile").locator("button").click()
    page.wait_for_selector("#view[data-view=compare]")


def test_where_a_focus_let_nothing_be_recorded_it_says_so(visit, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("len('')\n")
    (tmp_path / "other.py").write_text("")
    for option, said in (
        ("--include", f"No function was called of what was included: {tmp_path}/other.py."),
        ("--exclude", "No function was called but of what was excluded."),
    ):
        name = tmp_path / ("other.py" if option == "--include" else "program.py")
        traced(option, str(name), "-o", "x.out", str(program), cwd=tmp_path)
        assert traced("html", "x.out", cwd=tmp_path).returncode == 0
        page = visit((tmp_path / "x.html").as_uri(), "view=overview")
        assert said in page.locator("#view").inner_text()
