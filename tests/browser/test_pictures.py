"""The flame graph, the source and the comparison: used by mouse and by keyboard, with the numbers
of Stats, and with names that are text."""

import pstats
import re

import pytest
from playwright.sync_api import expect

import tracer
from launch import traced
from serving import PICTURES
from tracer.analysis.tree.call_tree import paths_of
from tracer.page.document import html_of as page_of
from tracer.page.document import shown

STATUS = ".flame-status"
CHART = ".flame-chart canvas"


def walked(page, *keys):
    for key in keys:
        page.keyboard.press(key)
    return page.locator(STATUS).inner_text()


def place_of(page, level):
    """A place in a level's leftmost box, in the window."""
    page.rest()  # until the canvas has its size
    box = page.locator(CHART).bounding_box()
    return box["x"] + 30, box["y"] + 20 * level + 10


@pytest.fixture
def compared(profiles, tmp_path):
    """The address of a page that compares two runs."""

    def make(before, after):
        sides = [
            shown(tracer.Stats(profiles[name], names="qualname"), name) for name in (before, after)
        ]
        out = tmp_path / "compared.html"
        out.write_bytes(b"".join(page_of(sides, f"{before}, {after}")))
        return out.as_uri()

    return make


# -- Flame graph -----------------------------------------------------------------------------


def test_boxes_have_the_figures_of_the_paths(visit, html_of, profiles):
    page = visit(html_of("shapes"), "view=flame&metric=calls")
    tree = paths_of(tracer.Stats(profiles["shapes"])).merged()
    calls = f"{sum(tree.calls):,} calls"
    assert calls in walked(page, "ArrowDown")
    page.keyboard.press("i")
    assert calls in walked(page, "ArrowDown")


def test_a_click_zooms_and_back_goes_back(visit, html_of):
    page = visit(html_of("shapes"), "view=flame")
    page.mouse.click(*place_of(page, 1))
    page.until(lambda: "at" in page.state)
    assert "<module>" in page.locator(STATUS).inner_text()
    assert "row" in page.state
    page.go_back()
    page.until(lambda: "at" not in page.state)


def test_boxes_are_walked_by_keys_and_read_aloud(visit, html_of):
    page = visit(html_of("shapes"), "view=flame&metric=calls")
    assert page.locator(STATUS).get_attribute("aria-live") == "polite"
    assert walked(page, "ArrowDown").startswith("All")
    first = walked(page, "ArrowDown")
    assert "level 1" in first
    assert "level 2" in walked(page, "ArrowDown")
    assert walked(page, "ArrowUp") == first
    assert walked(page, "ArrowRight") != first
    assert walked(page, "ArrowLeft") == first
    page.keyboard.press("Enter")
    assert "at" in page.state
    page.keyboard.press("Escape")
    assert "at" not in page.state


def test_what_was_seen_is_in_the_address(visit, html_of):
    page = visit(html_of("shapes"), "view=flame")
    page.mouse.move(*place_of(page, 5))
    page.mouse.wheel(0, -300)
    page.until(lambda: "zoom" in page.state)
    walked(page, "i", "v", "h", "p")
    seen = page.address
    assert {"inverted", "up", "fold", "colour"} <= page.state.keys()
    address, _, hash = seen.partition("#")
    again = visit(address, hash)
    assert again.address == seen
    assert again.locator(".segment[aria-pressed=true]:has-text('Callers')").count() == 1


def test_folding_keeps_the_time(visit, html_of):
    page = visit(html_of("shapes"), "view=flame")
    whole = walked(page, "ArrowDown")
    for keys in (["h"], ["l"], ["h"]):
        walked(page, *keys)
        assert walked(page, "ArrowDown") == whole


def test_a_search_tells_its_share(visit, html_of):
    page = visit(html_of("shapes"), "view=flame&metric=calls&search=recurse")
    told = page.locator(".flame-hits").inner_text()
    assert re.search(r"\d+\.\d%\s+found: [\d,]+ calls in 1 function, [\d,]+ boxes", told)
    assert "recurse" in walked(page, "n")
    page.page.screenshot(path=PICTURES / "flame-search.png")
    page.keyboard.press("/")
    page.keyboard.type("nothing is called so")
    assert "Nothing" in page.locator(".flame-hits").inner_text()


