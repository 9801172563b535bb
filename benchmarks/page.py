"""The page: how large it is, how soon it is ready and how smoothly it moves. One page shows a
profile of 100,000 functions and 1,000,000 paths, another one that of a small program.

In the large profile, each function calls two others, so that no path is like another. `tracer html`
makes the page, in a process of its own, and Chromium opens it from its file.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from types import FunctionType

from harness.figures import middle
from harness.paging import HEIGHT, WIDTH, at_share, chromium, make_page, moved, opened
from harness.report import ROOT, Goal, finish, need_tracer, number, parser, show, table

SMALL = ROOT / "benchmarks" / "programs" / "queens.py"
MODULES = 500
CHAIN = 25  # calls, at least, on a path after the last that branches
FRAMES = 120  # for which a movement is measured
FRAME = 1000 / 30  # milliseconds that a frame may take


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
    from tracer.analysis.tree.call_tree import paths_of

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


def bytes_of_paths(profile, page):
    """The bytes of paths and figures in the page: its size, less the size of a page without them
    that has the same script, names and sources."""
    import tracer
    from tracer.analysis.tree.call_tree import Paths
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


def opened_at(browser, page, state):
    """A tab with the page, and (ready, drawn) in milliseconds."""
    tab = opened(browser, page, state, "html[data-ready]", WATCH)
    return tab, tab.evaluate(READY)


def ready_times(browser, page, state, rounds):
    """(ready, drawn) in milliseconds, of each round."""
    times = []
    for _ in range(rounds):
        tab, found = opened_at(browser, page, state)
        tab.close()
        times.append(found)
    return times


def frames_of(browser, page):
    """{movement: milliseconds of each frame}"""
    found = {}
    tab, _ = opened_at(browser, page, "view=flame")
    for kind in ("zoom", "pan"):
        found[f"flame graph, {kind}"] = moved(tab, ".flame-chart canvas", kind, FRAMES)
    tab.keyboard.press("i")
    found["callers, zoom"] = moved(tab, ".flame-chart canvas", "zoom", FRAMES)
    tab.close()
    tab, _ = opened_at(browser, page, "view=table")
    found["table, scroll"] = moved(tab, ".scroller", "scroll", FRAMES)
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
        slow = at_share(times, 0.95)
        moves.append([name, show(1000 * len(times) / sum(times), 1), show(slow, 1)])
    return f"{body}\n\n{table(['movement', 'frames a second', 'ms, 95% of frames'], moves)}"


def goals_of(found, full):
    """The goals; with `full`, also those for the large profile on a machine of these days."""
    goals = [
        Goal("small page, KB", 160, found["small size"] / 1e3),
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
    with chromium("bench-page") as browser, tempfile.TemporaryDirectory() as folder:
        found = measure(browser, options, folder)
    body = (
        f"{render(found)}\n\nThe large profile has {found['functions']:,} functions; the window is "
        f"{WIDTH} x {HEIGHT}."
    )
    finish("Page", body, goals_of(found, options.nodes >= 1_000_000), options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
