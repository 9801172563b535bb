"""The live objects of a program that runs: what grows comes first, a click says who holds it."""

import re
import time

import pytest

from launch import write
from serving import PICTURES, viewed

PROGRAM = """
import os
import time

class Order:
    def __init__(self, number):
        self.number = number

class Service:
    def __init__(self):
        self.seen = []

service = Service()

def take(number):
    service.seen.append(Order(number))

number = 0
while not os.path.exists("over"):
    number += 1
    take(number)
    time.sleep(0.001)
"""


def row(name):
    """The row of the type of this name."""
    return f".obj-row:has(.fn:text-is('{name}'))"


ORDER = row("__main__.Order")


# `running` before `visit`, as in test_live.py.
@pytest.fixture
def running(tmp_path):
    program = write(tmp_path / "program.py", PROGRAM)
    verb = "--live", "--table"
    with viewed(program.name, cwd=program.parent, verb=verb, stream="stderr") as found:
        yield found[0]


def place(page):
    """The place of the orders among the types, from 0; -1: there are none."""
    return page.evaluate(
        "[...document.querySelectorAll('.obj-row .fn')].findIndex("
        "(it) => it.textContent === '__main__.Order')"
    )


# The orders that there are, and how many more than at first, from the tooltips of one moment.
FIGURES = """() => {
  const rows = [...document.querySelectorAll(".obj-row")];
  const row = rows.find((row) => row.querySelector(".fn").textContent === "__main__.Order");
  const read = (cell) => Number((cell.dataset.tip || "0").replaceAll(",", "").replace("+", ""));
  return row ? [read(row.children[2]), read(row.children[3])] : [0, 0];
}"""


def figures(page):
    return page.evaluate(FIGURES)


def first(page):
    """How many orders there were when growth began to be told."""
    count, more = figures(page)
    return count - more


def test_what_grows_comes_first(running, visit):
    page = visit(running, "view=overview")
    page.keyboard.press("O")
    page.wait_for_selector("#view[data-view=objects]")
    page.keyboard.press("m")
    page.wait_for_selector("[data-value=count][aria-pressed=true]")
    page.wait_for_selector(ORDER)
    page.until(lambda: figures(page)[1] > 500)
    assert place(page) < 5  # all that a call keeps grows with the orders
    assert page.locator(f"{ORDER} polyline").count() == 1
    before = first(page)
    page.keyboard.press("x")
    page.until(lambda: first(page) > before + 500)


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 1280), ("light", 420)])
def test_a_click_says_who_holds_them(running, visit, theme, width):
    page = visit(running, "view=objects&search=order", theme=theme, width=width)
    page.wait_for_selector(ORDER)
    page.click(ORDER)
    page.wait_for_selector(".obj-holders li")
    holder = page.locator(".obj-holders li").first
    share, name = holder.locator("summary").inner_text().rsplit(maxsplit=1)
    assert re.fullmatch(r"(\d+) of \d+", share), share
    assert name == "__main__.service.seen[…]"
    holder.locator("summary").click()
    assert re.match("one of them: *0x", holder.locator(".obj-example").first.inner_text())
    expression = holder.locator(".obj-example").last.inner_text()
    place = re.fullmatch(r"__main__\.service\.seen(\[\d+\])", expression)[1]
    steps = holder.locator(".obj-steps li").all_inner_texts()
    assert steps[0] == "module __main__"
    assert [text.split() for text in steps[1:]] == [
        [".service", "__main__.Service"],
        [".seen", "list"],
        [place, "__main__.Order"],
    ]
    assert page.state["type"] == "__main__.Order"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=PICTURES / f"objects-{theme}-{width}.png")
    page.keyboard.press("Escape")
    page.wait_for_selector(".obj-alive", state="hidden")


def test_only_who_looks_has_the_program_count(running, visit):
    page = visit(running, "view=objects")
    page.wait_for_selector(".obj-row")
    page.keyboard.press("t")
    page.wait_for_selector("#view[data-view=table]")
    with page.expect_response("**/next"):
        page.asked.clear()
    with page.expect_response("**/next"):
        assert not [url for url in page.asked if "/objects/" in url]


def test_the_columns_have_names_of_their_own(running, visit):
    page = visit(running, "view=objects")
    page.wait_for_selector(".obj-row")
    names = page.locator(".obj-head span").all_inner_texts()
    assert names == ["type", "over time", "count", "+ count", "size", "+ size"]


