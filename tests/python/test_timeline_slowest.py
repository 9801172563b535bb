"""analysis/timeline_slowest.py and its table: which single calls took longest, when, below what."""

import pytest

from timelines import place, run_of
from tracer.analysis.timeline_slowest import slowest_calls
from tracer.report.timeline_calls import HEAD, NO_CALL, shortened, slowest_table

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


def test_a_part_of_the_run_has_the_calls_that_reach_into_it():
    run = run_of(SHOP, begin=0.0013, end=0.0019)
    assert [(call.start, call.length) for call in slowest_calls(run, 9)] == [
        (100, 9800),
        (1300, 100),
    ]
    run = run_of(SHOP, begin=0.5)
    assert told(run, 9) == [NO_CALL]


def test_threads_stand_in_one_order():
    other = "run@threading 0-9000\n  work@helpers 0-8000\n    gap 10-7990 20\n"
    run = run_of(SHOP, other, names=["MainThread", "a_thread_of_a_long_name"])
    lines = told(run, 3)
    assert lines[1].endswith("MainThread    main  main.py:1 < <module>")
    assert lines[
        2
    ] == "  0.000000      9 ms  a_thread_of…  run  /env/lib/python3.11/threading.py:1" or (
        "a_thread_of…" in lines[2]
    )
    assert "work  helpers.py:1 < threading" in lines[3] or lines[3].endswith("helpers.py:1")


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


def test_a_task_is_the_sum_of_its_stretches():
    assert told(run_of(SERVICE, tasks=TASKS), 9) == [
        HEAD,
        "  0.000000     10 ms  MainThread    serve  main.py:1",
        "  0.000400      7 ms  MainThread    handle  main.py:1  "
        "[task 2: 2 stretches in 9.6 ms, not ended]",
        "  0.000100    700 us  MainThread    handle  main.py:1  [Task-1: 2 stretches in 2.4 ms]",
        "  0.000150    100 us  MainThread    parse  helpers.py:1 < handle < serve",
    ]


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
    deep = "".join(f"{'  ' * at}function_{at:02}@main 0-{100 - 6 * at}\n" for at in range(12))
    for width in (60, 80, 100):
        lines = told(run_of(deep), 12, width=width)
        assert max(map(len, lines)) <= width
        assert lines[-1].endswith("< function_10 < … < function_00" if width == 100 else "…")
