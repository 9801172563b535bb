"""What is found of waits: each finding to the character, its thresholds, and what is none."""

import pytest

import tracer
from tracer.analysis.call_tree import paths_of
from tracer.analysis.outline import Outline
from tracer.analysis.wait_findings import (
    longest_step,
    suspended_most,
    waited_in_c,
    waited_in_python,
)
from waiting import profile_of, space_of

LIBRARY = "/usr/lib/python3.11"
HERE = "/here/app/work.py"

EVENTS = """
class Handle:
    def __init__(self, callback):
        self.callback = callback
    def _run(self):
        self.callback()
"""

LOCKS = """
class Future:
    def __await__(self):
        return iter([None])

class Lock:
    async def acquire(self):
        await Future()

class Event:
    async def wait(self):
        await Future()
"""


def outline(source, *libraries, name="main", threads=False):
    """The outline of a run of main(), or of another function. `libraries`: (file, source) of what
    it needs."""
    space = space_of("")
    for file, text in libraries:
        space_of(text, f"{LIBRARY}/{file}", space)
    space_of(source, HERE, space)
    profile = profile_of(space, name, builtins=True, threads=threads)
    return Outline(paths_of(tracer.Stats(profile)))


def told(finding):
    """(text, saving in ms, line of its function)."""
    row = finding.row
    assert row is None or row.file == HERE
    return finding.text, round(finding.saving * 1000), row and row.line


# -- The longest step ------------------------------------------------------------------------------

LOOP = """
def parse():
    WORK({long})

def answer():
    WORK(4)
    parse()
    WORK(4)

def other():
    WORK(50)

def main():
    parse_before = other
    for callback in (other, answer, other):
        WAIT(20)
        Handle(callback)._run()
"""


def loop(long):
    return outline(LOOP.replace("{long}", str(long)), ("asyncio/events.py", EVENTS))


def test_the_longest_step_is_told_by_what_took_it():
    text = "the event loop did not turn for 279 ms: parse, {place}"
    assert told(longest_step(loop(271))) == (text, 279, 2)


def test_a_short_step_is_no_finding():
    assert longest_step(loop(92)) is not None
    assert longest_step(loop(91)) is None


def test_what_took_less_than_most_of_it_is_not_blamed():
    """Of 110 ms, parse() took 80, which is less than 80%: answer() did it, in pieces."""
    source = LOOP.replace("{long}", "80").replace("WORK(4)", "WORK(15)")
    found = longest_step(outline(source, ("asyncio/events.py", EVENTS)))
    assert told(found) == ("the event loop did not turn for 110 ms: answer, {place}", 110, 5)


def test_what_a_library_took_is_told_of_the_function_that_called_it():
    source = LOOP.replace("WORK({long})", "WAIT_IN_C(300)")
    found = longest_step(outline(source, ("asyncio/events.py", EVENTS)))
    text = "the event loop did not turn for 308 ms: parse, {place}, in setattr"
    assert told(found) == (text, 308, 2)


def test_a_longer_call_at_another_time_is_not_blamed():
    """parse() took longest before the loop ran. Of the step no more is known than who began it."""
    source = LOOP.replace("{long}", "hands.now < 500 and 400 or 200")
    source = source.replace("WORK(hands.now < 500 and 400 or 200)", "step(200 + 200 * before)")
    source = source.replace(
        "parse_before = other", "global before; before = 1; parse(); before = 0"
    )
    source += "\ndef step(time):\n    hands.now += time\n"
    found = longest_step(outline(source, ("asyncio/events.py", EVENTS)))
    assert told(found) == ("the event loop did not turn for 208 ms: answer, {place}", 208, 5)


def test_a_step_of_which_no_own_code_is_known():
    events = EVENTS.replace("self.callback()", "WORK(150)")
    found = longest_step(outline(LOOP.replace("{long}", "1"), ("asyncio/events.py", events)))
    assert told(found) == (
        "the event loop did not turn for 150 ms, 0.02 s after the start",
        150,
        None,
    )


def test_without_a_loop_there_is_no_step():
    assert longest_step(outline("def main():\n    WORK(500)\n")) is None


# -- What threads waited ---------------------------------------------------------------------------


def test_waiting_in_c_is_told_by_whom_and_in_what():
    source = (
        "def fetch():\n    WAIT_IN_C(150)\n\ndef main():\n    fetch(); fetch()\n    WORK(200)\n"
    )
    text = "60%: fetch, {place}, waits 0.30 s in setattr (I/O, lock or GIL)"
    assert told(waited_in_c(outline(source))) == (text, 300, 1)


