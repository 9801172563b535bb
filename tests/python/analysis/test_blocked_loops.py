"""What the finding of a function tells of the event loop that it blocks, with its thresholds."""

from foundwaits import EVENTS, SELECTORS, outline, text_of
from tracer.analysis.findings.coroutines import longest_step
from tracer.analysis.findings.costly import costly_functions
from tracer.analysis.outline import loop_steps
from tracer.analysis.outline.outline import Outline
from treetexts import in_ms, paths_of_text

MEANWHILE = (
    "Meanwhile no other coroutine went on. Await in between, or let a thread do it: "
    "asyncio.to_thread()."
)
BUSY = """
def parse():
    WORK({each})

def answer():
    parse()
    WORK(1)

def run_once():
    EpollSelector().select()
    for _ in range({steps}):
        Handle(answer)._run()

def main():
    run_once()
    WORK({late})
"""


def busy(each, steps, idle=0, late=0, source=BUSY):
    source = source.replace("{each}", str(each)).replace("{steps}", str(steps))
    selectors = SELECTORS.replace("{time}", str(idle))
    libraries = ("asyncio/events.py", EVENTS), ("selectors.py", selectors)
    return outline(source.replace("{late}", str(late)), *libraries)


def of_parse(outline):
    [finding] = [it for it in costly_functions(outline) if it.row.name == "parse"]
    return text_of(finding).partition("; ")[2], finding.advice


def test_steps_of_ten_ms_in_the_mean_block_the_loop():
    assert of_parse(busy(10, 20)) == ("blocks the event loop 10 ms each time", MEANWHILE)
    assert of_parse(busy(9, 20)) == ("the event loop is never idle", "")


def test_a_function_that_blocks_the_loop_for_less_than_a_fifth_of_the_run():
    """parse() takes 160 ms in the loop, and 60 without it, of a run of 800."""
    source = BUSY.replace("    run_once()\n", "    run_once()\n" + 3 * "    parse()\n")
    told = "blocks the event loop about 8 times, 20 ms each"
    assert of_parse(busy(20, 8, late=572, source=source))[0] == told
    assert of_parse(busy(20, 8, late=573, source=source))[0] == ""


ONE = """
calls = 0

def parse():
    global calls
    calls += 1
    time = 300 if calls == 10 else {other}
    hands.now += time
    hands.ran += time
"""


def test_one_call_of_many_that_took_most_is_what_blocks_the_loop():
    """Its call is after 9 others, each with 1 ms of answer()."""

    def of(other):
        source = ONE.replace("{other}", str(other)) + BUSY.partition("WORK({each})")[2]
        return of_parse(busy(0, 21, source=source))

    assert of(15) == (
        "one of 21 calls took 0.30 s, which blocks the event loop, 0.14 s after the start",
        MEANWHILE,
    )
    assert of(16) == ("blocks the event loop 29.5 ms each time", MEANWHILE)


def test_one_call_that_is_short_or_elsewhere_blocks_no_loop():
    source = ONE + BUSY.partition("WORK({each})")[2]
    short = source.replace("300", "9").replace("{other}", "0")
    assert of_parse(busy(0, 21, source=short))[0] == (
        "one of 21 calls took 9 ms; the event loop is never idle"
    )
    before = source.replace("calls == 10", "calls == 1").replace("{other}", "14")
    before = before.replace("    run_once()", "    parse()\n    run_once()")
    assert of_parse(busy(0, 21, source=before))[0] == (
        "one of 22 calls took 0.30 s; blocks the event loop about 21 times, 14 ms each"
    )


def test_a_recursion_blocks_the_loop_for_as_long_as_its_first_call():
    source = BUSY.replace("def parse():", "def parse(more=2):").replace(
        "WORK({each})", "WORK(10)\n    more and parse(more - 1)"
    )
    text = of_parse(busy(0, 10, source=source))[0]
    assert text == "blocks the event loop about 10 times, 30 ms each"


def test_the_loop_of_a_notebook_is_not_blocked(monkeypatch):
    of = busy(10, 20)
    [package] = {it.package for it in of.paths.modules if it.kind == "own"}
    monkeypatch.setattr(loop_steps, "NOTEBOOK", package)
    assert of_parse(of) == ("", "")


THREADS = (
    """
run_once@/env/lib/python3.11/asyncio/base_events.py 1 0
  Handle._run@/env/lib/python3.11/asyncio/events.py 10 0
    take@main 10 10
      Queue.get@queue 10 500~500
""",
    """
Thread.run@threading 1 0
  work@helpers 1 510
""",
)


def test_what_is_idle_blocks_no_loop():
    paths = paths_of_text(*map(in_ms, THREADS))
    steps = Outline(paths).loop_steps.by_function
    [(row, (time, number))] = steps.items()
    assert (paths.rows[row].name, time, number) == ("take", 10_000_001, 10)


PARTS = """
def parse(time):
    for name in "now", "ran":
        any(setattr(hands, name, getattr(hands, name) + time) for _ in range(1))

def answer():
    global calls
    calls += 1
    parse(120 if calls == 50 else 1)

def main():
    for _ in range(200):
        Handle(answer)._run()
"""


def test_the_longest_step_of_a_part_of_a_function_is_not_told_beside_the_function():
    of = outline(f"calls = 0\n{PARTS}", ("asyncio/events.py", EVENTS))
    [step] = [longest_step(of)]
    [costly] = costly_functions(of)
    assert (step.row.name, costly.row.name) == ("parse.<locals>.<genexpr>", "parse")
    assert step.subject == costly.subject


def test_a_loop_that_is_seldom_idle_is_told_beside_what_computes():
    """It computes for 100 ms."""
    assert of_parse(busy(4, 20, idle=1))[0] == "the event loop is never idle"
    assert of_parse(busy(4, 20, idle=2))[0] == "the event loop is busy 98% of the time"
    assert of_parse(busy(4, 20, idle=11))[0] == "the event loop is busy 90% of the time"
    assert of_parse(busy(4, 20, idle=12))[0] == ""
