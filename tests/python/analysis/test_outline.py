"""analysis/outline/outline.py and report/outline.py: which rows the tree of the first screen
has."""

from textwrap import dedent

from tracer.analysis.outline.outline import Outline
from tracer.report.outline import LEADS_TO, outline_table
from treetexts import PYTHON, SITE, in_ms, paths_of_text

HEAD = "    time      %      own     calls"


def place(row):
    return f"{row.file.rpartition('/')[2]}:{row.line}"


def printed(*texts, rows=25, width=100, names=(), extensions=None):
    outline = Outline(paths_of_text(*map(in_ms, texts), names=names, extensions=extensions))
    head, *lines = outline_table(outline, rows, width, place)
    assert head == HEAD
    assert all(len(line) <= width for line in lines)
    return "\n".join(lines)


def expected(text):
    return dedent(text).strip("\n")


def test_each_row_has_its_time_share_own_time_and_calls():
    assert printed(
        """
        <module>@main 1 100
          load@main 3 0
            loads@json 12000 400
              decode@decoder 12000 200
          save@helpers 1 250
            <builtins.open> 1 50
        """
    ) == "\n".join(
        [
            "   1.000  100.0    0.100         1  <module>  main.py:1",
            "   0.600   60.0                  3  ├─ load  main.py:1",
            "   0.600   60.0    0.600    12,000  │  └─ json (loads)",
            "   0.300   30.0    0.250         1  └─ save  helpers.py:1",
            "   0.050    5.0    0.050         1     └─ open",
        ]
    )


COMPILED = """
<module>@main 1 0
  <fastmath.start> 1 0
    <fastmath.compute> 1 400
      <math.sqrt> 7 100
      <Shape.area> 5 100
  loads@json 1 100
    <Shape.area> 1 300
"""


def test_functions_of_compiled_modules_of_the_program_stand_open():
    """They have names of builtins, and no place."""
    file = "/home/me/shop/fastmath.cpython-311-x86_64-linux-gnu.so"
    assert printed(COMPILED, extensions={"fastmath": file}) == "\n".join(
        [
            "   1.000  100.0                  1  <module>  main.py:1",
            f"   0.600   60.0    0.400         1  ├─ fastmath.start{LEADS_TO}fastmath.compute",
            "   0.100   10.0    0.100         7  │  ├─ math.sqrt",
            "   0.100   10.0    0.100         5  │  └─ Shape.area",
            "   0.400   40.0    0.100         1  └─ json (loads)",
            "   0.300   30.0    0.300         1     └─ Shape.area",
        ]
    )


def test_functions_of_compiled_libraries_are_builtins():
    lines = printed(COMPILED, extensions={"fastmath": f"{SITE}/fastmath.abi3.so"}).splitlines()
    assert lines[-1] == "   0.400   40.0    0.400         1  └─ json (loads)"


WAITING = """
<module>@main 1 0
  crawl@main 2 100~50
    <time.sleep> 4 300~300
    get@json 1 200~150
      on_data@main 1 400
"""


def test_what_was_waited_has_a_column_with_all_below():
    outline = Outline(paths_of_text(in_ms(WAITING)))
    assert outline_table(outline, 25, 100, place) == [
        "    time      %   waited      own     calls",
        "   1.000  100.0    0.500                  1  <module>  main.py:1",
        "   1.000  100.0    0.500    0.100         2  └─ crawl  main.py:1",
        "   0.600   60.0    0.150    0.200         1     ├─ json (get)",
        "   0.400   40.0             0.400         1     │  └─ on_data  main.py:1",
        "   0.300   30.0    0.300    0.300         4     └─ time.sleep",
    ]
    short = WAITING.replace("~50", "~3").replace("~300", "~3").replace("~150", "~3")
    assert outline_table(Outline(paths_of_text(in_ms(short))), 25, 100, place)[0] == HEAD


def rows_of(*texts, **options):
    """The rows without their figures, but for the share. > is what joins the functions of a row."""
    lines = printed(*texts, **options).splitlines()
    rows = (f"{line[9:15].strip()} {line[36:]}" for line in lines)
    return "\n".join(rows).replace(LEADS_TO, " > ")


def test_imports_are_named_by_what_was_imported():
    assert rows_of(
        """
        <module>@main 1 100
          _find_and_load@boot 3 10
            <module>@pandas 1 300
              _find_and_load@boot 1 0
                <module>@numpy 1 300
            <module>@helpers 1 90
              _find_and_load@boot 1 0
                <module>@json 1 200
        """
    ) == expected(
        """
        100.0 <module>  main.py:1
        60.0 ├─ import pandas
        29.0 ├─ import helpers  helpers.py:1
        20.0 │  └─ import json
        1.0 └─ imports (finding and loading)
        """
    )