def test_a_list_leads_to_the_other_views(visit, html_of):
    page = visit(html_of("shapes"), "view=flame&search=Shape.area")
    walked(page, "n", "a")
    menu = page.locator("[role=menu]")
    assert menu.get_attribute("aria-label").endswith("Shape.area")
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    page.keyboard.press("a")
    menu.locator("text=Open source").click()
    page.wait_for_selector("#view[data-view=source]")
    assert page.state["row"].endswith("Shape.area")
    page.go_back()
    page.wait_for_selector("#view[data-view=flame]")
    page.mouse.click(*place_of(page, 1), button="right")
    menu.locator("text=butterfly").click()
    page.wait_for_selector("#view[data-view=butterfly]")


def test_a_tooltip_has_exact_figures_and_the_path(visit, html_of):
    page = visit(html_of("shapes"), "view=flame&metric=calls")  # there is a wide box of level 2
    page.mouse.move(*place_of(page, 2))
    x, y = place_of(page, 2)
    page.mouse.move(x + 2, y + 2)
    expect(page.locator(".tip")).to_be_visible()
    told = page.locator(".tip").inner_text()
    assert re.search(r"[\d,]+ ns", told)
    assert "Calls" in told
    assert "called by way of" in told


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_in_light_and_dark(visit, html_of, theme):
    page = visit(html_of("shapes"), "view=flame", theme=theme)
    page.rest()
    corner = page.evaluate(
        f"""() => {{
            const canvas = document.querySelector("{CHART}");
            const {{ width, height }} = canvas;
            return [...canvas.getContext("2d").getImageData(width - 20, height - 2, 1, 1).data];
        }}"""
    )
    assert (sum(corner[:3]) < 200) == (theme == "dark")


# -- Source ----------------------------------------------------------------------------------


def test_source_has_the_figures_of_its_functions(visit, html_of, profiles):
    page = visit(html_of("shapes"), "view=source&row=shapes.recurse")
    stats = tracer.Stats(profiles["shapes"], names="qualname").stats
    [calls] = [row[1] for (_, _, name), row in stats.items() if name == "recurse"]
    lens = page.locator(".lens[aria-selected=true]")
    assert f"{calls:,} calls" in lens.inner_text()
    assert "def recurse" in page.locator(".code").inner_text()
    page.locator(".source-links").get_by_text("work", exact=True).first.click()
    assert page.state["row"] == "shapes.work"


def test_source_is_walked_by_keys(visit, html_of):
    page = visit(html_of("shapes"), "view=source")
    walked_to = [None]
    for key in ("n", "ArrowDown", "ArrowDown", "PageDown"):
        page.keyboard.press(key)
        walked_to.append(page.state["line"])
        assert walked_to[-1] != walked_to[-2]
        assert page.locator(".code-line[aria-selected=true]").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector("#view[data-view=butterfly]")


def test_hostile_source_is_text(visit, html_of):
    page = visit(html_of("hostile"), "view=source")
    assert "</script><img src=x onerror=\"alert('source')\">" in page.locator(".code").inner_text()
    for option in page.locator("select.wide option").all():
        page.select_option("select.wide", option.get_attribute("value"))
    assert page.locator("#view img").count() == 0


def test_hostile_names_in_pictures_are_text(visit, html_of):
    page = visit(html_of("hostile"), "view=flame&metric=calls&search=alert(1)")
    assert "</script><img src=x onerror=alert(1)>" in walked(page, "n")
    page.keyboard.press("a")
    page.locator("[role=menu] >> text=Find its other boxes").click()
    assert page.locator("#view img, .tip img, [role=menu] img").count() == 0


# -- Compare ---------------------------------------------------------------------------------


def test_a_profile_beside_itself_has_not_changed(visit, compared):
    page = visit(compared("shapes", "shapes"), "view=compare")
    assert "the same" in page.locator(".compare-sum").inner_text()
    assert page.get_by_label("Thread", exact=True).is_disabled()  # a comparison is of all threads
    for name in ("Changed", "New", "Gone"):
        assert page.locator(f".segment:has-text('{name} 0')").count() == 1
    page.click(".segment:has-text('Changed')")
    assert page.locator(".empty:visible").count() == 1


def test_each_view_says_which_of_the_two_it_is_of(visit, compared):
    page = visit(compared("shapes", "hostile"), "view=compare")
    name = page.locator(".brand h1")
    assert name.inner_text() == "shapes, hostile"
    page.keyboard.press("t")
    page.wait_for_selector("#view[data-view=table]")
    assert name.inner_text() == "shapes → hostile"
    assert name.locator("small").inner_text().strip() == "→ hostile"
    assert "This view is of shapes alone" in name.get_attribute("data-tip")


