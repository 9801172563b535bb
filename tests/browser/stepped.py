"""A page of a loop of which every moment is known: ten steps in two cycles; and the hands with
which tests reach for its bars. A tick is a microsecond."""

import tracer
from timelines import capture_of
from tracer.page.document import html_of, shown

CHART = ".st-chart canvas"
NUMBERS = [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]
SLOW = 12
PHASES = {"load": "read@helpers", "forward": "predict@main", "backward": "learn@main"}
EVERY = 200_000  # ticks from a step to the next
SLOT = 72  # pixels of a step: few steps have as many
LEFT = 64  # pixels beside the bars


def times_of(number):
    """The ticks of each phase; 5,000 are of none."""
    load = 120_000 if number == SLOW else 20_000
    return {"load": load, "forward": 30_000 + 1000 * (number == 1), "backward": 25_000}


def start_of(number):
    return EVERY * NUMBERS.index(number) + 1000


def loop(numbers=NUMBERS, phases=PHASES):
    """The calls of the loop as text, and its ranges."""
    calls = [f"main@main 0-{EVERY * len(numbers)}"]
    ranges = []
    for number in numbers:
        at = start_of(number)
        within = []
        for phase, ticks in times_of(number).items():
            if phase in phases:
                calls.append(f"  {phases[phase]} {at}-{at + ticks}")
                within.append((0, 1, at, at + ticks, phase, phase, (), 0, 0))
            at += ticks
        values = (("number", number), ("items", 40))
        ranges += [(0, 1, start_of(number), at + 5000, "step", "step", values, 0, 0), *within]
    return "\n".join(calls), ranges


def stepped_page(path, *others, **options):
    """Writes the page of the loop beside other threads, and returns its address."""
    text, ranges = loop()
    lists = {"ranges": ranges, **options}
    return page_of(path, tracer.Stats(capture_of(text, *others, **lists)))


def page_of_runs(path, *runs):
    """The same of several loops, each with these steps, which ran one after the other."""
    made = [loop(numbers) for numbers in runs]
    return page_of(path, tracer.Stats(*(capture_of(text, ranges=it) for text, it in made)))


def page_of(path, stats):
    path.write_bytes(b"".join(html_of([shown(stats)], "stepped")))
    return path.as_uri()


def bar(page, slot):
    """The place in the window of a step's bar, a bit above its foot. The gap has a slot, too."""
    box = page.locator(CHART).bounding_box()
    return box["x"] + LEFT + SLOT * (slot + 0.5), box["y"] + box["height"] - 120


def colours(page, slot):
    """What is drawn in the middle of a step's bar, from its foot upwards, each colour once."""
    x = LEFT + SLOT * (slot + 0.5)
    found = page.locator(CHART).evaluate(
        """(canvas, x) => {
          const column = new OffscreenCanvas(1, canvas.height);
          const context = column.getContext("2d", { willReadFrequently: true });
          context.drawImage(canvas, x, 0, 1, canvas.height, 0, 0, 1, canvas.height);
          return [...new Uint32Array(context.getImageData(0, 0, 1, canvas.height).data.buffer)];
        }""",
        x,
    )
    found = ["#" + pixel.to_bytes(4, "little")[:3].hex() for pixel in found]
    return list(dict.fromkeys(reversed(found)))