def test_while_counting_rests_the_page_says_how_long(running, visit):
    page = visit(running, "view=overview")
    due = [time.monotonic() + 300]

    def resting(route):
        response = route.fetch()
        wait = max(0, due[0] - time.monotonic())
        route.fulfill(response=response, json={**response.json(), "wait": wait})

    page.route("**/objects/size/**", resting)
    page.keyboard.press("O")
    page.wait_for_selector(".obj-row")
    told = re.compile(r"Counts again in (\d+) seconds\.")

    def left():
        found = told.fullmatch(page.locator(".obj-rest").inner_text())
        return int(found[1]) if found else 999

    page.until(lambda: left() <= 300)
    before = left()
    page.until(lambda: left() <= before - 2)
    due[0] = 0
    page.until(lambda: left() == 999)


def test_once_the_program_has_ended_the_page_says_so(running, visit, tmp_path):
    page = visit(running, "view=objects&search=order")
    page.click(ORDER)
    page.wait_for_selector(".obj-holders li")
    assert page.locator(".obj-alive button:text-is('Look again')").is_enabled()
    (tmp_path / "over").touch()
    page.wait_for_selector(".obj-rest:text-is('The program has ended.')")
    assert page.locator(".obj-holders li").count() >= 1  # what was found stays
    for name in "Look again", "Begin anew":
        assert page.locator(f"button:text-is('{name}')").is_disabled()
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    page.locator(".obj-row").last.click()
    page.wait_for_selector(".obj-alive:visible")
    told = page.locator(".obj-alive:visible").inner_text()
    assert re.search("[Tt]he program (has )?ended", told)
    assert "no answer" not in told


def test_who_comes_back_to_a_row_that_waited_gets_an_answer(running, visit):
    page = visit(running, "view=overview")
    page.clock.install()
    waits = [38]

    def rested(route):
        if waits:
            route.fulfill(json={"objects": None, "wait": waits.pop()})
        else:
            route.continue_()

    page.route("**/alive/*", rested)
    page.keyboard.press("O")
    page.click(ORDER)
    page.wait_for_selector(".obj-alive:has-text('looks again in 38 seconds')")
    page.keyboard.press("t")
    page.wait_for_selector("#view[data-view=table]")
    page.clock.fast_forward(40_000)
    waits.append(17)
    page.keyboard.press("O")
    page.wait_for_selector(".obj-alive:has-text('looks again in 17 seconds')")
    assert page.state["type"] == "__main__.Order"
    page.clock.fast_forward(20_000)
    page.wait_for_selector(".obj-holders li")


def test_where_the_program_gives_no_answer_the_page_says_so(running, visit):
    page = visit(running, "view=objects")
    page.route("**/alive/*", lambda route: route.fulfill(status=204))
    page.click(ORDER)
    page.wait_for_selector(".obj-alive:has-text('The program gave no answer.')")
    page.unroute("**/alive/*")
    page.keyboard.press("t")
    page.wait_for_selector("#view[data-view=table]")
    page.keyboard.press("O")
    page.wait_for_selector(".obj-holders li")


LINKED = """
import os
import time

class Cart: pass
class Trace: pass
class Shelf:
    def __init__(self, traces):
        self.traces = traces
    def put(self):
        pass

def keep():
    cart = [Cart()]
    while not os.path.exists("over"):
        step()

def step():
    time.sleep(0.001)

step.shelf = Shelf([Trace()])
Box = type("Box", (), {})
step.put = Shelf([Box()]).put
step.put()
keep()
"""


@pytest.fixture
def linked(tmp_path):
    program = write(tmp_path / "linked.py", LINKED)
    with viewed(program.name, cwd=tmp_path, verb=("--live", "--table"), stream="stderr") as found:
        yield found[0]


def step_of(page, state, beginning):
    """Opens the holder of the only object of a type: the step of its path that begins so."""
    page.evaluate("(state) => { location.hash = state; }", f"view=objects&{state}")
    page.click(".obj-holders summary")
    return page.locator(f".obj-steps li:has-text('{beginning}')")


def test_a_path_leads_to_functions(linked, visit, tmp_path):
    page = visit(linked, "view=table")
    page.wait_for_selector(".row .fn:text-is('keep')")
    for kind, beginning, function, lines in [
        ("Cart", "variable cart of keep", "keep", ("15", "16")),
        ("Trace", ".step", "step", ("18",)),
        ("Box", ".put", "Shelf.put", ("10",)),
    ]:
        step = step_of(page, f"search=__main__&type=__main__.{kind}", beginning)
        assert re.search(rf"{function}, {tmp_path}/linked\.py:\d+$", step.inner_text())
        step.locator("button").click()
        page.wait_for_selector("#view[data-view=source]")
        assert page.state["line"] in lines
        assert page.state["file"] == str(tmp_path / "linked.py")


