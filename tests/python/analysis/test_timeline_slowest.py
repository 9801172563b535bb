"""analysis/timeline/slowest.py and its table: which single calls took longest, when, below what."""

import pytest

from timelines import place, run_of
from tracer.analysis.timeline.slowest import slowest_calls
from tracer.report.timeline_calls import NO_CALL, shortened, slowest_table
from treetexts import PYTHON, SITE

HEAD = "        at      took  thread        call < its callers"
SHOP = """
<module>@main 0-10000
  main@main 100-9900
    view@main 200-1200
      loads@json 300-1150
        scan 320-1149
    view@main 1300-1400
    view@main 2000-8000
      loads@json 2000-2300
      parse@helpers 3000-7800
        sleep 3000-7790
    view@main 8000-9001
"""


def told(run, number, names=None, width=100):
    rows = run.outline.paths.rows
    wanted = None
    if names is not None:
        wanted = {at for at, row in enumerate(rows) if row.name.strip("<>") in names}
    return slowest_table(run, slowest_calls(run, number, wanted), width, place)


def test_the_longest_calls_without_those_that_only_lead_to_another():
    """The module leads to main, and parse to a sleep: the program's own function stands for it."""
    assert told(run_of(SHOP), 6) == [
        HEAD,
        "  0.000100    9.8 ms  MainThread    main  main.py:1 < <module>",
        "  0.002000      6 ms  MainThread    view  main.py:1 < main < <module>",
        "  0.003000    4.8 ms  MainThread    parse  helpers.py:1 < view < main < <module>",
        "  0.008000      1 ms  MainThread    view  main.py:1 < main < <module>",
        "  0.000200      1 ms  MainThread    view  main.py:1 < main < <module>",
        "  0.000300    850 us  MainThread    loads  __init__.py:1 < view < main < <module>",
    ]


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_more_are_a_continuation_of_fewer(number):
    calls = slowest_calls(run_of(SHOP), 20)
    lengths = [call.length for call in calls]
    assert lengths == [9800, 6000, 4800, 1001, 1000, 850, 300, 100]
    assert slowest_calls(run_of(SHOP), number) == calls[:number]


def test_progress_is_told():
    done = []
    calls = slowest_calls(run_of(SHOP), 5, progress=done.append)
    assert len(calls) == 5 <= done[-1]


def test_of_one_function_all_calls_count():
    assert [line.split()[:3] for line in told(run_of(SHOP), 9, ["sleep", "loads"])[1:]] == [
        ["0.003000", "4.79", "ms"],
        ["0.000300", "850", "us"],
        ["0.002000", "300", "us"],
    ]


def test_what_starts_and_what_imports_is_no_caller():
    """A module that is imported has who asked for it, and a function that a thread runs no one."""
    text = """
    run@threading 0-1000
      work@main 0-900
        join@threading 0-500
          acquire 0-400
        _find_and_load@boot 500-700
          <module>@numpy 510-650
            zeros@numpy 520-600
    """
    assert [line[36:] for line in told(run_of(text), 9, ["acquire", "work", "zeros"])[1:]] == [
        "work  main.py:1",
        "acquire < threading < work",
        "zeros  __init__.py:1 < numpy < work",
    ]


def test_what_ran_already_is_a_call_that_is_not_counted():
    """Calls are read until all that were counted are found, and this one is not among them."""
    text = "f@main 0-1000000 ~\n  f@main 10-20010\n    f@main 30-430\n    f@main 500-501\n"
    lengths = [call.length for call in slowest_calls(run_of(text), 9, {0})]
    assert lengths == [1000000, 20000, 400, 1]


def test_a_part_of_the_run_has_the_calls_that_began_or_ended_there():
    """Those around it say nothing of it: they are told where there are no others."""
    run = run_of(SHOP, begin=0.0011, end=0.0019)
    assert [(call.start, call.length) for call in slowest_calls(run, 9)] == [
        (200, 1000),
        (300, 850),
        (1300, 100),
    ]
    run = run_of(SHOP, begin=0.0015, end=0.0019)
    assert [(call.start, call.length) for call in slowest_calls(run, 9)] == [(100, 9800)]
    run = run_of(SHOP, begin=0.5)
    assert told(run, 9) == [NO_CALL]


def test_a_part_of_the_run_has_its_tasks():
    run = service(begin=0.0026, end=0.0095)
    assert [(call.start, call.length) for call in slowest_calls(run, 9)] == [(400, 6000)]
    assert [call.start for call in slowest_calls(service(end=0.0003), 9, {1})] == [100]


def test_a_name_that_is_too_long_keeps_its_end():
    other = "run@threading 0-9000\n  work@helpers 0-8000\n    gap 10-7990 20\n"
    names = ["MainThread", "ThreadPoolExecutor-1_0"]
    lines = told(run_of(SHOP, other, names=names), 3)
    assert lines[1].endswith("MainThread    main  main.py:1 < <module>")
    assert lines[2] == "  0.000000      8 ms  Thre…tor-1_0  work  helpers.py:1"


FUTURES = f"{PYTHON}/concurrent/futures/thread.py"
POOL = f"""
_bootstrap@threading 0-10000
  run@threading 0-10000
    _worker@{FUTURES} 0-10000
      SimpleQueue.get 100-3000
        gap 100-3000 2890
      run@{FUTURES} 3000-5000
        query@{SITE}/db/pool.py 3000-4990
          Cursor.execute 3000-4900
      run@{FUTURES} 5000-5600
        one@helpers 5000-5200
        two@helpers 5300-5500
      lock.acquire 6000-9000
"""
WAITRESS = f"{SITE}/waitress/task.py"