def test_profiles_of_two_profilers_are_compared_and_that_is_told(visit, profiles, tmp_path):
    """The names of both are those of pstats, and the row of unkept paths is no function."""
    recorded = tracer.Stats(profiles["shapes"])
    pstats.Stats(str(profiles["shapes"])).dump_stats(tmp_path / "plain.out")
    pair = tracer.Stats(tmp_path / "plain.out"), recorded
    out = tmp_path / "compared.html"
    out.write_bytes(b"".join(page_of([shown(it, pair=pair) for it in pair], "both")))
    page = visit(out.as_uri(), "view=compare")
    summary = page.locator(".compare-sum").inner_text()
    assert "The two were recorded differently: by different profilers." in summary
    assert f"{len(recorded.stats)} functions" in summary
    for name in ("New", "Gone"):
        assert page.locator(f".segment:has-text('{name} 0')").count() == 1


def test_what_is_new_and_what_is_gone_is_told(visit, compared, profiles):
    page = visit(compared("shapes", "hostile"), "view=compare")
    counted = {}
    for name in ("New", "Gone"):
        text = page.locator(f".segment:has-text('{name}')").inner_text()
        counted[name] = int(text.split()[1])
    sides = [
        {row.name for row in paths_of(tracer.Stats(profiles[name])).rows}
        for name in ("shapes", "hostile")
    ]
    assert counted["Gone"] >= len(sides[0] - sides[1]) > 0
    assert counted["New"] >= len(sides[1] - sides[0]) > 0
    page.click(".segment:has-text('Gone')")
    page.keyboard.press("/")
    page.keyboard.type("recurse")
    page.keyboard.press("Enter")
    page.wait_for_selector(".row:visible .change-status.gone")
    page.click(".head button:has-text('ratio') >> nth=0")
    assert page.state["sort"] == "-tottime.ratio"


def test_the_rows_of_a_comparison_are_walked_by_keys(visit, compared):
    page = visit(compared("shapes", "shapes"), "view=compare")
    selected = page.locator(".grid .row:visible[aria-selected=true] .fn")

    def name_at(*keys):
        for key in keys:
            page.keyboard.press(key)
        return selected.inner_text(), page.state["row"]

    first = name_at("ArrowDown")
    second = name_at("ArrowDown")
    last = name_at("End")
    assert len({first, second, last}) == 3
    assert name_at("ArrowDown") == name_at("PageDown") == last
    assert name_at("PageUp") != last
    assert name_at("Home") == name_at("ArrowUp") == name_at("PageUp") == first
    page.locator(".grid .row:visible", has_text=second[0]).first.click()
    assert selected.inner_text() == second[0]
    name_at("Home")
    page.keyboard.press("Enter")
    page.wait_for_selector("#view[data-view=butterfly]")
    assert page.locator(".focus h2").inner_text() == first[0]


def test_a_comparison_is_sorted_by_name(visit, compared):
    page = visit(compared("shapes", "shapes"), "view=compare&sort=name")
    script = """() => [...document.querySelectorAll(".grid .row")].filter((row) => !row.hidden)
      .sort((a, b) => a.getAttribute("aria-rowindex") - b.getAttribute("aria-rowindex"))
      .map((row) => row.querySelector(".fn").dataset.tip.split("\\n")[0])"""
    labels = page.evaluate(script)
    assert len(labels) > 10
    assert labels == sorted(labels)


def test_the_boxes_of_a_comparison_lead_to_the_other_views(visit, compared):
    page = visit(compared("shapes", "hostile"), "view=compare&mode=flame")
    page.wait_for_selector(CHART)
    pictures = [page.picture()]
    for label in ("Before", "After", "Calls"):
        page.click(f".segment:has-text('{label}')")
        pictures.append(page.picture())
    assert len(set(pictures)) == 4
    assert (page.state["width"], page.state["metric"]) == ("after", "calls")
    page.keyboard.press("m")
    assert "metric" not in page.state
    page.click(".segment:has-text('Before')")
    walked(page, "ArrowDown", "ArrowDown")
    name = page.locator(f"{STATUS} .fn").inner_text()
    page.keyboard.press("a")
    page.locator("[role=menu] >> text=Open before in butterfly").click()
    page.wait_for_selector("#view[data-view=butterfly]")
    assert page.locator(".focus h2").inner_text() in name