def test_a_path_leads_to_types(linked, visit):
    page = visit(linked, "view=table")
    state = "search=__main__&type=__main__.Trace"
    step = step_of(page, state, ".shelf")
    step.locator("button").click()
    page.wait_for_selector(f"{row('__main__.Shelf')}[aria-expanded=true]")
    assert page.state["search"] == "__main__"
    assert page.evaluate("document.activeElement.textContent").startswith("__main__.Shelf")
    page.wait_for_selector(".obj-holders li")
    page.go_back()
    page.wait_for_selector(f"{row('__main__.Trace')}[aria-expanded=true]")
    steps = page.locator(".obj-steps")
    assert steps.locator("button:text-is('__main__.Trace')").count() == 0  # one is there
    steps.locator("button:text-is('list')").click()
    page.wait_for_selector(f"{row('list')}[aria-expanded=true]")
    assert page.state["search"] == "list"
    page.wait_for_selector(".obj-holders li")


def test_an_answer_says_how_old_it_is(running, visit, tmp_path):
    page = visit(running, "view=overview")
    page.clock.install()
    page.keyboard.press("O")
    page.click(ORDER)
    page.wait_for_selector(".obj-holders li")
    age = page.locator(".obj-alive:visible > p").first

    def told(words):
        page.until(lambda: re.fullmatch(rf"Found {words}\. Look again", age.inner_text()))

    told("just now; the row counts on")
    page.clock.fast_forward(40_000)
    told(r"[45]\d seconds ago; the row counts on")
    page.clock.fast_forward(30_000)
    told("1 minute ago; the row counts on")
    page.click(".obj-alive button:text-is('Look again')")
    told("just now; the row counts on")
    (tmp_path / "over").touch()
    told(r"(just now|\d+ seconds ago), before the program ended")


# By how many pixels a row moves on the screen when it is clicked.
MOVED = """async (row) => {
  const before = row.getBoundingClientRect().top;
  row.click();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return row.getBoundingClientRect().top - before;
}"""


def test_a_row_that_is_clicked_stays_where_it_is(running, visit):
    page = visit(running, "view=overview")
    told = []

    def told_once(route):  # no row changes its place
        if not told:
            told.append(route.fetch().json())
        route.fulfill(json=told[0])

    page.route("**/objects/**", told_once)
    page.keyboard.press("O")
    rows = page.locator(".obj-row")
    rows.nth(3).click()
    page.wait_for_selector(".obj-alive button:text-is('Look again')")
    above, clicked, below = rows.nth(0), rows.nth(30), rows.nth(50)
    page.locator(".obj-inner").evaluate("(it) => { it.scrollTop = 800; }")
    assert abs(clicked.evaluate(MOVED)) < 1
    assert abs(clicked.evaluate(MOVED)) < 1  # closes it
    for row in (below, clicked, above):
        assert abs(row.evaluate(MOVED)) < 1


@pytest.fixture
def remembering(tmp_path):
    program = write(tmp_path / "program.py", PROGRAM)
    verb = "--live", "--memory", "--table"
    with viewed(program.name, cwd=program.parent, verb=verb, stream="stderr") as found:
        yield found[0]


def test_where_memory_is_recorded_a_click_says_who_allocated(remembering, visit):
    page = visit(remembering, "view=objects&search=order")
    page.wait_for_selector(ORDER)
    page.click(ORDER)
    page.wait_for_selector(".obj-origins li")
    rows = page.locator(".obj-origins li").all_inner_texts()
    assert re.fullmatch(r"[\d.,]+ \w+ [\d,]+ objects? take \S*program\.py:15", rows[0])
    page.screenshot(path=PICTURES / "objects-origins.png")
    page.click(".obj-origins li button")
    page.wait_for_selector("#view[data-view=source]")
    assert page.state["line"] == "15"


def test_memory_leads_to_who_holds_it(remembering, visit):
    page = visit(remembering, "view=memory&measure=live")
    for view in "memory", "overview":
        page.evaluate("(view) => { location.hash = view; }", view)
        page.wait_for_selector(f"#view[data-view={view}]")
        told = page.locator(".mem-holders")
        assert told.inner_text().strip() == "Who holds it: Objects"
        told.locator("button").click()
        page.wait_for_selector("#view[data-view=objects]")


FRACTIONS = """
import fractions, time
kept = []
while True:
    kept.append(fractions.Fraction(1, 3))
    time.sleep(0.001)
"""


@pytest.fixture
def fractions(tmp_path):
    program = write(tmp_path / "program.py", FRACTIONS)
    verb = "--live", "--memory", "--table"
    with viewed(program.name, cwd=tmp_path, verb=verb, stream="stderr") as found:
        yield found[0]


def test_where_a_library_allocated_a_click_shows_its_source(fractions, visit):
    page = visit(fractions, "view=objects&search=fraction")
    page.click(row("fractions.Fraction"))
    page.click(".obj-origins li button:has-text('__new__')")
    page.wait_for_selector(".code-line[aria-selected=true] code:has-text('def __new__')")
