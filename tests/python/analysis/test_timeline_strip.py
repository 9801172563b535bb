"""analysis/timeline/strip.py, gaps.py beside it and report/timeline.py: a run over time, as
text."""

import re

import pytest

import tracer
from rows import Clock, limited
from timelines import place, run_of
from tracer.analysis.timeline.gaps import longest_gaps, waits_in
from tracer.analysis.timeline.run import runs_of
from tracer.analysis.timeline.slowest import slowest_calls
from tracer.analysis.timeline.strip import columns_of, strip_of
from tracer.data.killed import KILLED
from tracer.data.records import NO_ROW
from tracer.data.section import RUNNING
from tracer.data.types import RunInfo
from tracer.report.timeline import NO_THREAD, letters_of, timeline_text

MAIN = """
<module>@main 0-10000
  view@main 200-5200
    acquire 300-1150
      gap 300-1150 800
  spin@main 5200-9900
    gap 6000-8000 1900
"""
WORKER = """
run@threading 1000-9000
  work@helpers 1000-9000
    gap 2000-3000 900
    loads@json 5000-8000
"""


def task(number, start, end):
    return number, 0, 2, start, end, None


LISTS = {
    "tasks": [task(1, 1000, 4000), task(2, 3000, -1)],
    "collections": [
        (0, 100, 300, 2, 7, 0),
        (1, 2000, 2100, 0, 0, 0),
    ],
    "marks": [(0, 1, 5000, "epoch\n2", ())],
    "forks": [(0, 6000, "fork", 77)],
}


def run(**options):
    return run_of(MAIN, WORKER, **{"unit": 500, "over": True, **LISTS, **options})


SCREEN = """\
              0.000 s                              each 117 us                               0.010 s
MainThread    AAAaaaaaaaAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACCCCCCCCcccccccccccccccccCCCCCCCCCCCCCCCCCC
Thread-1              BBBBBBBBBbbbbbbbbbBBBBBBBBBBBBBBBBBDDDDDDDDDDDDDDDDDDDDDDDDDBBBBBBBBB
tasks                 111111111111111112222222222111111111111111111111111111111111111111111111111111

  A      5 ms  27.8%  view  main.py:1
  B      5 ms  27.8%  work  helpers.py:1
  C    4.7 ms  26.1%  spin  main.py:1
  D      3 ms  16.7%  loads  __init__.py:1
  small: it waited; + -: others; .: no function ran

        at    waited  the longest waits
  0.006000    1.9 ms  MainThread    spin  main.py:1 (lock, GIL or processor)
  0.002000    900 us  Thread-1      work  helpers.py:1 (lock, GIL or processor)
  0.000300    800 us  MainThread    acquire (I/O, lock, GIL or processor) < view  main.py:1
   garbage  2 collections took 300 us; the longest 200 us, at 0.000 s in MainThread, of generation 2
   threads  MainThread 0.000 to 0.010; Thread-1 0.001 to 0.009
     marks  0.005 epoch\\n2
     forks  0.006 fork 77"""


def test_the_screen():
    assert timeline_text(run(), 100, 22, place) == SCREEN


def test_where_there_is_no_terminal_nothing_is_cut():
    """No thread, no name, no mark."""
    names = ["MainThread", "ThreadPoolExecutor-1_0"]
    marked = [(0, 1, 100 + at, f"a mark {at}", ()) for at in range(30)]
    lines = timeline_text(run(names=names, marks=marked), 60, None, place).splitlines()
    assert [line[:24] for line in lines[1:3]] == [f"{name:24}" for name in names]
    gap = (
        "  0.002000    900 us  ThreadPoolExecutor-1_0  work  helpers.py:1 (lock, GIL or processor)"
    )
    assert gap in lines
    first = next(at for at, line in enumerate(lines) if line.startswith("     marks  "))
    text = " ".join(line[12:] for line in lines[first:-1])
    assert text == "; ".join(f"0.000 a mark {at}" for at in range(30))
    assert max(map(len, lines[first:])) <= 70
    assert "…" not in "".join(lines)


