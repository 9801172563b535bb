"""Loops of which every moment is known, and their summaries. A tick is a second."""

import io

import tracer
from timelines import capture_of
from tracer.analysis.steps.summary import Summary

LOOP = """
main@main 0-200
  load_batch@main 0-20
  forward@main 20-60
    forward@main 30-50
  backward@main 60-70
    time.sleep 62-66
  forward@main 100-180
    sorted 110-150
      key@main 120-130
"""
READER = """
run@main 0-200
  load_batch@main 10-90
  load_batch@main 110-190
"""


def step(start, end, number=None, items=None, thread=0):
    values = {"number": number, "items": items}
    given = tuple((name, it) for name, it in values.items() if it is not None)
    return thread, 1, start, end, "step", "step", given, 0, thread


def marked(name, start, end, category=None, thread=0):
    return thread, 1, start, end, name, category, (), 0, thread


USE = {"real": 10.0, "process": 15.0, "machine": 30.0, "processors": 4}
STEPS = [step(0, 100, 0, 10), step(100, 200, 1, 40)]
RANGES = [
    marked("read", 0, 30, "io"),
    marked("read", 10, 40, "io"),
    marked("note", 150, 250),
    marked("goes on", 150, -1),
    marked("write", 190, 200, "io", thread=1),
]


def capture(*texts, ranges=(), use=None, phases=(), info=None, **options):
    options.setdefault("tick", 1.0)
    options.setdefault("unit", 10)
    made = capture_of(*(texts or (LOOP, READER)), ranges=ranges, **options)
    made.use, made.phases, made.run = use, dict(phases), info
    return made


def summary(*texts, by_thread=False, **options):
    return Summary(tracer.Stats(capture(*texts, **options)), by_thread=by_thread)


def only(found):
    (part,) = found.parts.values()
    return part


def printed(*texts, views=None, sorted_by=None, time_unit="s", by_thread=False, **options):
    stats = tracer.Stats(capture(*texts, **options), stream=io.StringIO())
    assert stats.print_summary(sorted_by, views, time_unit, by_thread) is stats
    return stats.stream.getvalue()


def percent(part, whole):
    return 100.0 * part / whole
