"""A page of a run of which every moment is known: two threads, tasks, ranges and all else that a
timeline has; and the hands with which tests reach into it. A tick is a microsecond."""

import tracer
from timelines import capture_of
from tracer.page.document import html_of, shown

CHART = ".tl-chart canvas"
PANEL = ".tl-panel"
STATUS = ".flame-status"
WHOLE = 100_000  # µs
ROW = 18

MAIN = """
    <module>@main 0-100000
      load@helpers 1000-21000
        read 2000-12000
          gap 3000-11000 8000
        parse@decoder 12000-20000
      serve@main 30000-90000
        handle@main 31000-33000 #1
          query@helpers 31500-32500
        handle@main 40000-41000 #2
        handle@main 50000-58000 + #1
          query@helpers 51000-57000
        handle@main 60000-61000 + #2 ?
"""
WORKER = """
    work@main 10000-80000
      step@helpers 10000-20000
      step@helpers 25000-26000
      gap 40000-50000 9000
      step@helpers 60000-75000
"""
LISTS = {
    "tasks": [(1, 0, 6, 31000, 58000, "request 1"), (2, 0, 6, 40000, -1, "request 2")],
    "ranges": [
        (0, 2, 1000, 21000, "load all", "io", (("batch", 3),), 0, 0),
        (0, 5, 30000, 90000, "phase", None, (), 0, 0),
        (0, 6, 31000, 33000, "inner", None, (), 1, 0),
        (1, 1, 20000, -1, "never left", None, (), 0, 1),
    ],
    "marks": [(0, 5, 45000, "epoch 2", (("loss", 0.5),))],
    "counters": [(0, 10000, "queue", 2), (0, 30000, "queue", 9), (1, 70000, "queue", 4)],
    "flows": [("job", 0, 31600, 1, 60500)],
    "collections": [(0, 15000, 16000, 2, 5, 0)],
}


def timed_page(path, main=MAIN, **options):
    """Writes the page, and returns its address."""
    capture = capture_of(main, WORKER, names=("MainThread", "worker"), **{**LISTS, **options})
    path.write_bytes(b"".join(html_of([shown(tracer.Stats(capture))], "timed")))
    return path.as_uri()


def place(page, track, moment, row=0):
    """The place in the window of a moment (µs) of the whole run, in a row of a track."""
    box = page.locator(CHART).bounding_box()
    head = page.locator(f".tl-head[data-track='{track}']").bounding_box()
    return box["x"] + box["width"] * moment / WHOLE, head["y"] + ROW * row + ROW / 2


def click(page, track, moment, row=0):
    page.mouse.click(*place(page, track, moment, row))


def drag(page, start, end):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def seen(page):
    """The stretch of time on the screen, in µs: from and to, as the address has it."""
    page.rest()
    if "zoom" not in page.state:
        return 0, WHOLE
    start, span, _ = map(float, page.state["zoom"].split("~"))
    return start / 1000, (start + span) / 1000
