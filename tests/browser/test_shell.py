"""The frame around the views: it opens from a file and served, requests nothing from others, shows
names as text, has the numbers of Stats, and works in the dark, in 900 pixels and by keyboard."""

import csv
import re
from pathlib import Path
from runpy import run_path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest
from playwright.sync_api import expect

import tracer
from serving import PICTURES, viewed
from tracer.analysis.tree.call_tree import paths_of
from tracer.page.document import html_of, shown
from tracer.server.viewer import Frame

PROGRAMS = Path(__file__).parent / "programs"
TABS = "#bar [role=tab]"
ROWS = ".row:visible"
# Tries what a name that became markup could do; the result says what the page's policy let pass.
BREAK_OUT = """async (expected) => {
  const broken = [];
  document.addEventListener("securitypolicyviolation", (e) => broken.push(e.effectiveDirective));
  const add = (tag, made) => document.body.append(Object.assign(document.createElement(tag), made));
  window.ran = [];
  add("script", { textContent: "window.ran.push('script')" });
  add("script", { src: "https://example.invalid/x.js" });
  add("img", { src: "https://example.invalid/x.png" });
  add("iframe", { src: "https://example.invalid/" });
  add("object", { data: "https://example.invalid/x.svg" });
  add("button", { id: "pressed" });
  document.getElementById("pressed").setAttribute("onclick", "window.ran.push('handler')");
  document.getElementById("pressed").click();
  const form = document.createElement("form");
  form.action = "https://example.invalid/";
  document.body.append(form);
  form.submit();
  const asked = await fetch("https://example.invalid/").then(() => "answered", () => "refused");
  const passed = (time) => new Promise((done) => setTimeout(done, time));
  for (let turn = 0; turn < 300 && !expected.every((one) => broken.includes(one)); turn++) {
    await passed(100);
  }
  await passed(300);
  return { ran: window.ran, asked, broken: [...new Set(broken)] };
}"""
REFUSED = ["connect-src", "frame-src", "img-src", "script-src-attr", "script-src-elem"]
# The elements that have a role, but no name that a screen reader can read out.
NAMELESS = """() => [...document.querySelectorAll(
    "button, input, select, a[href], canvas, [role=tabpanel], [role=grid], [role=tree]")]
  .filter((e) => e.checkVisibility() && e.closest("[aria-hidden=true]") === null)
  .filter((e) => !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby")
    || e.textContent.trim() || e.closest("label")))
  .map((e) => e.outerHTML.slice(0, 200))"""


@pytest.fixture(params=["file", "served"])
def address(request, profiles, html_of):
    """address(name): where the page of a profile is, as a file or served."""
    if request.param == "file":
        yield html_of
        return
    opened = []

    def serve(name):
        opened.append(viewed(profiles[name]))
        return opened[-1].__enter__()[0]

    yield serve
    for context in opened:
        context.__exit__(None, None, None)


def views(page):
    return [tab.get_attribute("id").removeprefix("tab-") for tab in page.locator(TABS).all()]