@pytest.mark.parametrize(("waited", "is_found"), [(99, False), (100, True), (124, True)])
def test_short_waits_are_no_finding(waited, is_found):
    source = f"def main():\n    WAIT_IN_C({waited})\n    WORK(100)\n"
    assert (waited_in_c(outline(source)) is not None) is is_found


def test_a_small_share_is_no_finding():
    for worked, is_found in ((396, True), (408, False)):
        source = f"def main():\n    WAIT_IN_C(100)\n    WORK({worked})\n"
        assert (waited_in_c(outline(source)) is not None) is is_found


IDLE = """
from threading import Thread

def help():
    WORK(10)
    WAIT_IN_C(900)

def main():
    WORK(3)
    threads = [Thread(target=help) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
"""


def test_the_thread_that_joins_another_is_idle():
    """It waits 1800 ms, too, which are no finding; in each of two threads, 900 could be saved."""
    found = waited_in_c(outline(IDLE, threads=True))
    text = "49%: help, {place}, waits 1.80 s in setattr, 2 threads (I/O, lock or GIL)"
    assert told(found) == (text, 900, 4)


@pytest.mark.parametrize(
    ("file", "name"),
    [("queue.py", "Queue.get"), ("threading.py", "Thread.join"), ("selectors.py", "Any.select")],
)
def test_what_has_nothing_to_do_is_idle(file, name):
    kind, method = name.split(".")
    library = f"class {kind}:\n    def {method}(self):\n        WAIT_IN_C(700)\n"
    source = f"def main():\n    {kind}().{method}()\n    WORK(100)\n"
    assert waited_in_c(outline(source, (file, library))) is None
    assert waited_in_c(outline(source, ("other.py", library))) is not None


def test_what_the_program_did_not_ask_for_is_no_finding():
    library = "def run():\n    WAIT_IN_C(700)\n    main()\n"
    source = "def main():\n    WORK(100)\n"
    assert waited_in_c(outline(source, ("other.py", library), name="run")) is None


SPINNERS = IDLE.replace("WORK(10)", "WORK({work})").replace("WAIT_IN_C(900)", "WAIT(300)")


def test_waiting_in_python_is_for_the_gil_where_another_thread_is_busy():
    found = waited_in_python(outline(SPINNERS.replace("{work}", "300"), threads=True))
    text = "25%: 2 threads wait 0.60 s for the GIL or a processor, most in help, {place}"
    assert told(found) == (text, 300, 4)


def test_else_it_may_be_for_a_lock():
    """All that was busy is less than half of the run: nobody held the GIL most of the time."""
    found = waited_in_python(outline(SPINNERS.replace("{work}", "50"), threads=True))
    text = "43%: 2 threads wait 0.60 s for a lock, the GIL or a processor, most in help, {place}"
    assert told(found) == (text, 300, 4)


def test_one_thread_does_not_wait_for_the_gil():
    """It waits for a processor, of which the program knows nothing."""
    assert waited_in_python(outline("def main():\n    WORK(100)\n    WAIT(900)\n")) is None


# -- What coroutines awaited -----------------------------------------------------------------------

CRAWLERS = """
async def crawl(one):
    WORK(5)
    await one()

def main():
    crawlers = [crawl({awaited}) for _ in range(4)]
    for crawler in crawlers:
        crawler.send(None)
    WAIT({time})
    WORK({work})
    for crawler in crawlers:
        try:
            crawler.send(None)
        except StopIteration:
            pass
"""


def crawlers(awaited, time=500, work=0):
    source = CRAWLERS.replace("{awaited}", awaited)
    source = source.replace("{time}", str(time)).replace("{work}", str(work))
    return outline(source, ("asyncio/locks.py", LOCKS))


def test_what_is_suspended_at_a_lock():
    """Four crawlers begin at 0, 5, 10 and 15 ms, wait from 5, 10, 15, 20 to 520."""
    text = "2.03 s suspended at the lock, awaited by crawl, {place}, 4 times"
    assert told(suspended_most(crawlers("Lock().acquire"))) == (text, 500, 2)


def test_where_the_loop_is_busy_nothing_is_found_of_what_is_suspended():
    """It runs for 100 ms, of which it waits for a fifth or less."""
    assert suspended_most(crawlers("Lock().acquire", 20, 60)) is not None
    assert suspended_most(crawlers("Lock().acquire", 19, 61)) is None


def test_what_waits_for_an_event_is_idle():
    assert suspended_most(crawlers("Event().wait")) is None


def test_short_suspensions_are_no_finding():
    assert suspended_most(crawlers("Lock().acquire", 18)) is not None  # 18 + 23 + 28 + 33 ms
    assert suspended_most(crawlers("Lock().acquire", 17)) is None
