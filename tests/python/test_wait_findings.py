"""What is found of waits: each finding to the character, its thresholds, and what is none."""

import pytest

from foundwaits import outline, told
from tracer.analysis.wait_findings import waited_in_c, waited_in_python

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