def test_marks_are_not_endless():
    marks = [(0, 1, 100 + at, "step", ()) for at in range(1100)]
    text = timeline_text(run(marks=marks), 100, None, place)
    assert text.count("step") == 100
    assert text.endswith("and 1,000 more\n     forks  0.006 fork 77")


def many_threads(number):
    """Threads that each run a function of their own, and wait for work as long."""
    return [
        f"run@threading 0-9000\n  work{at}@main 0-4500\n  Queue.get@queue 4500-9000\n"
        for at in range(number)
    ]


def letters_in(text):
    return re.findall(r"^  ([A-Z] .*%  \S+)", text, re.M)


def test_each_thread_has_a_letter_for_its_work():
    """The functions where all threads wait for work come last, though most of the time is there."""
    of = run_of(*many_threads(4), unit=500, over=True)
    text = timeline_text(of, 100, None, place)
    told = [line.split() for line in letters_in(text)]
    names = ["Queue.get", "work0", "work1", "work2", "work3"]
    assert [(line[0], line[-1]) for line in told] == list(zip("ABCDE", names, strict=True))
    text = timeline_text(of, 100, 13, place)
    assert [line.split()[-1] for line in letters_in(text)] == ["work0", "work1", "work2"]


def test_letters_are_given_in_turn():
    """One thread with many functions takes none of those of another."""
    first = "f0@main 0-3000\nf1@main 3000-5000\nf2@main 5000-6000\nf3@main 6000-7000\n"
    of = run_of(first, "g@main 0-500\nh@main 500-8000\n", unit=500)
    strip = strip_of(of, 20)
    names = {of.name(row) for row in letters_of(of, strip, [0, 1], 3)}
    assert names == {"f0", "h", "f1"}


@pytest.mark.parametrize(("limit", "shown"), [(None, 6), (0, 30), (4, 4), (99, 30)])
def test_so_many_threads_are_shown(limit, shown):
    of = run_of(*many_threads(30), unit=500, over=True)
    text = timeline_text(of, 100, 13, place, limit)
    threads = r"^(?:MainThread   |Thread-\d+ +) "
    assert len(re.findall(threads, text, re.M)) == shown
    told = f"; {30 - shown} more threads: --limit 0, --thread NAME" in text
    assert told == (shown < 30)
    whole = timeline_text(of, 100, None, place, limit)
    assert len(re.findall(threads, whole, re.M)) == (4 if limit == 4 else 30)


def test_waits_for_work_are_told_where_there_are_no_others():
    waits = "  Queue.get@queue 0-9000\n    lock.acquire 0-9000\n      gap 0-9000 8900\n"
    idle = f"run@threading 0-9000\n{waits}"
    asks = "main@main 0-9000\n  sleep 0-500\n    gap 0-500 450\n"
    assert [gap.waited for gap in longest_gaps(run_of(idle, asks), 9)] == [450]
    assert [gap.waited for gap in longest_gaps(run_of(idle), 9)] == [8900]
    own = f"run@main 0-9000\n{waits}"
    assert [gap.waited for gap in longest_gaps(run_of(own, asks), 9)] == [8900, 450]


@pytest.mark.parametrize("since", [0, 4000])
def test_waits_that_were_overwritten(since):
    """A capital letter says that the thread worked only where its waits are known."""
    told = "     waits  are known since 0.004 s; a capital letter before that may be a wait"
    text = timeline_text(run(timeline={"since": since, "ring": True}), 100, 22, place)
    assert (told in text.splitlines()) == (since > 0)
    later = run(timeline={"since": since, "ring": True}, begin=0.005)
    assert told not in timeline_text(later, 100, 22, place)


def test_a_child_of_unknown_id():
    forks = [(0, 6000, "fork", -1), (0, 7000, "exec", -1), (0, 8000, "fork", 9)]
    text = timeline_text(run(forks=forks), 100, 22, place)
    assert text.endswith("     forks  0.006 fork; 0.007 exec; 0.008 fork 9")