def saved_table(page, **shared):
    """The rows of the table as the page saves them: {(function, file, line): row}."""
    with page.expect_download() as download:
        page.keyboard.press("e")
    with open(download.value.path(), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {(row["function"], row["file"], int(row["line"])): row for row in rows}
    assert len(found) == len(rows)
    return found


# -- Opening ---------------------------------------------------------------------------------


def test_opens_and_asks_for_nothing_but_itself(visit, address):
    page = visit(address("shapes"))
    page.wait_for_timeout(500)
    asked = [url for url in page.asked if not url.startswith(("data:", "blob:"))]
    served = page.url.startswith("http")
    assert asked == ([page.url, f"{page.url}data"] if served else [page.url])
    assert "shapes" in page.title()
    assert page.locator("#bar h1").text_content()


def test_a_page_may_do_nothing_but_what_it_does(visit, address):
    page = visit(address("shapes"))
    page.foreseen = "Content Security Policy"
    tried = page.evaluate(BREAK_OUT, REFUSED)
    assert (tried["ran"], tried["asked"]) == ([], "refused")
    assert set(REFUSED) <= set(tried["broken"])


def test_every_view_opens_by_its_key_and_by_its_tab(visit, address):
    page = visit(address("shapes"))
    names = views(page)
    assert {"overview", "table", "flame", "butterfly"} <= set(names)
    for name in names:
        tab = page.locator(f"#tab-{name}")
        key = tab.get_attribute("aria-keyshortcuts")
        page.keyboard.press(key)
        page.wait_for_selector(f"#view[data-view={name}]")
        assert tab.get_attribute("aria-selected") == "true"
        assert page.locator("#view").inner_text().strip()
        page.screenshot(path=PICTURES / f"view-{name}.png")
    for name in names:
        page.click(f"#tab-{name}")
        page.wait_for_selector(f"#view[data-view={name}]")
        assert page.state["view"] == name


def test_tabs_and_threads_are_walked_by_keys(visit, html_of):
    page = visit(html_of("shapes"))
    names = views(page)
    page.focus("#bar [role=tab][aria-selected=true]")
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        page.wait_for_selector(f"#view[data-view={names[at]}]")
        assert page.evaluate("document.activeElement.id") == f"tab-{names[at]}"
    threads = page.locator("#bar select option").all_inner_texts()
    chosen = "(select) => select.selectedOptions[0].textContent"
    for key, at in (("}", 1), ("}", 2), ("{", 1), ("{", 0), ("{", -1)):
        page.keyboard.press(key)
        assert page.locator("#bar select").evaluate(chosen) == threads[at]


def test_a_page_whose_data_is_damaged_says_so(chromium, html_of, tmp_path):
    whole = Path(url2pathname(urlparse(html_of("shapes")).path)).read_text()
    data = '<script id="data" type="text/plain">'
    before, _, after = whole.partition(data)
    damaged = tmp_path / "damaged.html"
    damaged.write_text(f"{before}{data}H4sIAAAA{after[after.index('</script>') :]}")
    page = chromium.new_page()
    page.goto(damaged.as_uri())
    told = page.wait_for_selector("#view [role=alert]").text_content()
    page.close()
    assert told.startswith("This profile could not be opened")


def test_back_goes_back_and_a_link_leads_to_what_was_seen(visit, html_of):
    page = visit(html_of("shapes"))
    page.keyboard.press("t")
    page.wait_for_selector("#view[data-view=table]")
    page.keyboard.press("/")
    page.keyboard.type("recurse")
    page.wait_for_selector(".row:has-text('recurse')")
    link = page.address
    page.keyboard.press("Escape")
    page.go_back()
    page.wait_for_selector("#view[data-view=overview]")
    again = visit(link.split("#")[0], link.split("#")[1])
    again.wait_for_selector("#view[data-view=table]")
    assert again.locator(ROWS).count() == 1
    assert again.locator("input[type=search]").input_value() == "recurse"


def test_help_lists_the_keys(visit, html_of):
    page = visit(html_of("shapes"))
    page.keyboard.press("?")
    dialog = page.locator("dialog[open]")
    listed = dialog.inner_text()
    for tab in page.locator(TABS).all():
        assert tab.text_content() in listed
    page.screenshot(path=PICTURES / "help.png")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_opens_in_the_cell_of_a_notebook(visit, profiles, tmp_path):
    frame = Frame(b"".join(html_of([shown(tracer.Stats(profiles["shapes"]))], "shapes")))
    cell = tmp_path / "notebook.html"
    cell.write_text(f'<!DOCTYPE html><html data-ready="">{frame._repr_html_()}', encoding="utf-8")
    page = visit(cell.as_uri())
    inside = page.frame_locator("iframe")
    for name in ("table", "overview", "butterfly"):
        inside.locator(f"#tab-{name}").click()
        inside.locator(f"#view[data-view={name}]").wait_for()
    inside.locator("#tab-table").click()
    inside.locator(ROWS).first.wait_for()
    inside.locator("body").press("d")
    with page.expect_download() as download:
        inside.locator("body").press("e")
    assert download.value.suggested_filename == "shapes.csv"
    assert page.evaluate("document.querySelector('iframe').contentDocument") is None


# -- Numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["shapes", "hostile"])
def test_numbers_of_the_table_are_those_of_stats(visit, address, profiles, name):
    page = visit(address(name), "view=table")
    rows = saved_table(page)
    stats = tracer.Stats(profiles[name], names="qualname")
    expected = {}
    for (file, line, function), (primitive, ncalls, tottime, cumtime, _) in stats.stats.items():
        if ncalls or (file, line, function) in stats.resumes:
            expected[function, file, line] = (ncalls, primitive, tottime, cumtime)
    found = {}
    for key, row in rows.items():
        function, file, line = key
        ncalls, primitive = int(row["ncalls"]), int(row["primitive"])
        if ncalls or int(row.get("resumes") or 0):
            figures = (ncalls, primitive, float(row["tottime"]), float(row["cumtime"]))
            found[unescaped(function), unescaped(file), line] = figures
    assert found.keys() == expected.keys()
    for key, figures in expected.items():
        assert found[key][:2] == figures[:2]
        assert found[key][2:] == pytest.approx(figures[2:], abs=2e-9)


def unescaped(text):
    """The text without the quote that the page puts before what would be a formula."""
    return text[1:] if re.match(r"'[=+\-@\t\r\n]", text) else text


def test_numbers_of_one_thread(visit, html_of, profiles):
    page = visit(html_of("shapes"), "view=table")
    page.locator("#bar select").select_option("Waiter 0")
    rows = saved_table(page)
    stats = tracer.Stats(profiles["shapes"], names="qualname").threads["Waiter 0"]
    expected = {key[2]: row[1] for key, row in stats.stats.items() if row[1]}
    assert {
        key[0]: int(row["ncalls"]) for key, row in rows.items() if int(row["ncalls"])
    } == expected


# -- Names -----------------------------------------------------------------------------------


def test_hostile_names_are_text(visit, address, profiles):
    page = visit(address("hostile"), "view=table")
    names = run_path(PROGRAMS / "hostile.py")["NAMES"]
    shown = {row.name for row in paths_of(tracer.Stats(profiles["hostile"])).rows}
    assert set(names) <= shown
    rows = saved_table(page)
    assert {unescaped(key[0]) for key in rows} >= {name for name in names if "\x00" not in name}
    for name in views(page):
        page.click(f"#tab-{name}")
        page.wait_for_selector(f"#view[data-view={name}]")
        page.wait_for_timeout(100)
    for name in names:
        page.click("#tab-table")
        page.fill("input[type=search]", name[:30].strip())
        if page.locator(ROWS).count():
            page.locator(ROWS).first.hover()  # its tooltip, too
            page.locator(ROWS).first.click()
            page.keyboard.press("Enter")
            page.wait_for_selector("#view[data-view=butterfly]")
        page.fill("input[type=search]", "")
    assert page.locator("img, svg[onload], #view script").count() == 0


# -- Looks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_light_and_dark(visit, html_of, theme):
    page = visit(html_of("shapes"), theme=theme)
    lightness = (
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    )
    background = page.evaluate(lightness)
    assert (sum(background) > 3 * 128) is (theme == "light")
    seen = [background]
    for _ in range(3):
        page.keyboard.press("d")
        seen.append(page.evaluate(lightness))
    assert seen[3] == background
    assert {tuple(color) for color in seen} == {tuple(seen[0]), tuple(seen[1]), tuple(seen[2])}
    assert len({tuple(color) for color in seen}) == 2
    for name in views(page):
        page.click(f"#tab-{name}")
        page.wait_for_selector(f"#view[data-view={name}]")
        page.wait_for_timeout(100)
        page.screenshot(path=PICTURES / f"{theme}-{name}.png")


@pytest.mark.parametrize("name", ["shapes", "hostile"])
@pytest.mark.parametrize("width", [900, 1600])
def test_nothing_is_wider_than_the_window(visit, html_of, width, name):
    page = visit(html_of(name), width=width)
    for view in views(page):
        page.click(f"#tab-{view}")
        page.wait_for_selector(f"#view[data-view={view}]")
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.screenshot(path=PICTURES / f"{name}-{width}-{view}.png")


def test_what_can_be_pressed_has_a_name_and_can_be_reached(visit, html_of):
    page = visit(html_of("shapes"))
    for view in views(page):
        page.click(f"#tab-{view}")
        page.wait_for_selector(f"#view[data-view={view}]")
        nameless = page.evaluate(NAMELESS)
        assert nameless == [], view
