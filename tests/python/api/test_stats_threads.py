"""The threads of a tracer.Stats: a Stats for each, by position, name and ident."""

import threading

import pytest

import tracer
from launch import traced, write
from rows import calls_of
from tracer.analysis.tree.call_tree import paths_of
from tracer.cli.run_header import run_header
from tracer.page import run_facts
from tracer.server.viewer import title_of

pytestmark = pytest.mark.results


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers():
    yield from range(4)


def program():
    fib(6)
    list(numbers())


@pytest.fixture
def threaded():
    profile = tracer.Profile()
    with profile:
        fib(3)
        for _ in range(2):
            thread = threading.Thread(target=program, name="worker")
            thread.start()
            thread.join()
    return profile


def test_threads_by_position_name_and_ident(threaded, tmp_path):
    threaded.dump_stats(tmp_path / "profile.out")
    for source in threaded, tmp_path / "profile.out":
        threads = tracer.Stats(source).threads
        assert [item.thread.name for item in threads] == ["MainThread", "worker", "worker"]
        ident = threading.get_ident()
        assert threads[ident].thread == threads["MainThread"].thread == threads[0].thread
        assert [calls_of(item, fib) for item in threads[1:]] == [[25], [25]]
        assert threads[-1].thread == threads[2].thread
        assert calls_of(threads["worker"], fib) == [50]
        assert threads[0].thread.native_id == threading.get_native_id()


def test_an_ident_that_was_used_again_is_that_of_the_latest_thread(threaded):
    """Systems give the ident of a thread that has ended to the next one."""
    capture = threaded.capture()
    main, first, second = capture.threads
    capture.threads = (
        main,
        first._replace(name="first", ident=7_000_000),
        second._replace(name="second", ident=7_000_000),
    )
    threads = tracer.Stats(capture).threads
    assert threads[7_000_000].thread == threads["second"].thread == capture.threads[2]
    assert calls_of(threads[7_000_000], fib) == [25]


def test_threads_of_one_name_are_added_up_to_a_thread(threaded):
    capture = threaded.capture()
    main, first, second = capture.threads
    capture.threads = (
        main,
        first._replace(sharers=2, lost_calls=3),
        second._replace(ident=8_000_000, native_id=9, lost_calls=4),
    )
    both = tracer.Stats(capture).threads["worker"]
    assert calls_of(both, fib) == [50]
    thread = both.thread
    assert (thread.name, thread.ident, thread.native_id) == ("worker", 8_000_000, 9)
    assert (thread.sharers, thread.lost_calls) == (2 + 1, 3 + 4)
    # Records are bytes by the thousand, which nobody wants to read.
    assert repr(thread) == (
        "Thread(name='worker', ident=8000000, native_id=9, sharers=3, cut_off=None, lost_calls=7)"
    )
    # Records are of one thread, and so cannot be those of a sum.
    assert capture.figures(thread=thread)[:2] == ({}, {})
    assert repr(both).endswith(" in worker (8000000)>")


def test_threads_add_up_to_the_whole(threaded):
    stats = tracer.Stats(threaded)
    total = tracer.Stats(*stats.threads)
    assert total.stats.keys() == stats.stats.keys()
    for label, row in stats.stats.items():
        assert total.stats[label] == (
            *row[:2],
            *(pytest.approx(figure, rel=1e-9) for figure in row[2:4]),
            {
                caller: (*figures[:2], *(pytest.approx(item, rel=1e-9) for item in figures[2:]))
                for caller, figures in row[4].items()
            },
        )
    (label,) = stats.resumes
    resumes = stats.resumes[label]
    assert resumes.suspended > 0
    assert total.resumes == {
        label: resumes._replace(suspended=pytest.approx(resumes.suspended, rel=1e-9))
    }


def test_a_thread_that_is_not_there(threaded):
    threads = tracer.Stats(threaded).threads
    for key in ("nobody", 99):
        with pytest.raises(KeyError, match=r"no thread .*there are: MainThread \(\d+\), worker"):
            threads[key]
    with pytest.raises(KeyError, match="there are: none"):
        tracer.Stats().threads[0]


@pytest.mark.parametrize(
    ("count", "end"),
    [(10, "t8 (8), t9 (9)"), (11, "t9 (9) and 1 more"), (3001, "t9 (9) and 2,991 more")],
)
def test_ten_threads_at_most_are_named(threaded, count, end):
    capture = threaded.capture()
    thread = capture.threads[0]
    capture.threads = tuple(thread._replace(name=f"t{n}", ident=n) for n in range(count))
    with pytest.raises(KeyError) as caught:
        tracer.Stats(capture).threads["nobody"]
    assert caught.value.args[0].endswith(end)
    assert caught.value.args[0].startswith("no thread 'nobody'; there are: t0 (0), t1 (1), ")


