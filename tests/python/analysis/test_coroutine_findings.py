"""What is found of coroutines: each finding to the character, its thresholds, and what is none."""

import pytest

from foundwaits import EVENTS, SELECTORS, outline, told
from tracer.analysis.findings import coroutines
from tracer.analysis.findings.coroutines import longest_step, suspended_most

LOCKS = """
class Future:
    def __await__(self):
        return iter([None])

class Lock:
    async def acquire(self):
        await Future()

class Semaphore:
    async def acquire(self):
        await Future()

class Event:
    async def wait(self):
        await Future()
"""
TASKS = "async def sleep():\n    await Future()\n"


# -- The longest step ------------------------------------------------------------------------------

MEANWHILE = (
    "Meanwhile no other coroutine went on. Await in between, or let a thread do it: "
    "asyncio.to_thread()."
)

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
    WAIT({late})
"""


LOOP = LOOP.replace("{late}", "1100")  # of such a run, no step is much


def loop(long):
    return outline(LOOP.replace("{long}", str(long)), ("asyncio/events.py", EVENTS))


def test_the_longest_step_is_told_by_what_took_it():
    text = "the event loop did not turn for 279 ms, 0.09 s after the start: parse, {place}"
    finding = longest_step(loop(271))
    assert told(finding) == (text, 279, 2)
    assert finding.advice == MEANWHILE


def test_a_short_step_is_no_finding():
    assert longest_step(loop(92)) is not None
    assert longest_step(loop(91)) is None


def test_what_took_less_than_most_of_it_is_not_blamed():
    """Of 110 ms, parse() took 80, which is less than 80%: answer() did it, in pieces."""
    source = LOOP.replace("{long}", "80").replace("WORK(4)", "WORK(15)")
    found = longest_step(outline(source, ("asyncio/events.py", EVENTS)))
    assert told(found) == (
        "the event loop did not turn for 110 ms, 0.09 s after the start: answer, {place}",
        110,
        5,
    )


def test_what_a_library_took_is_told_of_the_function_that_called_it():
    source = LOOP.replace("WORK({long})", "WAIT_IN_C(300)")
    found = longest_step(outline(source, ("asyncio/events.py", EVENTS)))
    text = (
        "the event loop did not turn for 308 ms, 0.09 s after the start: parse, {place}, in setattr"
    )
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
    assert told(found) == (
        "the event loop did not turn for 208 ms, 0.49 s after the start: answer, {place}",
        208,
        5,
    )


def test_a_step_of_which_no_own_code_is_known():
    events = EVENTS.replace("self.callback()", "WORK(150)")
    found = longest_step(outline(LOOP.replace("{long}", "1"), ("asyncio/events.py", events)))
    assert told(found) == (
        "the event loop did not turn for 150 ms, 0.02 s after the start",
        150,
        None,
    )
    assert found.advice == MEANWHILE


def test_a_step_that_runs_a_cell_is_no_finding(monkeypatch):
    """The loop is the notebook's: nobody awaits in it."""
    of = loop(250)
    assert longest_step(of) is not None
    [package] = {it.package for it in of.paths.modules if it.kind == "own"}
    monkeypatch.setattr(coroutines, "NOTEBOOK", package)
    assert longest_step(of) is None


def test_without_a_loop_there_is_no_step():
    assert longest_step(outline("def main():\n    WORK(500)\n")) is None


# -- What coroutines awaited -----------------------------------------------------------------------

CRAWLERS = """
async def crawl(one):
    WORK(5)
    await one()

async def serve(one):
    await stopped(one)

def finish(coroutines):
    for coroutine in coroutines:
        try:
            coroutine.send(None)
        except StopIteration:
            pass

def main():
    servers = [{server}(Lock().acquire) for _ in range({servers})]
    crawlers = [crawl({awaited}) for _ in range(4)]
    for coroutine in (*crawlers, *servers):
        coroutine.send(None)
    EpollSelector().select()
    WAIT({late})
    WORK({work})
    finish(crawlers)
    WAIT(1)
    finish(servers)
"""
SERVERS = """
async def request():
    await Future()

def steps():
    yield 1

async def with_steps():
    flow = steps()
    next(flow)
    for _ in steps():
        await Future()
    next(flow, None)

async def run_server(one):
    await one()

async def stopped(one):
    await one()
"""


