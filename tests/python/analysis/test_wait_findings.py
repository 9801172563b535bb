"""What is found of waits: each finding to the character, its thresholds, and what is none."""

import pytest

from foundwaits import EVENTS, POOL, SPINNER, WORKER, outline, text_of, told
from tracer.analysis.findings.coroutines import longest_step
from tracer.analysis.findings.waits import waited_in_c, waited_in_python
from tracer.analysis.outline.outline import Outline
from treetexts import in_ms, paths_of_text

# -- What threads waited ---------------------------------------------------------------------------


def test_waiting_in_c_is_told_by_whom_and_in_what():
    source = (
        "def fetch():\n    WAIT_IN_C(150)\n\ndef main():\n    fetch(); fetch()\n    WORK(200)\n"
    )
    text = "60% of the run: fetch, {place}, waits 0.30 s in setattr (I/O, lock or processor)"
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
    """It waits 1800 ms, too, which are no finding. The threads run one after the other."""
    text, saving, line = told(waited_in_c(outline(IDLE, threads=True)))
    assert text.startswith("99% of the run: help, {place}, waits 1.80 s in setattr, 2 threads (I/O")
    assert (saving, line) == (1800, 4)


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
    text = "50% of the run: 2 threads wait 0.60 s for the GIL or a processor, most in help, {place}"
    assert told(found) == (text, 600, 4)


def test_else_it_may_be_for_a_lock():
    """All that was busy is less than half of the run: nobody held the GIL most of the time."""
    found = waited_in_python(outline(SPINNERS.replace("{work}", "50"), threads=True))
    what = "a lock, the GIL or a processor"
    text = f"85% of the run: 2 threads wait 0.60 s for {what}, most in help, {{place}}"
    assert told(found) == (text, 600, 4)


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
    text, _, line = told(waited_in_python(outline(f"import contextlib\n{source}", threads=True)))
    assert "2 threads wait 0.60 s for a lock, the GIL or a processor, most in spin" in text
    assert line == 12


@pytest.mark.parametrize("text", [None, "", "def help(", "x = 1\n"])
def test_a_lock_is_named_where_the_text_of_what_waited_is_not_known(text):
    of = outline(SPINNERS.replace("{work}", "300"), threads=True)
    of.text_of = lambda file: text
    assert " for a lock, the GIL or a processor, " in told(waited_in_python(of))[0]


def test_one_thread_does_not_wait_for_the_gil():
    """It waits for a processor, of which the program knows nothing."""
    assert waited_in_python(outline("def main():\n    WORK(100)\n    WAIT(900)\n")) is None


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


def test_of_threads_side_by_side_the_share_is_of_the_run():
    worker = WORKER.format(time=950)
    text = "95% of the run: fetch, {place}, waits 3.80 s in Cursor.execute, 4 threads"
    assert found_in(waited_in_c, POOL, *[worker] * 4) == (
        f"{text} (I/O, lock, GIL or processor)",
        950,
    )


def test_a_thread_that_hardly_waits_is_not_counted():
    few, much = WORKER.format(time=94), WORKER.format(time=950)
    text = "95% of the run: fetch, {place}, waits 1.90 s in Cursor.execute, 2 threads"
    assert found_in(waited_in_c, POOL, much, much, few)[0].startswith(f"{text} (")
    assert (
        "2.00 s in Cursor.execute, 3 threads"
        in (found_in(waited_in_c, POOL, much, much, WORKER.format(time=95))[0])
    )


def test_what_one_of_many_threads_waits_is_found():
    """Of 10 s in all threads, the sleep has 0.2; of the run, a fifth."""
    writer = WORKER.replace("Cursor.execute", "time.sleep")
    others = [HOUSEKEEPER] * 8
    assert found_in(waited_in_c, POOL, writer.format(time=200), *others) == (
        "20% of the run: fetch, {place}, waits 0.20 s in time.sleep",
        200,
    )
    assert found_in(waited_in_c, POOL, writer.format(time=199), *others) is None