def test_a_function_that_takes_no_lock_waits_for_none():
    source = "def spin():\n    pass\n"
    of = run()
    of.outline.text_of = lambda file: source if file.endswith("main.py") else None
    text = timeline_text(of, 100, 22, place)
    assert "spin  main.py:1 (GIL or processor)" in text
    assert "work  helpers.py:1 (lock, GIL or processor)" in text


@pytest.mark.parametrize("width", [40, 80, 100, 200])
@pytest.mark.parametrize("room", [14, 17, 20, 40])
def test_it_fits(width, room):
    lines = timeline_text(run(), width, room, place).splitlines()
    assert len(lines) <= room
    assert max(map(len, lines)) <= width


def test_columns_have_exact_sums():
    """Whatever the number of columns: what the bins hold is in one of them."""
    for number in range(1, 40):
        strip = strip_of(run(), number)
        assert sum(strip.times.values()) == 18000
        (_, cells), (_, others) = strip.threads
        assert len(cells) == len(others) <= number
        assert sum(cell.busy + cell.waited for cell in cells) == 10000
        assert abs(sum(cell.waited for cell in cells) - 2700) <= len(cells)


def times_in(of):
    return {of.name(row): ticks for row, ticks in strip_of(of, 20).times.items()}


def test_a_call_that_took_little_is_its_callers_time():
    """`spin` took 4700 of 18000 ticks, and nothing of the first half of a millisecond."""
    whole = {"<module>": 300, "view": 5000, "spin": 4700, "work": 5000, "loads": 3000}
    assert times_in(run()) == whole
    assert times_in(run(end=0.0005)) == {"<module>": 200, "view": 300}


def test_a_builtin_is_named_where_a_library_called_it():
    of = run_of(
        """
        <module>@main 0-10000
          sum 1000-2000
          wait@threading 2000-9000
            acquire 3000-8000
        """
    )
    assert times_in(of) == {"<module>": 3000, "wait": 2000, "<acquire>": 5000}


def test_what_only_leads_to_others_is_its_callers_time():
    """An import's own functions, and a builtin that calls Python code."""
    of = run_of(
        """
        <module>@main 0-10000
          exec 1000-9000
            _call@importlib 1500-9000
              body@helpers 2000-8000
        """
    )
    assert times_in(of) == {"<module>": 4000, "body": 6000}


@pytest.mark.parametrize("number", [1, 7, 40, 101])
def test_a_bin_is_shared_among_its_columns(number):
    """While bins are merged, some are wider; a thread that waits has very wide ones."""
    of = run(widths=lambda unit: 8 if unit >= 8 else 1)
    strip = strip_of(of, number)
    assert sum(strip.times.values()) == 18000
    assert all(cell.busy + cell.waited <= strip.width + 4 for cell in strip.threads[0][1])


def test_a_part_of_the_run():
    of = run(begin=0.005, end=0.007)
    strip = strip_of(of, 10)
    assert (strip.first, strip.width, len(strip.threads[0][1])) == (5000, 200, 10)
    text = timeline_text(of, 100, 21, place)
    assert "0.005 s" in text and "acquire" not in text and "garbage" not in text
    assert "epoch" in text and "fork" in text


def test_columns_of_any_moments():
    """Also of a damaged file, whose thread ends where no clock comes to."""
    of = run()
    for end in (0, 1, 10001, 2**40 + 7, 2**61 + 12345):
        of.threads[0].ended = end
        for begin in (0, 3333, 2**33 + 1):
            of.threads[0].began = of.threads[1].began = begin
            first, width, number = columns_of(of, 37)
            assert 1 <= number <= 37
            assert first <= begin < first + width * number or begin > end
            assert max(end, 9000) <= first + width * number


def test_a_thread_that_is_not_there_has_blanks():
    """The worker begins after 1000 ticks and ends at 9000; nothing of it runs in the last bins."""
    (_, cells) = strip_of(run(), 10).threads[1]
    assert [cell.is_there for cell in cells] == [False] + 9 * [True]
    assert cells[-1].row == NO_ROW
    assert strip_of(run(over=False), 20).threads[1][1][-1].is_there


