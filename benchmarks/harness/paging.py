"""Pages for Chromium: made by the command, opened from their files, moved frame by frame.

Headless Chromium works without the help of a graphics card. The scripts say what they measure.
"""

import os
import shutil
from contextlib import contextmanager

from harness.commands import measured
from harness.report import complain

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT = 1400, 900
PATIENCE = 120_000  # milliseconds until a page that is not ready counts as failed


def make_page(profile, out):
    """Seconds and MiB that `tracer html` takes, in a process of its own."""
    taken = measured("html", str(profile), "-o", str(out))
    return taken["seconds"], taken["MiB"]


@contextmanager
def chromium(target):
    """Chromium, as playwright drives it. Ends the script where either is missing; `target` of the
    Makefile has both."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        complain(f"there is no playwright here: run it by `make {target}`")
        raise SystemExit(2) from None
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        complain("there is no Chromium: tests/tools/need.sh chromium installs it")
        raise SystemExit(2)
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []  # for root Chromium has no sandbox
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


def opened(browser, page, state, ready, first=None):
    """A tab with the page of a file in this state, once the selector `ready` is there. `first`: a
    script that runs before those of the page."""
    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    tab.set_default_timeout(PATIENCE)
    tab.on("pageerror", lambda error: complain(f"the page failed: {error}"))
    if first is not None:
        tab.add_init_script(first)
    tab.goto(f"{page.as_uri()}#{state}")
    tab.wait_for_selector(ready)
    return tab


# Moves an element in each frame: there, back again, and both once more. Returns the milliseconds of
# each frame.
MOVE = """([selector, kind, frames]) => new Promise((resolve) => {
    const element = document.querySelector(selector);
    const { left, top, width, height } = element.getBoundingClientRect();
    const place = { clientX: left + width * 0.4, clientY: top + height / 2, bubbles: true };
    const times = [];
    let last = performance.now();
    const step = (now) => {
        times.push(now - last);
        last = now;
        if (times.length > frames) {
            resolve(times.slice(1));
            return;
        }
        const way = times.length % (frames / 2) < frames / 4 ? -1 : 1;
        if (kind === "scroll") {
            element.scrollTop += 700;
        } else {
            const delta = { deltaX: 0, deltaY: 0 };
            delta[kind === "zoom" ? "deltaY" : "deltaX"] = 60 * way;
            const init = { ...place, ...delta, cancelable: true };
            element.dispatchEvent(new WheelEvent("wheel", init));
        }
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""


def moved(tab, selector, kind, frames):
    """Milliseconds of each frame of a zoom, a pan or a scroll of the element."""
    tab.wait_for_timeout(500)
    return tab.evaluate(MOVE, [selector, kind, frames])


def at_share(times, share):
    """The time that this share of the times is below."""
    return sorted(times)[int(len(times) * share)]
