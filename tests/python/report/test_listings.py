"""Stats.print_resumes() and print_threads(), to the character."""

import io
import marshal
import threading

import pytest

import tracer
from pictures import profile_of, stats_of


def printed(stats, name, *args):
    stats.stream = io.StringIO()
    assert getattr(stats, name)(*args) is stats
    return stats.stream.getvalue()


def test_resumes():
    assert printed(stats_of("generate").strip_dirs(), "print_resumes") == (
        "   Ordered by: resumes\n"
        "\n"
        "   ncalls   resumes  filename:lineno(function), and who resumed it\n"
        "        1         3  work.py:16(numbers)\n"
        "                  3    <- work.py:21(generate)\n"
        "\n"
    )


WALK = """
def walk(depth):
    yield depth
    if depth:
        yield from walk(depth - 1)

def other(walker):
    list(walker)

def top():
    walker = walk(2)
    next(walker)
    next(walker)
    other(walker)
    for _ in walk(0):
        pass
"""


def test_those_resumed_most_often_come_first_and_recursion_is_told_apart():
    stats = stats_of("top", source=WALK + "def numbers():\n  yield 1\n  yield 2\n").strip_dirs()
    stats.add(profile_of("generate"))
    text = printed(stats, "print_resumes")
    assert text.splitlines()[3:-1] == [
        "        4       7/4  work.py:2(walk)",
        "                3/2    <- work.py:2(walk)",
        "                  2    <- work.py:7(other)",
        "                  2    <- work.py:10(top)",
        "        1         3  /here/app/work.py:16(numbers)",
        "                  3    <- /here/app/work.py:21(generate)",
    ]


def test_resumes_of_some():
    text = printed(stats_of("generate").strip_dirs(), "print_resumes", "nobody")
    assert text == (
        "   Ordered by: resumes\n   List reduced from 1 to 0 due to restriction <'nobody'>\n\n"
    )


def test_no_resumes(tmp_path):
    assert (
        printed(stats_of("top"), "print_resumes") == "   No generator or coroutine was resumed.\n\n"
    )
    (tmp_path / "plain.out").write_bytes(marshal.dumps(stats_of("generate").stats))
    assert printed(tracer.Stats(tmp_path / "plain.out"), "print_resumes") == (
        "   No resumes are recorded here: another profiler wrote this.\n\n"
    )


@pytest.fixture
def capture():
    """A capture of three threads: copies of one, under other names."""
    capture = profile_of("top").capture()
    (thread,) = capture.threads
    (longer,) = profile_of("fall", 20).capture().threads
    capture.threads = (
        thread._replace(name="MainThread", ident=140_000_000_000_001, native_id=12),
        thread._replace(name="worker", ident=140_000_000_000_002, native_id=4_000_000, sharers=3),
        thread._replace(name="lost one", ident=3, native_id=14, cut_off=1.5, lost_calls=1200),
    )
    assert longer.records != thread.records
    return capture


TIMES = "8.000    8.000    0.000    0.000"
THREADS = (
    "   Ordered by: time in the thread's functions\n"
    "\n"
    "   ncalls  tottime     busy   waited     idle            ident  native id  thread\n"
    f"        5    {TIMES}  140000000000001         12  MainThread\n"
    f"        5    {TIMES}  140000000000002    4000000  worker and 2 before it, which had ended\n"
    f"        5    {TIMES}                3         14  lost one (cut off after 1.500 s) "
    "(1,200 calls lost)\n"
    "\n"
)


def test_threads(capture):
    assert printed(tracer.Stats(capture), "print_threads") == THREADS


def test_threads_with_the_most_time_come_first(capture):
    main, second, third = capture.threads
    empty = profile_of("leaf").capture().threads[0].records
    capture.threads = (main._replace(records=empty), second, third)
    text = printed(tracer.Stats(capture), "print_threads")
    assert [line.split()[7] for line in text.splitlines()[3:-1]] == ["worker", "lost", "MainThread"]
    text = printed(tracer.Stats(capture), "print_threads", 2)
    assert text.startswith(
        "   Ordered by: time in the thread's functions\n"
        "   List reduced from 3 to 2 due to restriction <2>\n\n"
    )
    assert [line.split()[7] for line in text.splitlines()[4:-1]] == ["worker", "lost"]


def test_threads_of_a_program():
    profile = tracer.Profile()
    with profile:
        thread = threading.Thread(target=len, args=("",), name="counter")
        thread.start()
        thread.join()
    text = printed(tracer.Stats(profile), "print_threads")
    assert f"{threading.get_ident():16} {threading.get_native_id():10}  MainThread\n" in text
    assert "  counter\n" in text


def test_threads_are_not_known(tmp_path):
    (tmp_path / "plain.out").write_bytes(marshal.dumps(stats_of("top").stats))
    assert printed(tracer.Stats(tmp_path / "plain.out"), "print_threads") == (
        "   No threads are recorded here: another profiler wrote this.\n\n"
    )
    assert printed(tracer.Stats(tracer.Profile()), "print_threads") == (
        "   No threads are recorded here: nothing was recorded.\n\n"
    )