def test_the_differential_flame_graph_is_walked_too(visit, compared):
    page = visit(compared("shapes", "shapes"), "view=compare")
    page.keyboard.press("g")
    assert "\N{MULTIPLICATION SIGN}" not in walked(page, "ArrowDown", "ArrowDown")
    page.mouse.click(*place_of(page, 1))
    page.until(lambda: "at" in page.state)
    page.keyboard.press("g")
    page.wait_for_selector(".grid.compared")


def test_a_comparison_is_listed_by_package(visit, compared):
    page = visit(compared("shapes", "hostile"), "view=compare")
    page.click(".segment:text-is('Packages')")
    page.until(lambda: page.state.get("by") == "package")
    names = page.locator(".row:visible .name .fn")
    assert {"json", "threading", "built in"} <= set(names.all_inner_texts())
    names.locator("text=threading").click()
    page.until(lambda: "by" not in page.state)
    expect(page.locator(".row:visible").first).to_be_visible()
    where = page.locator(".row:visible .where").all_inner_texts()
    assert where and set(where) == {"threading"}


def test_a_comparison_is_listed_by_line(visit, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("def work(times):\n    for _ in range(times):\n        pass\n\nwork(9)\n")
    for name in ("before", "after"):
        assert traced("--lines", "-o", f"{name}.out", program, cwd=tmp_path).returncode == 0
        program.write_text("# moved\n" + program.read_text().replace("work(9)", "work(99)"))
    words = ["html", "--compare", "-o", "c.html", "before.out", "after.out"]
    assert traced(*words, cwd=tmp_path).returncode == 0
    page = visit((tmp_path / "c.html").as_uri(), "view=compare")
    page.click(".segment:text-is('Lines')")
    row = page.locator(".row:visible", has=page.locator(".fn:text-is('pass')"))
    hits = [cell.inner_text() for cell in row.locator(".figure").all()[-4:]]
    assert hits == ["9", "99", "+90", "\N{MULTIPLICATION SIGN}11.0"]
    assert page.locator(".row:visible .change-status.new").count() == 1
    row.click()
    page.wait_for_selector("#view[data-view=source]")
    assert page.state["line"] == "3"


def test_what_changed_beyond_noise_leads_a_comparison(visit, tmp_path):
    """All functions vary by 4%, 40 ms of the long one; the short one has 80 ms more. Noise is 1% of
    the later run's 3.21 s."""

    def run(slower):
        clock = type("Clock", (), {"now": 0, "__call__": lambda self: self.now})()
        times = [1000, 200, 300, 400, 500, 600, 10]
        steps = [time * (100 + slower) // 100 for time in times[:-1]] + [10 + 80 * bool(slower)]
        source = "".join(f"def f{at}():\n    clock.now += {s}\n" for at, s in enumerate(steps))
        source += "def main():\n" + "".join(f"    f{at}()\n" for at in range(len(steps)))
        space = {"clock": clock}
        exec(compile(source, "/home/me/app.py", "exec"), space)
        profile = tracer.Profile(clock, 1e-3, builtins=False, threads=False)
        profile.record_call(space["main"])
        profile.disable()
        return tracer.Stats(profile, names="qualname")

    out, pair = tmp_path / "compared.html", (run(0), run(4))
    out.write_bytes(b"".join(page_of([shown(it, pair=pair) for it in pair], "a title")))
    page = visit(out.as_uri(), "view=compare")
    names = page.locator(".row:visible .name .fn").all_inner_texts()
    assert names[:2] == ["f6", "f0"]
    assert "noise ±32.1 ms" in page.locator(".compare-sum").inner_text()


def test_the_calls_of_a_comparison_are_in_sight_in_a_narrow_window(visit, compared):
    page = visit(compared("shapes", "hostile"), "view=compare", width=900)
    cells = page.locator(".row:visible").first.locator(".figure").all()
    shown = [cell for cell in cells if cell.is_visible()]
    assert len(shown) == 6
    assert all(box["x"] + box["width"] <= 900 for box in (cell.bounding_box() for cell in shown))


def test_a_comparison_fits_the_window(visit, compared):
    page = visit(compared("shapes", "hostile"), "view=compare", width=900)
    for mode in ("table", "flame graph"):
        assert page.evaluate("document.documentElement.scrollWidth") == 900, mode
        page.keyboard.press("g")


def test_one_profile_has_nothing_to_compare(visit, html_of):
    page = visit(html_of("shapes"))
    assert page.locator("#tab-compare").count() == 0
