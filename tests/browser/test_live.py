"""A program that runs is followed by its page: it refreshes, can be paused, saved, and ends."""

import signal
import textwrap
from contextlib import ExitStack
from pathlib import Path

import pytest

import tracer
from launch import write
from serving import PATIENCE, viewed

PROGRAM = """
import time
def leaf(): pass
def step(): leaf(); time.sleep(0.01)
while True: step()
"""


@pytest.fixture
def program(tmp_path):
    return write(tmp_path / "program.py", PROGRAM)


# Tests name `running` before `visit`, since pytest ends first what is named last: a page that is
# open when its program ends would report an error.
@pytest.fixture
def running(program):
    verb = "--live", "--table"
    with viewed(program.name, cwd=program.parent, verb=verb, stream="stderr") as found:
        yield found


# The exact number of calls in the row of leaf(), from the figure's tooltip.
CALLS = """() => {
  const rows = [...document.querySelectorAll(".grid .row:not([hidden])")];
  const row = rows.find((row) => row.querySelector(".fn").textContent === "leaf");
  return row ? Number(row.querySelector(".figure").dataset.tip.replaceAll(",", "")) : 0;
}"""


def calls(page):
    """How often leaf() was called, as the table has it now."""
    return page.evaluate(CALLS)


def test_page_follows_the_program(running, visit):
    page = visit(running[0], "view=table")
    live = page.locator(".live")
    assert "running" in live.inner_text()
    first = calls(page)
    page.until(lambda: calls(page) > first + 50)
    page.keyboard.press("P")
    assert "paused" in live.inner_text()
    still = calls(page)
    page.wait_for_timeout(3000)
    assert calls(page) == still
    page.click(".live button")
    page.until(lambda: calls(page) > still)


def test_capture_is_saved(running, visit, tmp_path):
    page = visit(running[0], "view=table")
    page.until(lambda: calls(page) > 0)
    for press in (lambda: page.keyboard.press("S"), lambda: page.click(".live [aria-label^=Save]")):
        with page.expect_download() as download:
            press()
        assert download.value.suggested_filename == "profile.out"
        stats = tracer.Stats(download.value.path())
        assert not stats.problems
        [capture] = stats.captures
        assert capture.run.command == ("program.py",)
        assert list(capture.sources) == [str(tmp_path / "program.py")]
        assert next(row[1] for label, row in stats.stats.items() if label[2] == "leaf") > 0
        assert [thread.name for thread in capture.threads] == ["MainThread"]


def test_page_shows_the_end(running, visit):
    url, process = running
    page = visit(url, "view=table")
    page.wait_for_selector(".live:has-text('running')")
    page.until(lambda: calls(page) > 0)  # before that, the program's own code may not run yet
    process.send_signal(signal.SIGINT)
    page.wait_for_selector(".live:has-text('ended')")
    assert page.locator(".live button:visible").count() == 0
    stdout, stderr = process.communicate(timeout=PATIENCE)
    [row] = [line for line in stdout.decode().splitlines() if line.endswith("(leaf)")]
    assert calls(page) == int(row.split()[0])  # all of them: the last are on the page, too
    assert b"KeyboardInterrupt" in stderr
    assert process.returncode == -signal.SIGINT


def test_where_one_was_is_kept(running, visit):
    page = visit(running[0], "view=table")
    page.until(lambda: calls(page) > 0)  # there may be no row before
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    address = page.address
    page.focus(".grid")
    first = calls(page)
    page.until(lambda: calls(page) > first + 50)
    assert page.address == address
    assert page.evaluate("document.activeElement.className") == "grid"
    assert page.locator(".row[aria-selected=true]").count() == 1


# The page now and then makes the name of a row, and the icon in the button that pauses, anew.
@pytest.mark.parametrize("place", [".row .fn", ".live button svg"])
def test_a_click_that_takes_its_time_is_none_the_less_one(running, visit, place):
    page = visit(running[0], "view=table&search=leaf")
    page.until(lambda: calls(page) > 0)
    page.hover(place)
    with page.expect_response("**/next"):
        page.mouse.down()
    page.wait_for_timeout(1000)
    page.mouse.up()
    if place.startswith(".row"):
        page.wait_for_selector("#view[data-view=butterfly]")
    else:
        page.wait_for_selector(".live:has-text('paused')")
        page.click(".live button")
    with page.expect_response("**/next"):  # the page goes on
        pass


def test_two_look_at_once(running, visit):
    one, other = visit(running[0], "view=table"), visit(running[0], "view=table")
    first = max(calls(one), calls(other))
    one.until(lambda: calls(one) > first + 100)
    other.until(lambda: calls(other) > first + 100)
    one.until(lambda: abs(calls(one) - calls(other)) < 200)


# Some functions are of a library, some of a file that is not there.
LIBRARY = PROGRAM.replace(
    "while True:",
    "import textwrap\nexec(compile('def lost(): pass', '/no/such/place.py', 'exec'))\n"
    "while True: textwrap.dedent(' a'); lost();",
)


@pytest.fixture
def live_with(tmp_path):
    """live_with(*options): the address of the page of LIBRARY, and its process."""
    with ExitStack() as opened:

        def run(*options):
            program = write(tmp_path / "library.py", LIBRARY)
            words = (*options, program.name)
            verb = "--live", "--table"
            found = viewed(*words, cwd=tmp_path, verb=verb, stream="stderr")
            return opened.enter_context(found)

        yield run


def chosen(page, file):
    """Choose a file once the profile has it."""
    page.wait_for_selector(f"select[aria-label=File] option[value='{file}']", state="attached")
    page.select_option("select[aria-label=File]", str(file))


def test_the_source_of_a_library_is_shown_when_it_is_opened(live_with, visit):
    library = Path(textwrap.__file__)
    url, process = live_with()
    page = visit(url, "view=source")
    asked = []
    page.route("**/source/*", lambda route: asked.append(route))
    chosen(page, library)
    page.wait_for_selector(".empty h2:text-is('Reading the source …')")
    assert page.locator(".lens:has-text('dedent')").count() == 1
    page.until(lambda: asked)
    asked[0].continue_()
    shown = page.locator(".code-line code")
    shown.first.wait_for()
    lines = [line.replace("\u200b", "") for line in shown.all_text_contents()]
    assert lines == library.read_text().splitlines()
    assert page.locator(".source-note").is_hidden()
    with page.expect_response("**/next"):
        pass
    with page.expect_response("**/next"):
        pass
    assert page.locator("optgroup[label='With their source'] option").count() == 2
    assert page.locator(".code-line").count() == len(lines)
    assert len(asked) == 1
    process.send_signal(signal.SIGINT)
    page.wait_for_selector(".live:has-text('ended')")
    assert page.locator(".code-line").count() == len(lines)


def test_where_there_is_no_source_the_page_of_a_program_says_why(live_with, visit):
    page = visit(live_with()[0], "view=source")
    chosen(page, "/no/such/place.py")
    page.wait_for_selector(".empty:has-text('no text of Python')")
    assert page.locator(".empty:has-text('--sources')").count() == 0
    assert page.locator(".lens:has-text('lost')").count() == 1


def test_a_page_without_sources_says_so(live_with, visit):
    page = visit(live_with("--no-source")[0], "view=source")
    chosen(page, textwrap.__file__)
    page.wait_for_selector(".empty:has-text('The program runs with --no-source')")
    assert not [url for url in page.asked if "/source/" in url]