def test_what_a_library_makes_of_a_text_is_in_its_row():
    assert rows_of(
        """
        <module>@main 1 100
          couriers@main 1 100
            argmap_sum_3@<class 'pandas.util.argmap'> compilation 6 9 100
              DataFrame.sum@frame 9 100
          pack@main 1 600
        """
    ) == expected(
        """
        100.0 <module>  main.py:1
        60.0 ├─ pack  main.py:1
        30.0 └─ couriers  main.py:1
        20.0    └─ pandas (argmap_sum_3)
        """
    )


def test_what_only_leads_to_the_programs_code_is_no_row():
    assert rows_of(
        """
        _run_code@runpy 1 1
          <builtins.exec> 1 1
            <module>@main 1 100
              run@threading 1 2
                work@helpers 1 896
        """
    ) == expected(
        """
        99.8 <module>  main.py:1
        89.6 └─ work  helpers.py:1
        """
    )


def test_functions_that_only_call_another_share_its_row():
    text = """
    <module>@main 1 0
      main@main 1 1
        run@main 1 2
          step@helpers 7 400
          leaf@helpers 7 600
    """
    assert rows_of(text) == expected(
        """
        100.0 <module>  main.py:1
        99.9 └─ main > run  main.py:1
        59.8    ├─ leaf  helpers.py:1
        39.9    └─ step  helpers.py:1
        """
    )
    # As often as it was called itself, and not less:
    assert rows_of(text.replace("run@main 1", "run@main 2")).startswith(
        expected(
            """
            100.0 <module>  main.py:1
            100.0 └─ main  main.py:1
            99.9    └─ run  main.py:1
            """
        )
    )


def test_recursion_is_one_row():
    deep = "".join(f"{'  ' * level}walk@main 1 1\n" for level in range(900))
    assert printed(deep) == "   0.900  100.0    0.900       900  walk  main.py:1"


MANY = "<module>@main 1 0\n" + "".join(
    f"  part{number:02}@main 1 {100 - 2 * number}\n" for number in range(40)
)


def test_as_many_rows_as_asked_for_with_those_that_took_longest():
    for rows in (3, 7, 25):
        lines = printed(MANY, rows=rows).splitlines()
        assert len(lines) == rows
        names = [line[39:].split()[0] for line in lines[1:-1]]
        assert names == [f"part{number:02}" for number in range(rows - 2)]
        assert lines[-1].endswith(f"└─ ... {40 - rows + 2} others")


def test_one_that_has_almost_all_of_the_rest_stands_for_it():
    assert rows_of(
        """
        <module>@main 1 0
          long@main 1 500
            inner@main 2 200
          rest@main 1 180
          small@main 1 20
        """,
        rows=3,
    ) == expected(
        """
        100.0 <module>  main.py:1
        77.8 ├─ long  main.py:1
        20.0 └─ rest  main.py:1
        """
    )


def test_a_row_that_is_worth_more_goes_before_what_others_have_together():
    assert rows_of(
        """
        <module>@main 1 0
          long@main 1 20
            one@main 1 30
            two@main 1 30
            inner@main 2 800
          rest@main 1 60
          small@main 1 60
        """,
        rows=3,
    ) == expected(
        """
        100.0 <module>  main.py:1
        88.0 └─ long  main.py:1
        80.0    └─ inner  main.py:1
        """
    )


def test_what_matters_little_is_not_told():
    assert rows_of(
        """
        <module>@main 1 15
          long@main 1 985
          small@main 1 3
          smaller@main 1 2
        """
    ) == expected(
        """
        100.0 <module>  main.py:1
        98.0 └─ long  main.py:1
        """
    )


WAITS = "<module>@main 1 100\n  join@threading 1 400\n"
WORKS = "run@threading 1 0\n  work@main 1 200\n"


def test_threads_that_matter_have_a_root_each_and_those_of_a_kind_one():
    names = ("MainThread", "Thread-1 (work)", "Thread-2 (work)", "Monitor")
    assert rows_of(WAITS, WORKS, WORKS, "watch@main 1 100", names=names) == expected(
        """
        50.0 MainThread > <module>  main.py:1
        40.0 └─ threading (join)
        40.0 2 threads Thread-N (work) > work  main.py:1
        10.0 Monitor > watch  main.py:1
        """
    )


def test_a_thread_that_took_more_than_what_it_runs_has_a_row():
    """In its child are 95% of its time, or less."""
    names = ("MainThread", "Worker")
    text = "work@main 1 {}\nother@main 1 {}\n"
    assert rows_of(WAITS, text.format(480, 20), names=names).splitlines()[2:] == [
        "48.0 Worker > work  main.py:1"
    ]
    assert rows_of(WAITS, text.format(470, 30), names=names).splitlines()[2:] == [
        "50.0 Worker",
        "47.0 ├─ work  main.py:1",
        "3.0 └─ other  main.py:1",
    ]


