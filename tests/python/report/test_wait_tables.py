"""What threads waited, and the longest calls, in every text that has them: to the character.

What the core measures is told by tests/core and test_figures.py; real clocks by test_real_waits.py.
"""

import io
import marshal
import re
from types import SimpleNamespace

import pytest

import tracer
from launch import traced, write
from pictures import stats_of
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.waiting import Waits
from tracer.cli.first_screen import first_screen
from tracer.cli.options.option import parse
from tracer.cli.options.show import ShowOptions
from tracer.cli.run_header import busy_machine, run_header, told_waits
from tracer.cli.screen import Screen
from tracer.cli.tables import Mode, Printing, print_profiles
from tracer.report.functions import wide_row
from tracer.report.styled import function
from waiting import UNIT, profile_of, space_of

SOURCE = """
def fetch():
    WORK(20)
    WAIT(300)

def parse():
    WORK(400)

def read():
    fetch()
    parse()
    WORK(30)
    fetch()

def steps():
    WORK(10)
    WAIT(15)
    yield
    WORK(50)

def main():
    for _ in steps():
        WORK(5)
    read()
"""


@pytest.fixture(scope="module")
def profile():
    return profile_of(space_of(SOURCE), threads=False)


def printed(profile, method, *args):
    stats = tracer.Stats(profile, stream=io.StringIO()).strip_dirs()
    getattr(stats, method)(*args)
    return stats.stream.getvalue()


def test_waited(profile):
    assert printed(profile, "print_waited") == (
        "   Ordered by: waited time\n"
        "\n"
        "   ncalls  tottime   waited    percall  cumwait filename:lineno(function)\n"
        "        2    0.640    0.600   0.300000    0.600 work.py:2(fetch)\n"
        "        1    0.075    0.015   0.007500    0.015 work.py:15(steps)\n"
        "        1    0.005    0.000   0.000000    0.615 work.py:21(main)\n"
        "        1    0.030    0.000   0.000000    0.600 work.py:9(read)\n"
        "\n"
    )
    assert printed(profile, "print_waited", 1).count("work.py") == 1


RECURSIVE = """
def walk(depth):
    WAIT(10)
    if depth:
        other(depth - 1)

def other(depth):
    WAIT(5)
    walk(depth)

def main():
    walk(2)
    walk(1)
"""


def test_the_waits_of_all_that_a_recursive_function_called_count_once():
    profile = profile_of(space_of(RECURSIVE), threads=False)
    text = printed(profile, "print_waited")
    found = re.findall(r"^ +\d\S* +\S+ +(\S+) +\S+ +(\S+) .*\((\w+)\)$", text, re.MULTILINE)
    assert found == [
        ("0.050", "0.065", "walk"),
        ("0.015", "0.045", "other"),
        ("0.000", "0.065", "main"),
    ]
    twice = tracer.Stats(profile, profile, stream=io.StringIO()).print_waited()
    assert re.search(r" 0\.130 \S+\(main\)\n", twice.stream.getvalue())


def test_longest(profile):
    """Of the generator, from its call to its yield, and from there to its end: 25 and 50 ms."""
    assert printed(profile, "print_longest") == (
        "   Ordered by: longest stretch from a call or resume to where it returned or was "
        "suspended\n"
        "\n"
        "   ncalls  longest       at    percall filename:lineno(function)\n"
        "        1    1.150    0.000   1.150000 work.py:21(main)\n"
        "        1    1.070    0.080   1.070000 work.py:9(read)\n"
        "        1    0.400    0.400   0.400000 work.py:6(parse)\n"
        "        2    0.320    0.080   0.320000 work.py:2(fetch)\n"
        "        1    0.050    0.030   0.037500 work.py:15(steps)\n"
        "\n"
    )


def test_nothing_waited(tmp_path):
    assert printed(stats_of("top"), "print_waited") == "   No function waited.\n\n"
    (tmp_path / "plain.out").write_bytes(marshal.dumps(stats_of("top").stats))
    told = "   No {} are recorded here: another profiler wrote this.\n\n"
    assert printed(tmp_path / "plain.out", "print_waited") == told.format("waits")
    assert printed(tmp_path / "plain.out", "print_longest") == told.format("longest calls")