def test_threads_one_after_the_other_wait_for_the_whole_of_the_run():
    """A thread for each of 20 requests: none of them waits for long."""
    request = WORKER.replace("fetch@main 1 50", "fetch@main 1 10").format(time=40)
    requests = [
        request.replace("run@threading 1 0", f"run@threading 1 0^{50 * i}") for i in range(20)
    ]
    text = "80% of the run: fetch, {place}, waits 0.80 s in Cursor.execute, 20 threads"
    found, saving = found_in(waited_in_c, POOL, *requests)
    assert found.startswith(f"{text} (") and saving == 800


def test_threads_that_were_there_for_a_part_of_the_run_wait_for_a_part_of_it():
    """Four at once, then four at once: 950 of 1000 ms each, in a run of 4 s."""
    main = POOL.replace("950~950", "3950~3950")
    worker = WORKER.format(time=950)
    waves = [worker.replace("threading 1 0", f"threading 1 0^{at}") for at in (100, 2000)]
    text = "48% of the run: fetch, {place}, waits 7.60 s in Cursor.execute, 8 threads"
    found, saving = found_in(waited_in_c, main, *waves * 4)
    assert found.startswith(f"{text} (") and saving == 1900


def test_a_thread_that_only_joins_is_none_of_those_that_wait_for_the_gil():
    main = POOL.replace("main 1 50", "main 1 50~50")
    assert found_in(waited_in_python, main, *[SPINNER] * 4) == (
        "70% of the run: 4 threads wait 2.80 s for the GIL or a processor, most in count, {place}",
        700,
    )


# -- For what --------------------------------------------------------------------------------------

HASHING = """
<module>@main 1 100
  digest@main 4 0
    <{}> 4 900~400
"""


@pytest.mark.parametrize(
    "builtin", ["_hashlib.pbkdf2_hmac", "zlib.compress", "HASH.update", "LZMACompressor.compress"]
)
def test_what_only_computes_waits_for_its_turn(builtin):
    text = f"40% of the run: digest, {{place}}, waits 0.40 s in {builtin} "
    hashing = HASHING.format(builtin)
    assert found_in(waited_in_c, hashing) == (f"{text}(processor)", 400)
    assert found_in(waited_in_c, hashing, HOUSEKEEPER) == (f"{text}(GIL or processor)", 400)


def test_a_thread_alone_does_not_wait_for_the_gil():
    text = "40% of the run: digest, {place}, waits 0.40 s in Cursor.execute "
    hashing = HASHING.format("Cursor.execute")
    assert found_in(waited_in_c, hashing) == (f"{text}(I/O, lock or processor)", 400)


def test_a_sleep_says_why_it_waits():
    text = "40% of the run: digest, {place}, waits 0.40 s in time.sleep"
    assert found_in(waited_in_c, HASHING.format("time.sleep")) == (text, 400)


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
    finding = waited_in_c(Outline(paths_of_text(in_ms(HASHING.format(builtin)))))
    assert finding.advice == advice
    assert (finding.figure, finding.callee.name) == ("waited", f"<{builtin}>")


def test_what_may_be_done_about_a_wait_in_python():
    source = SPINNERS.replace("{work}", "300")
    finding = waited_in_python(outline(source, threads=True))
    assert (finding.advice, finding.figure, finding.callee) == (GIL, "waited", None)
    finding = waited_in_python(outline(SPINNERS.replace("{work}", "50"), threads=True))
    assert finding.advice == (
        "Python code waits in itself for the lock of a `with`, for the GIL, or for a processor. "
        f"{GIL}"
    )


STEPS = """
def digest():
    WAIT_IN_C(150)

def other():
    WAIT_IN_C({other})

def main():
    for callback in (digest, other, digest):
        Handle(callback)._run()
"""


def test_what_keeps_the_loop_from_turning_is_told_once():
    """Of digest(), which waits 300 ms, longest_step() tells."""

    def steps(other):
        source = STEPS.replace("{other}", str(other))
        return outline(source, ("asyncio/events.py", EVENTS))

    assert longest_step(steps(140)).row.name == "digest"
    text = "32% of the run: other, {place}, waits 0.14 s in setattr (I/O, lock or processor)"
    assert told(waited_in_c(steps(140))) == (text, 140, 5)
    assert waited_in_c(steps(70)) is None