def test_what_shows_no_more_than_that_a_thread_was_there_is_left_out():
    """The worker, what starts its items, and its waits for the next one."""
    assert [line[34:] for line in told(run_of(POOL), 9, width=99)[1:]] == [
        "  query  db/pool.py:1".replace("db/", ""),
        "  one  helpers.py:1",
        "  two  helpers.py:1",
    ]


def test_what_the_program_waits_for_itself_is_told():
    text = f"""
    run@threading 0-10000
      reader@main 0-6000
        get@queue 0-3000
          wait@threading 0-2990
            lock.acquire 0-2980
        select.select 3000-5000
        poll@{WAITRESS} 5000-5900
          select.select 5000-5890
      work@{WAITRESS} 6000-9900
        wait@threading 6000-8000
          lock.acquire 6000-8000
        reply@main 8000-8100
    """.replace("get@queue", "Queue.get@queue")
    assert [line[12:20] + line[34:] for line in told(run_of(text), 9)[1:]] == [
        "    6 ms  reader  main.py:1",
        "  3.9 ms  work  task.py:1",
        "    3 ms  Queue.get  queue.py:1 < reader",
        "    2 ms  select.select < reader",
        "  100 us  reply  main.py:1 < waitress",
    ]


def test_where_there_is_nothing_else_what_was_there_is_told():
    text = f"_worker@{FUTURES} 0-10000\n  SimpleQueue.get 100-3000\n"
    lines = told(run_of(text), 9)
    assert [line[12:20] + line[34:] for line in lines[1:]] == [
        "   10 ms  _worker  thread.py:1",
        "  2.9 ms  SimpleQueue.get < _worker",
    ]


def test_a_greenlet_that_serves_is_told():
    text = f"handle@{WAITRESS} 0-400 /1\nhandle@{WAITRESS} 500-900 /2\n"
    assert len(slowest_calls(run_of(text, stacks=[(1, 0, None), (2, 0, None)]), 9)) == 2


SERVICE = """
serve@main 0-10000
  handle@main 100-300 #1
    parse@helpers 150-250
  handle@main 400-1400 #2
  handle@main 2000-2500 + #1
  handle@main 3000-9000 + #2 ?
"""
TASKS = [
    (1, 0, 2, 100, 2500, "Task-1"),
    (2, 0, 2, 400, -1, None),
]


def service(**part):
    return run_of(SERVICE, tasks=TASKS, **part)


def test_a_task_is_the_sum_of_its_stretches():
    assert told(service(), 9) == [
        HEAD,
        "  0.000000     10 ms  MainThread    serve  main.py:1",
        "  0.000400      7 ms  MainThread    handle  main.py:1  "
        "[task 2: 2 stretches in 9.6 ms, not ended]",
        "  0.000100    700 us  MainThread    handle  main.py:1  [Task-1: 2 stretches in 2.4 ms]",
        "  0.000150    100 us  MainThread    parse  helpers.py:1 < handle < serve",
    ]


def test_tasks_that_are_named_are_as_long_as_they_were_there():
    """Who asks for the slowest request asks for the one that took longest, though it ran little."""
    tasks = [*TASKS, (3, 0, 2, 5000, 9999, "Task-3")]
    text = SERVICE.replace("  handle@main 3000", "  handle@main 2500-2501 #3\n  handle@main 3000")
    assert told(run_of(text, tasks=tasks), 1, ["handle"]) == [
        HEAD,
        "  0.000400    9.6 ms  MainThread    handle  main.py:1  "
        "[task 2: ran 7 ms in 2 stretches, not ended]",
    ]
    lengths = [call.length for call in slowest_calls(run_of(text, tasks=tasks), 9, {1})]
    assert lengths == [9600, 4999, 2400]
    assert [call.length for call in slowest_calls(run_of(text, tasks=tasks), 2, {1})] == lengths[:2]


def test_what_is_no_task_is_told_in_stretches():
    text = "main@main 0-100\n  numbers@main 10-30\n  numbers@main 40-90 +\n  last@main 90-100 ?\n"
    assert told(run_of(text), 9)[2:] == [
        "  0.000040     50 us  MainThread    numbers  main.py:1  [a stretch] < main",
        "  0.000010     20 us  MainThread    numbers  main.py:1  [a stretch] < main",
        "  0.000090     10 us  MainThread    last  main.py:1  [not ended] < main",
    ]


def test_a_chain_fits_and_keeps_both_ends():
    chain = ["view", "dispatch", "route", "serve", "main"]
    assert shortened(chain, 99) == " < view < dispatch < route < serve < main"
    assert shortened(chain, 40) == " < view < dispatch < route < … < main"
    assert shortened(chain, 25) == " < view < … < main"
    assert shortened(chain, 12) == " < view < …"
    assert shortened(chain, 3) == ""
    assert shortened(["long_name_of_a_view", "main"], 18) == " < long…a_view < …"
    assert shortened(["long_name_of_a_view"], 14) == " < long…a_view"
    assert shortened(["long_name_of_a_view"], 10) == ""
    assert shortened([], 30) == ""
    deep = "".join(f"{'  ' * at}function_{at:02}@main 0-{100 - 6 * at}\n" for at in range(12))
    for width in (60, 80, 100):
        lines = told(run_of(deep), 12, width=width)
        assert max(map(len, lines)) <= width
        assert lines[-1].endswith("< function_10 < … < function_00" if width == 100 else "…")


def test_what_the_module_itself_calls_is_not_left_out_with_it():
    """The module leads to one call, and is one of those that only show that a thread was there."""
    lines = told(run_of("<module>@main 0-1000\n  sleep 10-990\n"), 3)
    assert lines[1:] == ["  0.000010    980 us  MainThread    sleep < <module>"]
