"""The page: how large it is, how soon it is ready and how smoothly it moves. One page shows a
profile of 100,000 functions and 1,000,000 paths, another one that of a small program.

In the large profile, each function calls two others, so that no path is like another. `tracer html`
makes the page, in a process of its own. Headless Chromium opens the page from its file, without the
help of a graphics card.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from types import FunctionType

from harness.figures import middle
from harness.report import ROOT, Goal, complain, finish, need_tracer, number, parser, show, table

SMALL = ROOT / "benchmarks" / "programs" / "queens.py"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MODULES = 500
CHAIN = 25  # calls, at least, on a path after the last that branches
FRAMES = 120  # for which a movement is measured
FRAME = 1000 / 30  # milliseconds that a frame may take
WIDTH, HEIGHT = 1400, 900


def branching(depth, seed, functions):
    """The body of each function. It calls few others, as functions do: first all over the program,
    then near by."""
    seed = (seed * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
    choice = (seed >> 33) % 3
    if depth > 0:
        place = PLACE * 2654435761 + choice  # noqa: F821
        functions[place % len(functions)](depth - 1, seed, functions)
        functions[(place + 3) % len(functions)](depth - 1, ~seed, functions)
    elif depth > -CHAIN:
        functions[(PLACE + 1 + choice) % len(functions)](depth - 1, seed, functions)  # noqa: F821


def record(path, functions, nodes):
    """Save a profile of so many functions and about so many paths. Returns their exact numbers."""
    import tracer
    from tracer.analysis.call_tree import paths_of

    # Calls branch as long as CHAIN calls or more can follow on each path: as deep as in programs.
    depth = max((nodes // CHAIN).bit_length() - 1, 1)
    chain = nodes // 2**depth
    made = []
    for position in range(functions):
        name = f"function_{position}"
        code = branching.__code__.replace(
            co_name=name,
            co_qualname=f"Class{position % 7}.{name}",
            co_firstlineno=position // MODULES * 5 + 1,
            co_filename=f"/project/package_{position % 20}/module_{position % MODULES}.py",
        )
        made.append(FunctionType(code, {"CHAIN": chain, "PLACE": position}, name))
    profile = tracer.Profile(threads=False, builtins=False)
    profile.runcall(made[0], depth, 12345, made)
    profile.dump_stats(path)
    paths = paths_of(tracer.Stats(profile))
    return len(paths.rows), sum(map(len, paths.trees))


def make_page(profile, out):
    """Seconds and MiB that `tracer html` takes."""
    words = [sys.executable, "-m", "tracer", "html", str(profile), "-o", str(out)]
    began = perf_counter()
    child = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"tracer html ended with status {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss * unit / 2**20


def bytes_of_paths(profile, page):
    """The bytes of paths and figures in the page: its size, less the size of a page without them
    that has the same script, names and sources."""
    import tracer
    from tracer.analysis.call_tree import Paths
    from tracer.page.document import html_of, shown

    whole = shown(tracer.Stats(str(profile), names="qualname"))
    without = whole._replace(paths=Paths(whole.paths.rows, (), whole.paths.rule))
    return page.stat().st_size - sum(map(len, html_of([without], profile.name)))


# Marks the moment when the first frame with the view is on the screen. This script runs within the
# page: the program that drives the browser learns of the view 100 ms later, even of an empty page.
WATCH = """new MutationObserver((_, observer) => {
    if (document.documentElement.hasAttribute("data-ready")) {
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("drawn")));
    }
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] })"""

# Returns the milliseconds from the navigation to the view, and to the first frame with it.
READY = """() => new Promise((resolve) => {
    const [ready] = performance.getEntriesByName("tracer-ready");
    const look = () => {
        const [drawn] = performance.getEntriesByName("drawn");
        drawn ? resolve([ready.startTime, drawn.startTime]) : requestAnimationFrame(look);
    };
    look();
})"""

# Moves an element in each frame. Returns the milliseconds that each frame took.
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
        const way = times.length % 60 < 30 ? -1 : 1; // there and back again
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


def opened(browser, page, state):
    """A tab with the page, and (ready, drawn) in milliseconds."""
    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    tab.set_default_timeout(120_000)
    tab.on("pageerror", lambda error: complain(f"the page failed: {error}"))
    tab.add_init_script(WATCH)
    tab.goto(f"{page.as_uri()}#{state}")
    tab.wait_for_selector("html[data-ready]")
    return tab, tab.evaluate(READY)


def ready_times(browser, page, state, rounds):
    """(ready, drawn) in milliseconds, of each round."""
    times = []
    for _ in range(rounds):
        tab, found = opened(browser, page, state)
        tab.close()
        times.append(found)
    return times


def frames_of(browser, page):
    """{movement: milliseconds of each frame}"""
    found = {}
    tab, _ = opened(browser, page, "view=flame")
    for name, kind in (("zoom", "zoom"), ("pan", "pan")):
        tab.wait_for_timeout(500)
        found[f"flame graph, {name}"] = tab.evaluate(MOVE, [".flame-chart canvas", kind, FRAMES])
    tab.keyboard.press("i")
    tab.wait_for_timeout(500)
    found["callers, zoom"] = tab.evaluate(MOVE, [".flame-chart canvas", "zoom", FRAMES])
    tab.close()
    tab, _ = opened(browser, page, "view=table")
    found["table, scroll"] = tab.evaluate(MOVE, [".scroller", "scroll", FRAMES])
    tab.close()
    return found


def measure(browser, options, folder):
    profile, page = Path(folder, "large.out"), Path(folder, "large.html")
    found = {}
    found["functions"], found["nodes"] = record(profile, options.functions, options.nodes)
    found["seconds"], found["memory"] = make_page(profile, page)
    found["size"] = page.stat().st_size
    found["paths"] = bytes_of_paths(profile, page)
    found["ready"] = {
        view: ready_times(browser, page, f"view={view}", options.rounds)
        for view in ("overview", "table", "flame")
    }
    found["frames"] = frames_of(browser, page)

    small, small_page = Path(folder, "small.out"), Path(folder, "small.html")
    words = ["-m", "tracer", "--no-source", "-o", str(small), str(SMALL)]
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    make_page(small, small_page)
    found["small size"] = small_page.stat().st_size
    found["small ready"] = ready_times(browser, small_page, "", options.rounds)
    return found


def ready(times):
    """Milliseconds until the view is on the screen, the median of the rounds."""
    return middle([drawn for _, drawn in times])


def render(found):
    large = f"{found['nodes']:,} paths"
    rows = [
        ["tracer html, s", show(found["seconds"]), "-"],
        ["tracer html, MiB", show(found["memory"], 0), "-"],
        ["page, KB", show(found["size"] / 1e3, 0), show(found["small size"] / 1e3, 0)],
        ["bytes a path", show(found["paths"] / found["nodes"]), "-"],
    ]
    for view, times in found["ready"].items():
        small = show(ready(found["small ready"]), 0) if view == "overview" else "-"
        rows.append([f"{view} ready, ms", show(ready(times), 0), small])
    body = table(["page", large, "small program"], rows)
    moves = []
    for name, times in found["frames"].items():
        slow = sorted(times)[int(len(times) * 0.95)]
        moves.append([name, show(1000 * len(times) / sum(times), 1), show(slow, 1)])
    return f"{body}\n\n{table(['movement', 'frames a second', 'ms, 95% of frames'], moves)}"


def goals_of(found, full):
    """The goals; with `full`, also those for the large profile on a machine of these days."""
    goals = [
        Goal("small page, KB", 180, found["small size"] / 1e3),
        Goal("small page ready, ms", 300, ready(found["small ready"])),
        Goal("bytes a path", 8, found["paths"] / found["nodes"]),
    ]
    if full:
        slowest = max(sum(times) / len(times) for times in found["frames"].values())
        goals += [
            Goal("overview ready, ms", 2000, ready(found["ready"]["overview"])),
            Goal("flame graph ready, ms", 2000, ready(found["ready"]["flame"])),
            Goal("slowest movement, ms a frame", FRAME, slowest),
            Goal("tracer html, s", 10, found["seconds"]),
            Goal("tracer html, MiB", 1024, found["memory"]),
        ]
    return goals


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--functions",
        type=number(10),
        default=100_000,
        help="functions of the large profile (100,000)",
    )
    options.add_argument(
        "--nodes",
        type=number(1000),
        default=1_000_000,
        help="paths of the large profile (1,000,000)",
    )
    options.add_argument("--rounds", type=number(1), default=3, help="times to open each page (3)")
    options = options.parse_args(arguments)
    need_tracer()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        complain("there is no playwright here: run it by `make bench-page`")
        return 2
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        complain("there is no Chromium: tests/tools/need.sh chromium installs it")
        return 2
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []  # for root Chromium has no sandbox
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=browser_path, args=flags)
        found = measure(browser, options, folder)
        browser.close()
    body = (
        f"{render(found)}\n\nThe large profile has {found['functions']:,} functions; the window is "
        f"{WIDTH} x {HEIGHT}."
    )
    finish("Page", body, goals_of(found, options.nodes >= 1_000_000), options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
