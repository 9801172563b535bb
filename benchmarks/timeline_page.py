"""The page's timeline: how soon ten million slices are ready, how smoothly it moves, and how soon
the statistics of a range are there.

A program of nested calls of random lengths is recorded with a timeline, until the slices are there.
`tracer html` makes the page, in a process of its own, and Chromium opens it from its file, at the
timeline.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

from harness.figures import middle
from harness.paging import at_share, chromium, make_page, moved, opened
from harness.report import Goal, finish, need_tracer, number, parser, show, table

FRAMES = 240  # for which a movement is measured
CHART = ".tl-chart canvas"
DEEP = 9  # levels of the tree of calls
RANGES = ((0.1, 0.9), (0.2, 0.3), (0.5, 0.52), (0.7, 0.705))  # parts of the run
BUDGET = "1GiB"  # nothing is left out


def leaf(value):
    return value + 1


def middle_calls(count):
    return sum([leaf(value) for value in range(count)])


def other_calls(count):
    return [leaf(value) for value in range(count)][-1]


def walk(depth, source):
    """Calls of several functions, below each other, of lengths by chance."""
    if depth == 0:
        return (middle_calls, other_calls)[source.randrange(2)](source.randrange(1, 12))
    if depth % 3:
        return walk(depth - 1, source) + walk(depth - 1, source)
    return walk(depth - 1, source) + middle_calls(2) + walk(depth - 1, source)


def record(path, slices):
    """Save a profile with a timeline of about so many slices. Returns the number of its calls."""
    import tracer

    source = random.Random(1)
    profile = tracer.Profile(timeline=BUDGET, threads=False)
    profile.runcall(walk, DEEP, source)
    each = profile.capture().total_calls
    for _ in range(slices // each):
        profile.runcall(walk, DEEP, source)
    profile.dump_stats(path)
    return profile.capture().total_calls


def record_small(path, timeline):
    """Save a profile of 1,600 calls."""
    import tracer

    with tracer.Profile(timeline=timeline) as profile:
        for number in range(100):
            json.loads(json.dumps({"numbers": [number] * 5}))
    profile.dump_stats(path)


# Selects a range by a drag over these parts of the chart. Returns the milliseconds from its end
# until the statistics are in the page.
SELECT = """([from, to]) => {
    const element = document.querySelector(".tl-chart canvas");
    const { left, top, width, height } = element.getBoundingClientRect();
    const send = (type, part) => element.dispatchEvent(new PointerEvent(type, {
        clientX: left + width * part, clientY: top + height / 2, bubbles: true, pointerId: 1,
    }));
    element.setPointerCapture = () => {};
    send("pointerdown", from);
    send("pointermove", (from + to) / 2);
    send("pointermove", to);
    const began = performance.now();
    send("pointerup", to);
    if (document.querySelector(".tl-table") === null) {
        throw new Error("there are no statistics");
    }
    return performance.now() - began;
}"""


def opened_at_timeline(browser, page):
    """A tab with the timeline, and the milliseconds from the navigation until it can be used."""
    tab = opened(browser, page, "view=timeline", "[data-timeline]")
    [ready] = tab.evaluate(
        "performance.getEntriesByName('tracer-timeline').map((m) => m.startTime)"
    )
    return tab, ready


def measure(browser, options, folder):
    profile, page = Path(folder, "large.out"), Path(folder, "large.html")
    found = {"calls": record(profile, options.slices), "ready": [], "frames": {}, "ranges": {}}
    found["seconds"], found["memory"] = make_page(profile, page)
    found["size"] = page.stat().st_size
    for turn in range(options.rounds):
        tab, ready = opened_at_timeline(browser, page)
        found["ready"].append(ready)
        if turn == 0:
            found["slices"] = tab.locator(".tl-sum").inner_text()
            for kind in ("zoom", "pan"):
                found["frames"][kind] = moved(tab, CHART, kind, FRAMES)
            tab.keyboard.press("0")
            tab.wait_for_timeout(1000)
            for part in RANGES:
                # Another range each time: one that is shown already is not added up again.
                parts = [[place + 0.01 * turn for place in part] for turn in range(options.rounds)]
                times = [tab.evaluate(SELECT, place) for place in parts]
                found["ranges"][f"{part[1] - part[0]:.1%}"] = times
        tab.close()
    found["small"] = [small_size(folder, timeline) for timeline in (False, True)]
    return found


def small_size(folder, timeline):
    """The bytes of a small program's page, and of what of it is no data."""
    from tracer.page.document import page_of

    profile, page = Path(folder, "small.out"), Path(folder, "small.html")
    record_small(profile, timeline)
    make_page(profile, page)
    return page.stat().st_size, len(page_of("", timeline=timeline))


def grown(found):
    """KB that a small program's page grows by: of the timeline's data, and of script and style."""
    [size, frame], [larger, larger_frame] = found["small"]
    script = larger_frame - frame
    return (larger - size - script) / 1e3, script / 1e3


def render(found):
    rows = [
        ["tracer html, s", show(found["seconds"])],
        ["page, MB", show(found["size"] / 1e6)],
        ["ready, s", show(middle(found["ready"]) / 1e3, 2)],
        ["a small program's page, KB", show(found["small"][0][0] / 1e3)],
        ["that page with a timeline, KB", show(found["small"][1][0] / 1e3)],
        ["of that, script and style of the timeline, KB", show(grown(found)[1])],
    ]
    for kind, times in found["frames"].items():
        rows.append([f"{kind}: ms a frame, median", show(at_share(times, 0.5), 1)])
        rows.append([f"{kind}: ms, 95% of frames", show(at_share(times, 0.95), 1)])
    for part, times in found["ranges"].items():
        rows.append([f"statistics of {part} of the run, ms: first", show(times[0], 1)])
        rows.append([f"statistics of {part} of the run, ms: then", show(middle(times), 1)])
    return table(["the timeline of the page", found["slices"]], rows)


def goals_of(found, full):
    data, script = grown(found)
    goals = [
        Goal("small page grows by, KB of data", 20, data),
        Goal("small page grows by, KB", 20, data + script),
    ]
    if full:
        frames = found["frames"].values()
        goals += [
            Goal("timeline ready, s", 4, middle(found["ready"]) / 1e3),
            Goal("a frame, ms, median", 17, max(at_share(times, 0.5) for times in frames)),
            Goal("a frame, ms, 95%", 45, max(at_share(times, 0.95) for times in frames)),
            Goal("statistics of a range, ms", 100, max(map(max, found["ranges"].values()))),
        ]
    return goals


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--slices", type=number(1000), default=10_000_000, help="slices (10,000,000)"
    )
    options.add_argument("--rounds", type=number(1), default=3, help="times to open the page (3)")
    options = options.parse_args(arguments)
    need_tracer()
    with chromium("bench-timeline-page") as browser, tempfile.TemporaryDirectory() as folder:
        found = measure(browser, options, folder)
    goals = goals_of(found, options.slices >= 10_000_000)
    finish("The page's timeline", render(found), goals, options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
