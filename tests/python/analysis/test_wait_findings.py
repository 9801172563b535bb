"""What is found of waits: each finding to the character, its thresholds, and what is none."""

import pytest

from foundwaits import POOL, SPINNER, WORKER, outline, text_of, told
from tracer.analysis.findings.costly import costly_functions
from tracer.analysis.findings.wait_words import advice_on, reason
from tracer.analysis.findings.waits import long_wait, waited_turns
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import Row
from treetexts import in_ms, paths_of_text

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


def costly(of):
    return next(iter(costly_functions(of)), None)


def test_the_thread_that_joins_another_is_idle():
    """It waits 1800 ms, too, which are no finding. The threads run one after the other."""
    text, saving, line = told(costly(outline(IDLE, threads=True)))
    assert text.startswith(
        "99%: help, {place}, waits 1.80 s in 2 calls, in 2 threads: 1.80 s setattr"
    )
    assert (saving, line) == (1797, 4)


SPINNERS = IDLE.replace("WORK(10)", "WORK({work})").replace("WAIT_IN_C(900)", "WAIT(300)")


def test_waiting_in_python_is_for_the_gil_where_another_thread_is_busy():
    found = waited_turns(outline(SPINNERS.replace("{work}", "300"), threads=True))
    text = "50% of the run: 2 threads wait 0.60 s for the GIL or a processor, most in help, {place}"
    assert told(found) == (text, 0, 4)


def test_else_it_is_for_a_lock():
    """All that was busy is less than a fifth of the run: nobody held the GIL most of the time."""
    found = waited_turns(outline(SPINNERS.replace("{work}", "30"), threads=True))
    text = "90% of the run: 2 threads wait 0.60 s for a lock, most in help, {place}"
    assert told(found) == (text, 600, 4)
    found = waited_turns(outline(SPINNERS.replace("{work}", "80"), threads=True))
    assert " for the GIL or a processor, " in told(found)[0]


def test_who_ran_while_others_waited_for_a_lock():
    """save() waits for a disk, with the lock that add() takes."""
    text = """
    Thread.run@threading 1 0
      add@main 10 900~890
    """
    saver = """
    Thread.run@threading 1 0
      run@main 1 5
        save@main 10 0
          <posix.fsync> 10 895~895
    """
    assert found_in(waited_turns, text, text, saver) == (
        "99% of the run: 2 threads wait 1.78 s for a lock, most in add, {place}; meanwhile save"
        " ran",
        890,
    )


WITH = """
LOCK = contextlib.nullcontext()

def spin():
    with LOCK:
        WORK(300)
        WAIT(300)
"""


def test_a_lock_is_named_where_a_function_that_waited_much_has_a_with():
    """Whoever has the lock may be busy: that is no proof of waiting for the GIL."""
    source = SPINNERS.replace("{work}", "300").replace("target=help", "target=spin")
    source = source.replace("def main", f"{WITH}\ndef main")
    text, _, line = told(waited_turns(outline(f"import contextlib\n{source}", threads=True)))
    assert "2 threads wait 0.60 s for a lock, the GIL or a processor, most in spin" in text
    assert line == 12


@pytest.mark.parametrize("text", [None, "", "def help(", "x = 1\n"])
def test_a_lock_is_named_where_the_text_of_what_waited_is_not_known(text):
    of = outline(SPINNERS.replace("{work}", "300"), threads=True)
    of.text_of = lambda file: text
    assert " for a lock, the GIL or a processor, " in told(waited_turns(of))[0]


def test_one_thread_does_not_wait_for_the_gil():
    """It waits for a processor, of which the program knows nothing."""
    assert waited_turns(outline("def main():\n    WORK(100)\n    WAIT(900)\n")) is None


# -- Threads side by side --------------------------------------------------------------------------

HOUSEKEEPER = """
Thread.run@threading 1 0
  Queue.get@queue 1 1000~1000
"""


def found_in(rule, *texts):
    """(text, saving in ms) of a finding in these threads."""
    paths = paths_of_text(*map(in_ms, texts))
    finding = rule(Outline(paths, lambda file: "def any(): pass"))
    return finding and (text_of(finding), round(finding.saving / 1e6))


def wait_of(*texts):
    """(seconds of the run, of all threads, threads) that these threads waited in C."""
    paths = paths_of_text(*map(in_ms, texts))
    times = {number: sum(tree.waited) for number, tree in enumerate(paths.trees) if number}
    wait = long_wait(paths, times)
    return wait.elapsed / 1e9, wait.time / 1e9, wait.threads


def test_of_threads_side_by_side_the_share_is_of_the_run():
    assert wait_of(POOL, *[WORKER.format(time=950)] * 4) == (0.95, 3.8, 4)


def test_a_thread_that_hardly_waits_is_not_counted():
    few, much = WORKER.format(time=94), WORKER.format(time=950)
    assert wait_of(POOL, much, much, few) == (0.95, 1.9, 2)
    assert wait_of(POOL, much, much, WORKER.format(time=95))[2] == 3