def test_the_head_tells_how_many_rows_there_are_where_not_all_are_shown():
    outline = Outline(paths_of_text(in_ms(MANY)))

    def head(rows, width=100):
        return outline_table(outline, rows, width, place, "--tree has all")[0]

    assert head(25) == f"{HEAD}  24 of 41 rows: --tree has all"
    assert head(41) == HEAD
    assert len(head(25, width=50)) == 50


def test_threads_that_do_not_matter_have_no_root():
    names = ("MainThread", "Monitor")
    assert rows_of(WAITS, "watch@main 1 1", names=names) == expected(
        """
        99.8 <module>  main.py:1
        79.8 └─ threading (join)
        """
    )


def test_the_package_in_which_a_program_spends_its_time_is_opened():
    text = f"""
    <module>@main 1 100
      apply@frame 1 100
        aggregate@frame 7 300
          loads@json 9 400
      setup@{SITE}/flask/app.py 1 100
    """
    assert rows_of(text) == expected(
        """
        100.0 <module>  main.py:1
        80.0 ├─ apply  frame.py:1
        70.0 │  └─ aggregate  frame.py:1
        40.0 │     └─ json (loads)
        10.0 └─ flask (setup)
        """
    )


def test_lines_are_cut_to_the_width_in_names_and_never_in_figures():
    long = f"<module>@main 1 0\n  {'first_' * 8}last@main 1 900\n  {'x' * 90}@{SITE}/p/q.py 1 100\n"
    lines = printed(long, width=70).splitlines()
    assert lines[1] == "   0.900   90.0    0.900         1  ├─ first_f…t_first_last  main.py:1"
    assert lines[2].startswith("   0.100   10.0    0.100         1  └─ p (x") and "…" in lines[2]


def test_a_short_run_has_more_decimals():
    assert printed("<module>@main 1 2\n  work@main 20000000 40") == "\n".join(
        [
            "0.042000  100.0 0.002000         1  <module>  main.py:1",
            "0.040000   95.2 0.040000       20M  └─ work  main.py:1",
        ]
    )


def test_nothing_took_any_time():
    assert printed("<module>@main 1 0\n  work@main 1 0").count("\n") <= 1


POOL = """
_bootstrap@threading 1 500~500
  work@main 1 500
"""
HOUSEKEEPER = f"""
_bootstrap@threading 1 {{}}
  wait@{PYTHON}/multiprocessing/pool.py 1 0
"""
POOL_NAMES = ("MainThread", "Worker", "Thread-3 (_handle_workers)", "Thread-4 (_handle_tasks)")


def test_what_only_starts_the_code_of_a_thread_has_no_row():
    """What it waited for the code is the thread's own time."""
    outline = Outline(paths_of_text(in_ms(WAITS), in_ms(POOL), names=POOL_NAMES[:2]))
    assert outline_table(outline, 25, 100, place)[1:] == [
        "   0.500   50.0             0.100         1  MainThread › <module>  main.py:1",  # noqa: RUF001
        "   0.400   40.0             0.400         1  └─ threading (join)",
        "   0.500   50.0             0.500         1  Worker › work  main.py:1",  # noqa: RUF001
    ]
    alone = Outline(paths_of_text(in_ms(POOL), names=("Worker",)))
    assert outline_table(alone, 25, 100, place)[1:] == [
        "   1.000  100.0    0.500    0.500            Worker",
        "   0.500   50.0             0.500         1  └─ work  main.py:1",
    ]


def test_threads_with_code_of_the_program_come_first():
    waits, works = HOUSEKEEPER.format("2000~2000"), HOUSEKEEPER.format("1500~300")

    def rows(number, *keepers):
        paths = paths_of_text(*map(in_ms, (WAITS, POOL, *keepers)), names=POOL_NAMES)
        lines = outline_table(Outline(paths), number, 100, place)[1:]
        return [line[44:].strip() for line in lines]

    main = ["MainThread › <module>  main.py:1", "└─ threading (join)"]  # noqa: RUF001
    worker = "Worker › work  main.py:1"  # noqa: RUF001
    waiting = "{} for work: {}".format
    one = waiting("1 thread waits", "_handle_workers")
    assert rows(25, waits, works) == [*main, worker, "Thread-4 (_handle_tasks)", one]
    both = waiting("2 threads wait", "_handle_workers, _handle_tasks")
    assert rows(25, waits, waits) == ["Worker", "└─ work  main.py:1", *main, both]
    # Those that wait are one row, however few there are.
    assert rows(3, waits, works) == [main[0], "Thread-4 (_handle_tasks)", one]