THREADED = """
from threading import Thread

def help():
    WORK(100)
    WAIT(900)

def main():
    WORK(3)
    thread = Thread(target=help, name="helper")
    thread.start()
    thread.join()
"""


def test_threads(tmp_path):
    """The main thread joins the helper, and has no event meanwhile. Both have the same clock, so
    that what the helper ran counts as run by the main thread, too. It is idle where code that is
    left out runs."""
    path = tmp_path / "work.py"
    write(path, THREADED)
    space = space_of(THREADED, str(path))
    hands = space["hands"]
    with tracer.Profile(hands, UNIT, include=[path]) as profile:
        hands.now += 2000
        space["main"]()
    text = printed(profile, "print_threads")
    rows = re.findall(r"^ +\d+ +([\d. ]+?) +\d{6,} +\d+  (\w+)", text, re.MULTILINE)
    assert {name: times.split() for times, name in rows} == {
        "helper": ["1.000", "0.100", "0.900", "0.000"],
        "MainThread": ["1.003", "0.103", "0.900", "2.000"],
    }


TREE = """\
   Ordered by: cumulative time along each path of calls

    share  cumtime   waited  tottime    ncalls  filename:lineno(function)
   100.0%    1.150    0.615    0.005         1  work.py:21(main)
    93.0%    1.070    0.600    0.030         1  ├─ work.py:9(read)
    55.7%    0.640    0.600    0.640         2  │  ├─ work.py:2(fetch)
    34.8%    0.400    0.000    0.400         1  │  └─ work.py:6(parse)
     6.5%    0.075    0.015    0.075         1  └─ work.py:15(steps)

"""


def test_tree(profile):
    assert printed(profile, "print_tree") == TREE


def little(waited):
    """A profile that waits `waited` of 2000 ms."""
    source = f"def main():\n    WORK({2000 - waited})\n    WAIT({waited})\n"
    return profile_of(space_of(source), threads=False)


def test_little_is_not_told():
    """Less than 5% is not, nor are less than 10 ms: other load takes as much."""
    for waited, is_told in ((99, False), (100, True)):
        profile = little(waited)
        assert ("waited" in printed(profile, "print_tree")) is is_told
        assert ("waited" in run_header(tracer.Stats(profile), 1)) is is_told
        assert ("waited" in table(profile)) is is_told
        screen = first_screen(tracer.Stats(profile), [], "more", Screen())
        assert ("%   waited" in screen) is is_told
    short = profile_of(space_of("def main():\n    WORK(3)\n    WAIT(9)\n"), threads=False)
    assert "waited" not in printed(short, "print_tree")


def table(profile, sort="tottime"):
    """The table of the command, without the lines above it."""
    words = ["-s", sort, "--strip-dirs", "--no-header"]
    options, _ = parse(words, ShowOptions, stop_at_program=False)
    return print_profiles([profile.capture()], Printing(Mode.RUN, options)).text


HEADER = """\
     timer  the program's own
     calls  6 in 1 thread
    waited  0.615 s of 1.150 s in 1 thread

"""


def test_the_header(profile):
    assert run_header(tracer.Stats(profile), 1) == HEADER


COSTS = dict.fromkeys(("function", "init", "builtin", "method", "resume"), ((0.2, 0.0), (0.2, 0.0)))


def test_compensation_leaves_what_was_waited():
    """A call costs 200 ms of its own time here: more than it worked."""
    space = space_of("def main():\n    hold()\n\ndef hold():\n    WORK(100)\n    WAIT(300)\n")
    profile = tracer._core.Profiler(space["hands"], UNIT, builtins=False, costs=COSTS)
    profile.record_call(space["main"])
    profile.disable()
    stats = tracer.Stats(tracer.Capture(profile.snapshot()))
    (label,) = (label for label in stats.stats if label[2] == "hold")
    assert stats.stats[label][2] == pytest.approx(0.3)
    assert stats.totals.extras["waited"][label] == pytest.approx(0.3)
    (tree,) = paths_of(stats).trees
    assert max(tree.waited) == 300_000_000
    raw = tracer.Stats(tracer.Capture(profile.snapshot()), raw=True)
    assert raw.stats[label][2] == pytest.approx(0.4)
    assert raw.totals.extras["waited"][label] == pytest.approx(0.3)