def test_threads_one_after_the_other_wait_for_the_whole_of_the_run():
    """A thread for each of 20 requests: none of them waits for long."""
    request = WORKER.replace("fetch@main 1 50", "fetch@main 1 10").format(time=40)
    requests = [
        request.replace("run@threading 1 0", f"run@threading 1 0^{50 * i}") for i in range(20)
    ]
    assert wait_of(POOL, *requests) == (0.8, 0.8, 20)


def test_threads_that_were_there_for_a_part_of_the_run_wait_for_a_part_of_it():
    """Four at once, then four at once: 950 of 1000 ms each, in a run of 4 s."""
    main = POOL.replace("950~950", "3950~3950")
    worker = WORKER.format(time=950)
    waves = [worker.replace("threading 1 0", f"threading 1 0^{at}") for at in (100, 2000)]
    assert wait_of(main, *waves * 4) == (1.9, 7.6, 8)


def test_a_thread_that_only_joins_is_none_of_those_that_wait_for_the_gil():
    main = POOL.replace("main 1 50", "main 1 50~50")
    assert found_in(waited_turns, main, *[SPINNER] * 4) == (
        "70% of the run: 4 threads wait 2.80 s for the GIL or a processor, most in count, {place}",
        0,
    )


# -- For what --------------------------------------------------------------------------------------


def row(name):
    return Row("~", 0, f"<{name}>")


@pytest.mark.parametrize(
    "builtin", ["_hashlib.pbkdf2_hmac", "zlib.compress", "HASH.update", "LZMACompressor.compress"]
)
def test_what_only_computes_waits_for_its_turn(builtin):
    assert reason(row(builtin), has_threads=False) == " (processor)"
    assert reason(row(builtin), has_threads=True) == " (GIL or processor)"


def test_a_thread_alone_does_not_wait_for_the_gil():
    assert reason(row("Cursor.execute"), has_threads=False) == " (I/O, lock or processor)"
    assert reason(row("Cursor.execute"), has_threads=True) == " (I/O, lock, GIL or processor)"


def test_a_sleep_says_why_it_waits():
    assert reason(row("time.sleep"), has_threads=True) == ""


OVERLAP = "Waits for input and output can overlap: in threads, or by asyncio."
DATABASE = (
    "It may wait for the database, or for the GIL after it. Fewer, larger requests wait less."
)
LOCK = "Whoever has the lock could release it sooner, or several locks could share its work."
COMPUTES = "It only computes: what it waits for is its turn."
ANYTHING = "C code waits for input and output, for a lock, or for the GIL after it."
SLEEP = "A sleep is as long as it is told to be: wait for the event itself, if there is one."
GIL = (
    "Only one thread at a time runs Python code: the one that has the GIL. Processes do not share "
    "it, and C code may release it."
)


@pytest.mark.parametrize(
    ("builtin", "advice"),
    [
        ("time.sleep", SLEEP),
        ("lock.acquire", LOCK),
        ("RLock.__enter__", LOCK),
        ("socket.connect", OVERLAP),
        ("socket.sendall", OVERLAP),
        ("socket.getaddrinfo", OVERLAP),
        ("_SSLSocket.do_handshake", OVERLAP),
        ("BufferedWriter.flush", OVERLAP),
        ("socket.recv_into", OVERLAP),
        ("_SSLSocket.read", OVERLAP),
        ("BufferedReader.readline", OVERLAP),
        ("posix.fsync", OVERLAP),
        ("Cursor.execute", DATABASE),
        ("Cursor.executemany", DATABASE),
        ("Cursor.fetchone", DATABASE),
        ("Connection.commit", DATABASE),
        ("posix.waitpid", "The processes could run side by side."),
        ("zlib.compress", COMPUTES),
        ("LZMACompressor.flush", COMPUTES),  # which of a file would be output
        ("setattr", ANYTHING),
        ("Device.sleepless", ANYTHING),  # names are compared as a whole
        ("Channel.selected", ANYTHING),
    ],
)
def test_what_may_be_done_about_a_wait_in_c(builtin, advice):
    assert advice_on(row(builtin)) == advice


def test_what_may_be_done_about_a_wait_in_python():
    source = SPINNERS.replace("{work}", "300")
    finding = waited_turns(outline(source, threads=True))
    assert (finding.advice, finding.figure, finding.callee) == (GIL, "waited", None)
    of = outline(source, threads=True)
    of.text_of = lambda file: None
    assert waited_turns(of).advice == (
        "Python code waits in itself for the lock of a `with`, for the GIL, or for a processor. "
        f"{GIL}"
    )
    assert waited_turns(outline(SPINNERS.replace("{work}", "30"), threads=True)).advice == LOCK


def test_one_thread_that_waits_for_a_lock():
    """Of the GIL nothing is told where one thread waits: another works meanwhile."""
    adder = """
    <module>@main 1 0
      receive@main 1 10
        add@main 30 900~900
    """
    saver = "Thread.run@threading 1 0\n  save@main 10 0\n    <posix.fsync> 10 {0}~{1}"
    assert found_in(waited_turns, adder, saver.format(900, 900)) == (
        "99% of the run: add, {place}, waits 0.90 s for a lock in 30 calls by receive; "
        "meanwhile save ran",
        900,
    )
    assert found_in(waited_turns, adder, saver.format(900, 0)) is None
