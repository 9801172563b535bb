"""Chromium, and the pages that are looked at in it: opened from a file, and served.

A visit fails when its page reports an error, or requests anything but itself. A picture of the page
at the end is kept in build/browser/.
"""

import os
import re
import sys
import time
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "python" / "helpers"))

from counting import Counter  # noqa: E402
from launch import traced  # noqa: E402
from serving import PATIENCE, PICTURES, chromium_in  # noqa: E402
from timed import timed_page  # noqa: E402

pytest_plugins = ["once_more", "workers"]
COUNTED = os.environ.get("TRACER_PAGE_COVERAGE")  # a folder for V8's counts, of `make coverage`

expect.set_options(timeout=1000 * PATIENCE)
# Waits until a movement has ended and its last frame is drawn, which the page requested before.
# Half a second is for what a page does later by itself. A chart that moves says so.
RESTED = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await new Promise((done) => setTimeout(done, 500));
  do {
    await frame();
    await frame();
  } while (document.querySelector("[aria-busy=true]"));
}"""


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = chromium_in(playwright)
        yield browser
        browser.close()


class Visit:
    """A page that was opened, and what went wrong on it."""

    def __init__(self, page, url):
        self.page, self.url = page, url
        self.problems = []
        self.foreseen = None  # problems with this text are expected
        self.asked = []
        page.on("console", self.heard)
        page.on("pageerror", lambda error: self.problems.append(f"uncaught: {error}"))
        page.on("dialog", self.interrupted)
        page.on("request", lambda request: self.asked.append(request.url))
        page.context.route("**/*", self.routed)

    def heard(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def interrupted(self, dialog):
        self.problems.append(f"a dialog says {dialog.message!r}")
        dialog.dismiss()

    def routed(self, route):
        url = route.request.url
        if url.startswith(self.url.split("#")[0]):
            route.continue_()
        else:
            self.problems.append(f"asked for {url}")
            route.abort()

    def open(self, state=""):
        self.page.goto(self.url + (f"#{state}" if state else ""))
        self.page.wait_for_selector("html[data-ready]")

    @property
    def address(self):
        """The address that the page has now; Playwright learns of it for page.url a while later."""
        return self.page.evaluate("location.href")

    @property
    def state(self):
        """The page's state, which is the part of the address behind #."""
        return dict(parse_qsl(self.address.partition("#")[2]))

    def until(self, holds):
        """Wait until `holds()` is true."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, "it does not come to pass"
            self.page.wait_for_timeout(50)

    def rest(self):
        """Wait until nothing moves any more."""
        self.page.evaluate(RESTED)

    def picture(self, canvas=".flame-chart canvas"):
        """What is drawn on the canvas, without elements that may lie above it."""
        self.rest()
        return self.page.locator(canvas).evaluate("(canvas) => canvas.toDataURL()")

    def unforeseen(self):
        return [text for text in self.problems if not (self.foreseen and self.foreseen in text)]

    def __getattr__(self, name):
        return getattr(self.page, name)


@pytest.fixture
def visit(chromium, request):
    """visit(url, state="", **options of the browser's context): a Visit."""
    visits, counters = [], []

    def open_page(url, state="", *, width=1280, height=800, theme="light", **options):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, **options
        )
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        counters.append(Counter(page) if COUNTED else None)
        visit = Visit(page, url)
        visits.append(visit)
        visit.open(state)
        return visit

    yield open_page
    name = re.sub(r"[^\w.-]+", "-", request.node.name)[:80].strip("-")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for number, visit in enumerate(visits):
        place = f"{name}{f'-{number}' if number else ''}.png"
        visit.page.screenshot(path=PICTURES / place)
        if counters[number] is not None:
            counters[number].keep(COUNTED, f"{name}-{number}")
        visit.page.context.close()
    assert [problem for visit in visits for problem in visit.unforeseen()] == []


@pytest.fixture(scope="session")
def profiles(tmp_path_factory):
    """{name: path} of profiles, each of a program of programs/."""
    folder = tmp_path_factory.mktemp("profiles")
    found = {}
    for program in sorted((Path(__file__).parent / "programs").glob("*.py")):
        out = folder / f"{program.stem}.out"
        ended = traced("-o", out, program)
        assert ended.returncode == 0, ended.stderr.decode()
        found[program.stem] = out
    return found


@pytest.fixture(scope="session")
def html_of(profiles, tmp_path_factory):
    """html_of(name, ...): the address of a file that is the page of these profiles."""
    folder = tmp_path_factory.mktemp("pages")

    def make(*names, flags=()):
        out = folder / f"{'-'.join([*names, *(flag.strip('-') for flag in flags)])}.html"
        if not out.exists():
            files = [profiles[name] for name in names]
            ended = traced("html", *flags, "-o", out, *files)
            said = ended.stderr.decode()
            assert ended.returncode == 0, said
            # Two programs are compared on purpose, and the command remarks on that.
            assert not said or (len(set(names)) > 1 and " are two modules, " in said), said
        return out.as_uri()

    return make


@pytest.fixture(scope="session")
def timed_run(tmp_path_factory):
    """The address of the page of the run of timed.py."""
    return timed_page(tmp_path_factory.mktemp("timed") / "timed.html")


@pytest.fixture
def timeline(visit, timed_run):
    """timeline(state=""): that page at its timeline."""

    def look(state="", **options):
        page = visit(timed_run, f"view=timeline{state}", **options)
        page.wait_for_selector("[data-timeline]")
        page.rest()
        return page

    return look