def stats_of_run(threads=1, builtins=True, preemptions=100, has_run=True):
    """Python code waited 0.8 s, what only computes 0.1 s, and other C code 5 s."""
    waited = {("work.py", 1, "work"): 0.65, ("work.py", 9, "main"): 0.15}
    waited[("~", 0, "<built-in method time.sleep>")] = 5.0
    waited[("~", 0, "<method 'count' of 'str' objects>")] = 0.1
    run = SimpleNamespace(preemptions=preemptions) if has_run else None
    capture = SimpleNamespace(thread_count=threads, builtins=builtins, run=run)
    return SimpleNamespace(captures=[capture], totals=SimpleNamespace(extras={"waited": waited}))


def test_what_a_thread_alone_waited_for_a_processor():
    assert busy_machine(stats_of_run()) == pytest.approx(0.9)
    assert busy_machine(stats_of_run(builtins="all")) == pytest.approx(0.9)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"threads": 2},  # it may be the GIL
        {"builtins": False},  # a sleep is its caller's
        {"preemptions": 89},  # too few: a `for` loop may have waited for a pipe
        {"has_run": False},
    ],
    ids=lambda otherwise: "".join(otherwise),
)
def test_what_may_have_been_another_wait(otherwise):
    assert busy_machine(stats_of_run(**otherwise)) == 0


def test_the_header_tells_of_a_busy_machine_where_that_explains_the_waits():
    told = "5.000 s of 6.000 s in 1 thread"
    assert told_waits(Waits(6, 5), 1, 0.9) == told
    assert told_waits(Waits(6, 5), 1, 1.0) == f"{told}, 1.000 s or more for a busy processor"
    assert told_waits(Waits(6, 5), 1, 4.95) == f"{told}, for a busy processor"


ROWS = """\
   ncalls  tottime  percall  cumtime  percall   waited filename:lineno(function)
        2    0.640    0.320    0.640    0.320    0.600 work.py:2(fetch)
        1    0.400    0.400    0.400    0.400    0.000 work.py:6(parse)
        1    0.075    0.075    0.075    0.075    0.015 work.py:15(steps)
        1    0.030    0.030    1.070    1.070    0.000 work.py:9(read)
        1    0.005    0.005    1.150    1.150    0.000 work.py:21(main)


"""


def test_the_table_of_the_command(profile):
    assert table(profile).endswith(f"   Ordered by: internal time\n\n{ROWS}")


def test_stats_prints_what_pstats_prints(profile):
    stats = tracer.Stats(profile, stream=io.StringIO()).strip_dirs().sort_stats("tottime")
    stats.print_stats()
    plain = re.sub(r"( +\S+)( filename| work)", r"\2", ROWS)
    assert stats.stream.getvalue().endswith(f"   Ordered by: internal time\n\n{plain}")


SCREEN = """\
    time      %   waited      own     calls
   1.150  100.0    0.615    0.005         1  main  work.py:21
   1.070   93.0    0.600    0.030         1  ├─ read  work.py:9
   0.640   55.7    0.600    0.640         2  │  ├─ fetch  work.py:2
   0.400   34.8             0.400         1  │  └─ parse  work.py:6
   0.075    6.5    0.015    0.075         1  └─ steps  work.py:15

     own      %   waited     time     calls  function
   0.640   55.7    0.600    0.640         2  fetch  work.py:2
   0.400   34.8             0.400         1  parse  work.py:6
   0.075    6.5    0.015    0.075         1  steps  work.py:15
   0.030    2.6             1.070         1  read  work.py:9
   0.005    0.4             1.150         1  main  work.py:21
"""