def crawlers(awaited, time=500, work=0, late=0, server=""):
    """Crawlers and, maybe, a server that is suspended 1 ms longer than the last of them. `late`:
    for how long the thread waits for a processor."""
    values = {
        "awaited": awaited,
        "time": time,
        "work": work,
        "late": late,
        "server": server or "serve",
        "servers": int(bool(server)),
    }

    def filled(text):
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    libraries = {
        "asyncio/locks.py": LOCKS,
        "asyncio/tasks.py": TASKS,
        "selectors.py": filled(SELECTORS),
        "other.py": SERVERS,
    }
    return outline(filled(CRAWLERS), *libraries.items())


def test_what_is_suspended_at_a_lock():
    """Four crawlers begin at 0, 5, 10 and 15 ms, wait from 5, 10, 15, 20 to 520."""
    text = "2.03 s suspended at the lock, awaited by crawl, {place}, in 4 tasks, 0.51 s each"
    assert told(suspended_most(crawlers("Lock().acquire"))) == (text, 500, 2)


@pytest.mark.parametrize(
    ("awaited", "where", "advice"),
    [
        (
            "Lock().acquire",
            "at the lock",
            " One at a time has the lock: await less while it is held, or use several locks.",
        ),
        (
            "Semaphore().acquire",
            "at the semaphore",
            " A higher number lets more of them go on at a time.",
        ),
        (
            "sleep",
            "in asyncio.sleep",
            " A sleep is as long as it is told to be: await the event itself, if there is one.",
        ),
        ("request", "in request", ""),
        ("with_steps", "in with_steps", ""),  # while it is suspended, generators of it are, too
    ],
)
def test_where_it_is_suspended_and_what_may_be_done(awaited, where, advice):
    finding = suspended_most(crawlers(awaited))
    assert told(finding)[0].startswith(f"2.03 s suspended {where}, awaited by crawl, ")
    assert finding.advice == f"Added up over all tasks.{advice}"
    assert (finding.figure, finding.row.name) == ("suspended", "crawl")
    assert finding.callee.name == awaited.replace("()", "")


def test_what_a_library_awaited_for_itself_is_not_credited_to_the_program():
    """run_server() is suspended at the lock for 501 ms, of its own accord."""
    text = "2.03 s suspended at the lock, awaited by crawl, {place}, in 4 tasks, 0.51 s each"
    found = suspended_most(crawlers("Lock().acquire", server="run_server"))
    assert told(found) == (text, 500, 2)


def test_what_one_function_awaited_is_told_without_what_others_did():
    """serve(), too, is suspended at the lock for 501 ms, by way of a library."""
    text = "2.03 s suspended at the lock, awaited by crawl, {place}, in 4 tasks, 0.51 s each"
    found = suspended_most(crawlers("Lock().acquire", server="serve"))
    assert told(found) == (text, 500, 2)


BOTH = """
async def first():
    await Event().wait()
    await Lock().acquire()

async def second():
    await Event().wait()
    await Lock().acquire()
    await Lock().acquire()
    await Lock().acquire()

def main():
    for one in (first(), second()):
        try:
            while True:
                one.send(None)
                EpollSelector().select()
        except StopIteration:
            pass
"""


def test_between_its_limits_the_time_is_told_apart_by_how_often_callers_went_on():
    """At the lock, first() is suspended for 200 ms and second() for 600, of 400 and 800 in all. At
    least they leave 0 and 400 to each other, and 1 of 4 resumes is that of first()."""
    libraries = {"asyncio/locks.py": LOCKS, "selectors.py": SELECTORS.replace("{time}", "200")}
    text = "0.60 s suspended at the lock, awaited by second, {place}, 3 times"
    assert told(suspended_most(outline(BOTH, *libraries.items()))) == (text, 600, 6)


def test_where_the_loop_is_busy_nothing_is_found_of_what_is_suspended():
    """It runs for 101 ms, of which it waits in its selector for a fifth or less."""
    assert suspended_most(crawlers("Lock().acquire", 21, 59)) is not None
    assert suspended_most(crawlers("Lock().acquire", 20, 60)) is None


def test_a_loop_that_waits_for_a_processor_is_not_idle():
    assert suspended_most(crawlers("Lock().acquire", 21, 0, late=59)) is not None
    assert suspended_most(crawlers("Lock().acquire", 20, 0, late=60)) is None


def test_what_waits_for_an_event_is_idle():
    assert suspended_most(crawlers("Event().wait")) is None


def test_short_suspensions_are_no_finding():
    assert suspended_most(crawlers("Lock().acquire", 18)) is not None  # 18 + 23 + 28 + 33 ms
    assert suspended_most(crawlers("Lock().acquire", 17)) is None