def test_most_tasks_at_once():
    assert strip_of(run(), 20).tasks == [0, 0, 1, 1, 1, 1, 2, 2, 2, *[1] * 11]
    many = [task(number, 0, 10000) for number in range(1, 13)]
    text = timeline_text(run(tasks=many), 100, 21, place)
    assert "\ntasks         ####" in text
    assert "; .: no function ran; tasks: up to 12 at once, #: 10 or more\n" in text
    assert not any(strip_of(run(tasks=[]), 20).tasks)


def test_the_longest_gaps():
    gaps = longest_gaps(run(), 2)
    assert [(gap.waited, gap.start, gap.thread) for gap in gaps] == [
        (1900, 6000, "MainThread"),
        (900, 2000, "Thread-1"),
    ]
    (third,) = longest_gaps(run(begin=0, end=0.001), 9)
    assert (run().name(third.row), run().name(third.caller)) == ("<acquire>", "view")


def test_slices_of_a_part_are_read():
    (thread, _) = run().threads
    assert list(thread.read(0, 0, 250).starts) == [0, 200]
    assert list(thread.read(0, 9950, 9960).starts) == [0]
    assert len(thread.read().starts) == 6


def test_of_gaps_of_one_length_the_first_comes_first():
    gaps = [f"  gap {start}-{start + 1000} 900\n" for start in (1000, 3000, 5000)]
    found = longest_gaps(run_of(f"spin@main 0-9000\n{''.join(gaps)}"), 2)
    assert [gap.start for gap in found] == [1000, 3000]


def test_a_wait_is_spread_over_its_gap():
    of = run()
    assert waits_in(of, of.threads[0], [0, 1000, 2000]) == [659, 141]
    assert waits_in(of, of.threads[0], [5000, 7000, 9000]) == [950, 950]


def test_no_thread():
    of = run()
    of.threads = ()
    assert timeline_text(of, 100, 21, place) == NO_THREAD


def test_calls_whose_path_was_not_kept():
    """Their callers' nodes are not known: they are their own."""
    clock = Clock()

    def down(n):
        clock.now += 1000
        if n:
            down(n - 1)
            side()

    def side():
        clock.now += 100

    profile = limited(clock, 1e-6, threads=False, _node_limit=3, timeline=True)
    profile.record_call(down, 5)
    profile.disable()
    [of] = runs_of(tracer.Stats(profile.capture()))
    [thread] = of.threads
    overflow = [*memoryview(thread.thread.log.folded).cast("I")]
    assert overflow and all(thread.parents[node] == 0 for node in overflow)
    strip = strip_of(of, 20)
    names = {of.name(row).rpartition(".")[2]: ticks for row, ticks in strip.times.items()}
    assert names == {"down": 6000, "side": 500}
    calls = slowest_calls(of, 99, set(strip.times))
    assert [call.length for call in calls] == [6500, 5400, 4300, 3200, 2100, 1000, *[100] * 5]


@pytest.mark.parametrize(("ended", "is_cut"), [(RUNNING, True), (KILLED, True), ("", False)])
def test_a_strip_ends_where_the_figures_were_saved(ended, is_cut):
    """A killed run has slices of later calls, but no figures of theirs."""
    of = run()
    of.capture.run = RunInfo(("main.py",), 0.0, 0.007, 0.0, 0.0, 0, ended=ended)
    strip = strip_of(of, 40)
    assert strip.first + strip.width * len(strip.threads[0][1]) == (7000 if is_cut else 10000)
    told = "     saved  at 0.007 s; single calls are known up to 0.010 s"
    assert (told in timeline_text(of, 100, 22, place).splitlines()) == is_cut


def test_a_thread_alone_waits_for_no_gil():
    text = timeline_text(run_of(MAIN, unit=500), 100, 21, place)
    assert "spin  main.py:1 (processor)" in text
    assert "acquire (I/O, lock or processor) < view" in text