def test_the_first_screen(profile):
    stats = tracer.Stats(profile).strip_dirs()
    assert first_screen(stats, [], "more", Screen()) == f"{SCREEN}\nmore\n"


@pytest.mark.parametrize(
    ("key", "order", "columns", "rows"),
    [
        (
            "busy",
            "busy time: tottime without what was waited",
            "    busy   waited",
            ["parse 0.400 0.000", "steps 0.060 0.015", "fetch 0.040 0.600", "read 0.030 0.000"],
        ),
        ("waited", "waited time", "  waited", ["fetch 0.600", "steps 0.015"]),
        (
            "longest",
            "longest stretch",
            " longest",
            ["main 1.150", "read 1.070", "parse 0.400", "fetch 0.320", "steps 0.050"],
        ),
    ],
)
def test_sort_keys(profile, key, order, columns, rows):
    text = printed(profile, "sort_stats", key)
    stats = tracer.Stats(profile, stream=io.StringIO()).sort_stats(key)
    text = stats.print_stats().stream.getvalue()
    assert f"   Ordered by: {order}\n" in text
    assert f"  cumtime  percall {columns} filename:lineno(function)\n" in text
    found = re.findall(r"^ +\d+(?: +\S+){4} +(.+) \S+\((\w+)\)$", text, re.MULTILINE)
    found = [" ".join([name, *figures.split()]) for figures, name in found]
    assert found[: len(rows)] == rows
    assert len(found) == 5
    stats.stream = io.StringIO()
    text = stats.sort_stats("calls").print_stats().stream.getvalue()
    assert "  cumtime  percall filename:lineno(function)\n" in text


def test_of_one_key_only(profile):
    """pstats, too, refuses what it does not know."""
    with pytest.raises(KeyError):
        tracer.Stats(profile).sort_stats("busy", "name")


PROGRAM = """
import time

def nap():
    time.sleep(0.1)

nap()
"""


def test_the_command(tmp_path):
    write(tmp_path / "nap.py", PROGRAM)
    assert traced("-o", "nap.out", "nap.py", cwd=tmp_path).returncode == 0
    for verb in (["nap.py"], ["show", "nap.out"]):
        *show, file = verb
        for option in ("--waited", "--tree", "--threads", "-swaited", "-sbusy"):
            found = traced(*show, option, file, cwd=tmp_path)
            assert (found.stderr, found.returncode) == (b"", 0)
            text = found.stdout.decode()
            assert re.search(r"^    waited  \d+\.\d{3} s of \d+\.\d{3} s in 1 thread$", text, re.M)
            assert re.search(r"^.* waited .*(filename:lineno|thread)", text, re.MULTILINE)
        text = traced(*show, "--longest", "--limit=1", file, cwd=tmp_path).stdout.decode()
        assert re.search(r"^ +1 +\S+ +\S+ +\S+ \S*nap\.py:1\(<module>\)$", text, re.MULTILINE)


@pytest.mark.parametrize("key", ["busy", "waited", "longest"])
def test_callers_stand_in_the_order_of_functions_with_such_a_key(profile, tmp_path, key):
    profile.dump_stats(tmp_path / "a.out")
    text = traced("show", "-s", key, "--callees", "read|main", "a.out", cwd=tmp_path).stdout
    found = re.findall(r"\(?(\w+)\)$", text.decode(), re.MULTILINE)
    assert sorted(found) == ["fetch", "parse", "read", "steps"]
    assert found.index("fetch") < found.index("parse")  # by cumulative time, as without -s


def test_a_recursion_has_its_cumulative_time_by_primitive_calls():
    label = ("a.py", 1, "f")
    totals = SimpleNamespace(extras={"waited": {label: 0.5}}, resumes={})
    stats = {label: (1, 4, 2.0, 8.0, {})}
    profiles = SimpleNamespace(stats=stats, totals=totals, knows_calls=True, sampled=None)
    row = wide_row(profiles, label, ("waited", "busy"), function).split()
    assert row == ["4/1", "2.000", "0.500", "8.000", "8.000", "0.500", "1.500", "a.py:1(f)"]