def test_every_sharer_of_a_record_is_counted(threaded):
    capture = threaded.capture()
    main, first, second = capture.threads
    capture.threads = (main, first._replace(sharers=2000), second._replace(sharers=1000))
    stats = tracer.Stats(capture)
    assert repr(stats).endswith(" s, 3001 threads>")
    assert repr(capture).endswith(" functions, 3001 threads>")
    assert " in 3,001 threads\n" in run_header(stats, 1)


def test_threads_of_stripped_stats_are_stripped(threaded):
    stats = tracer.Stats(threaded).strip_dirs()
    assert set(stats.threads["worker"].stats) <= set(stats.stats)
    assert tracer.Stats(stats).threads[0].stats == stats.threads[0].stats


def test_only_threads_of_what_was_stripped_are_stripped(threaded):
    whole, stripped = tracer.Stats(threaded), tracer.Stats(threaded).strip_dirs()
    parts = [*(item.stats for item in whole.threads), *(item.stats for item in stripped.threads)]
    assert [item.stats for item in tracer.Stats(whole, stripped).threads] == parts
    assert [item.stats for item in tracer.Stats(stripped, whole).threads] == parts[3:] + parts[:3]
    both = tracer.Stats(whole, stripped).strip_dirs()
    assert [item.stats for item in both.threads] == parts[3:] * 2


# -- What a thread has of its capture --------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    """A Stats of what the command recorded by the clock of the processor, with two workers."""
    program = (
        "import threading\ndef work(): pass\nfor _ in range(2):\n"
        "    thread = threading.Thread(target=work, name='worker')\n"
        "    thread.start(); thread.join()\n"
    )
    write(tmp_path / "program.py", program)
    words = ("--lines", "--timer=cpu", "-o", "profile.out", "program.py")
    assert traced(*words, cwd=tmp_path).returncode == 0
    return tracer.Stats(tmp_path / "profile.out")


def test_a_thread_has_all_of_its_capture_but_other_threads(saved):
    [whole] = saved.captures
    first, second = saved.threads[1:]
    both = saved.threads["worker"]
    cases = (first, first), (both, first, second), (tracer.Stats(*saved.threads), *saved.threads)
    for stats, *parts in cases:
        [capture] = stats.captures
        assert (capture.run, capture.clock, capture.sources) == (whole.run, "cpu", whole.sources)
        assert capture.threads == tuple(part.thread for part in parts)
        assert capture.figures().stats.keys() == stats.stats.keys()
        hits = {it.name: [line.hits for line in it.lines] for it in stats.lines.functions}
        assert hits["work"] == [sum(part.thread.name == "worker" for part in parts)]
        assert bool(hits.get("<module>")) is (saved.threads[0].thread in capture.threads)
        assert title_of(stats) == "program.py"
    assert saved.captures == [whole] and len(whole.threads) == 3 and saved.lines.functions


def test_the_page_of_a_thread_tells_of_its_run(saved):
    thread = saved.threads[1]
    whole, found = (run_facts.facts_of(stats) for stats in (saved, thread))
    assert found["runs"] == whole["runs"] and len(found["runs"]) == 1
    assert found["clocks"] == ["cpu"]
    assert (whole["threads"], found["threads"]) == (3, 1)
    assert found["calls"] == thread.total_calls
    [text] = run_facts.sources_of(thread, paths_of(thread)).values()
    assert "def work(): pass" in text["text"]


def test_threads_of_several_runs_have_each_run_once(saved, tmp_path):
    """However often it is asked for, a thread of a run makes no two runs of it."""
    other = tracer.Stats(saved.captures[0])
    other.captures[0].write(tmp_path / "other.out")
    both = tracer.Stats(saved, tmp_path / "other.out")
    assert [len(it.threads) for it in both.threads["worker"].captures] == [2, 2]
    first = both.threads[0]
    assert [len(it.threads) for it in tracer.Stats(both, first).captures] == [3, 3, 1]
    assert [it.thread for it in first.threads] == [first.thread]


def test_a_thread_says_once_what_is_wrong_with_the_files(saved, tmp_path):
    data = (tmp_path / "profile.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[:-10])
    stats = tracer.Stats(saved, tmp_path / "cut.out")
    assert len(stats.problems) == 1
    assert stats.threads[0].problems == stats.threads["worker"].problems == stats.problems


def test_a_thread_in_words(saved):
    thread = saved.threads[1]
    assert repr(thread).endswith(f" s in worker ({thread.thread.ident})>")
    assert repr(saved).endswith(" s, 3 threads>")
