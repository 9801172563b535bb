"""The verb `time`: its lines are timeit's own, with a fake timer at many magnitudes; what it prints
of the second run; errors of the statement and of the options.
"""

import builtins
import re
import sys
import timeit

import pytest

from launch import environment, plain, refused, traced, write
from tracer.cli.main import main

DOUBT = re.compile(rb"tracer: the slowest repeat .*\n")  # where the machine is busy
SPREAD = re.compile(r"^\d+ repeats?: .*\n", re.MULTILINE)


class Clock:
    """A timer that advances by the next of `steps` seconds when a statement calls tick()."""

    def __init__(self, steps):
        self.now, self.steps, self.at = 0.0, steps, 0

    def __call__(self):
        return self.now

    def tick(self):
        self.now += self.steps[self.at % len(self.steps)]
        self.at += 1


@pytest.fixture
def timed(monkeypatch, capsys):
    """What timeit.main() and `tracer time` print for the same words, with the same fake timer."""

    def run(steps, *words):
        printed = []
        for command in (timeit.main, lambda words: main(["time", *words])):
            clock = Clock(steps)
            monkeypatch.setattr(builtins, "clock", clock, raising=False)
            monkeypatch.setattr(timeit, "default_timer", clock)
            monkeypatch.setattr(sys, "path", sys.path[:])
            assert not command(list(words))
            # Of a trial, timeit says "secs" up to 3.13.
            printed.append(capsys.readouterr().out.replace(" secs\n", " sec\n"))
        return printed

    return run


def printed_by(*words, **options):
    found = traced("time", *words, **options)
    assert (DOUBT.sub(b"", found.stderr), found.returncode) == (b"", 0)
    return found.stdout.decode()


STEPS = [
    *([factor * 10.0**power] for power in range(-12, 5) for factor in (1, 1.23456, 9.9996)),
    *([0.0], [1e-9, 2e-9, 3e-9], [0.999999e-6], [0.9999999e-3, 1e-3], [123456789.0]),
]
WORDS = [
    [],
    ["-n1"],
    ["-n", "7", "-r3"],
    ["-r1"],
    ["--number=1", "--repeat=2", "--setup=x = 1"],
    *(["-u", unit, "-n3"] for unit in ("nsec", "usec", "msec", "sec")),
    ["-v", "-n2"],
    ["-vv", "-n2"],
    ["-vvn2"],
    ["-v", "--verbose", "-v", "--unit=sec"],
    ["-s", "x = 1", "-s", "def f():", "-s", "    clock.tick()", "-n2"],
]


@pytest.mark.filterwarnings("ignore")  # timeit warns of repeats that differ much
@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_the_lines_are_timeits(timed, steps):
    for words in WORDS:
        has_number = any(re.match("-v*n|--number", word) for word in words)
        if not has_number and sum(steps) / len(steps) < 1e-3:
            continue  # it would be tried with ever more loops
        theirs, ours = timed(steps, *words, "clock.tick()")
        assert SPREAD.sub("", ours) == theirs
        assert len(SPREAD.findall(ours)) == 1
        assert ours.endswith("per loop\n")


def test_trials_are_timeits(timed):
    theirs, ours = timed([0.004], "-v", "clock.tick()")
    assert SPREAD.sub("", ours) == theirs
    assert theirs.startswith("1 loop -> 0.004 sec\n2 loops -> 0.008 sec\n")


@pytest.mark.filterwarnings("ignore")
def test_the_line_of_all_repeats(timed):
    _, ours = timed([1.0, 2.0, 6.0], "-n1", "-r3", "-u", "msec", "clock.tick()")
    assert ours == (
        "1 loop, best of 3: 1e+03 msec per loop\n"
        "3 repeats: mean 3e+03 msec, standard deviation 2.65e+03 msec, best 1e+03 msec per loop\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["print(1)"],
        ["for i in range(2):", "    print(i)"],
        ["-s", "x = 1", "-s", "y = 2", "print(x, y)"],
        ["-s", "print(0)\n", "print(1)\nprint(2)"],
        ["--", "-1; print(2)"],
        ["print(1)", "-1"],
        ["import mine; print(mine.x)"],
        ["print(__name__, gc.isenabled())"],
        ["-s", "gc.enable()", "print(gc.isenabled())"],
        ["-s", "import pickle\nclass C: pass", "print(1)"],
        ["import __main__", "print(__main__.Timer is Timer)"],
        ["-p", "print('é')"],
        [],
    ],
    ids=str,
)
def test_the_statement_does_what_it_does_under_timeit(tmp_path, words):
    write(tmp_path / "mine.py", "x = 'mine'\n")
    words = ("-n1", "-r2", *words)
    theirs = plain("-m", "timeit", *words, cwd=tmp_path).stdout.decode()
    ours = printed_by(*words, cwd=tmp_path)
    times = re.compile(r"[\d.e+-]+ [num]?sec")
    assert times.sub("T", SPREAD.sub("", ours)) == times.sub("T", theirs)


def test_no_statement_is_pass():
    assert "loops, best of 5: " in printed_by()


def test_the_processor_alone_is_measured():
    printed = printed_by("-p", "-n1", "-r1", "-u", "sec", "time.sleep(0.3)")
    assert float(re.search(r": (\S+) sec", printed)[1]) < 0.1
    assert "clock" not in printed
    printed = printed_by("-p", "-n1", "-r1", "--profile", "time.sleep(0.3)")
    assert "CPU" in printed


# -- Where the time goes -----------------------------------------------------------------------

WORK = "def leaf(): pass\ndef work(n):\n    for i in range(n): leaf()\n"


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "shop.py", WORK)
    return tmp_path


def test_the_first_screen_of_a_run_of_its_own(folder):
    words = ("-n", "2000", "-r", "2", "-s", "from shop import work", "-s", "work(99)", "work(30)")
    printed = printed_by("--profile", *words, cwd=folder)
    lines, screen = printed.split("\nWhere 2000 more loops spent the time:\n\n")
    assert re.fullmatch(r"2000 loops, best of 2: .*\n2 repeats: .*\n", lines)
    assert screen.startswith("     calls  62,000 in 1 thread\n")
    calls = dict(re.findall(r"^ *[\d.]+ .* ([\d,]+)  (work|leaf)  ", screen, re.M))
    assert calls == {"2,000": "work", "60,000": "leaf"}
    assert "inner  <timeit-src>:2" in screen
    assert "timeit.py" not in screen
    assert "runpy" not in screen
    assert screen.endswith(
        "      more  python -m tracer time --profile --sort tottime (more functions), --tree (more "
        "calls)\n"
    )


def test_one_loop_more(folder):
    assert "\nWhere 1 more loop spent the time:\n" in printed_by("-n1", "--profile", "int()")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--sort", "calls", "--limit", "1"], r"\n +60000 .* shop\.py:1\(leaf\)\n"),
        (["--table", "--strip-dirs"], r"\n +2000 .* shop\.py:2\(work\)\n"),
        (["--tree"], r"leaf"),
        (["--callers", "leaf"], r"work"),
        (["--only", "leaf"], r"shop\.py:1\(leaf\)\n"),
    ],
)
def test_printing_options(folder, options, expected):
    # Enabling takes milliseconds, which are the loop's: the loop is longer, so that paths stay.
    words = ("-n2000", "-r1", "-s", "from shop import work", "work(30)")
    printed = printed_by("--profile", *options, *words, cwd=folder)
    assert re.search(expected, printed.replace(f"{folder}/", " ")), printed


def test_no_header(folder):
    printed = printed_by("-n1", "--profile", "--no-header", "--sort", "calls", "int()")
    assert "more loop" not in printed
    assert "   ncalls" in printed


def test_the_timing_is_not_recorded(folder):
    """No hook is set while the statement is timed."""
    ask = "import sys; m = getattr(sys, 'monitoring', None); "
    ask += "print(sys.getprofile(), m and m.get_tool(2))"
    printed = printed_by("-n1", "-r2", "--profile", ask, cwd=folder)
    assert printed.startswith("None None\nNone None\n1 loop, best of 2: ")


# -- Errors ------------------------------------------------------------------------------------


def last_of(text):
    """A traceback from the statement on: timeit's has frames of timeit's above."""
    return text[text.index('  File "<timeit-src>"') :]


@pytest.mark.parametrize(
    "words",
    [
        ["1 / 0"],
        ["x = 1", "1 / 0"],
        ["-s", "def f():\n    1 / 0", "f()"],
        ["-s", "1 / 0", "pass"],
        ["-n1", "import mine"],
        ["-n1", "sys.exit(3)"],
        ["-n1", "raise SystemExit"],
        ["1 +"],
        ["-s", "1 +", "pass"],
        ["return 1"],
        ["-v", "1 / 0"],
        ["-n1", "-r1", "raise ExceptionGroup('g', [ValueError(1)])"],
    ],
    ids=str,
)
def test_an_error_of_the_statement(tmp_path, words):
    write(tmp_path / "mine.py", "1 / 0\n")
    theirs, ours = (
        plain("-m", *module, *words, cwd=tmp_path) for module in (["timeit"], ["tracer", "time"])
    )
    if b"ExceptionGroup" in ours.stderr:
        assert ours.stderr.decode().endswith(theirs.stderr.decode()[-120:])
    else:
        assert last_of(ours.stderr.decode()) == last_of(theirs.stderr.decode())
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)
    assert ours.returncode == 1
    assert "tracer" not in ours.stderr.decode()
    assert "timeit.py" not in ours.stderr.decode()


def test_an_error_of_the_second_run(tmp_path):
    once = "x = [*x, 1]; 1 / (3 - len(x))"
    found = traced(
        "time",
        "-n1",
        "-r2",
        "--profile",
        "-s",
        "global x",
        "-s",
        "x = globals().get('x', [])",
        once,
        cwd=tmp_path,
    )
    assert found.stdout.startswith(b"1 loop, best of 2: ")
    assert found.stderr.endswith(b"ZeroDivisionError: division by zero\n")
    assert found.returncode == 1


def test_an_interrupt_ends_it_as_other_verbs():
    found = traced("time", "-n1", "import signal; signal.raise_signal(2)")
    assert (found.stdout, found.stderr, found.returncode) == (b"", b"", 130)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-n", "x"], "-n 'x': give a number of loops, or 0: as many as take 0.2 seconds"),
        (["-n-1"], "-n '-1': give a number of loops, or 0: as many as take 0.2 seconds"),
        (["-r0"], "-r '0': give a number of repeats, 1 or more"),
        (["-r", "1.5"], "-r '1.5': give a number of repeats, 1 or more"),
        (["-u", "s"], "-u 's': choose from nsec, usec, msec, sec"),
        (["-n"], "-n needs a value: -n N"),
        (["-s"], "-s needs a value: -s SETUP"),
        (["-x"], "unknown option '-x'; --help lists them"),
        (["-px"], "unknown option '-x'; --help lists them"),
        (["--sort", "time"], "--sort prints where the time goes; give --profile, too"),
        (["--tree"], "--tree prints where the time goes; give --profile, too"),
        (
            ["--profile", "--sort", "total"],
            "--sort total sorts lines; give it to 'show --lines', or another key",
        ),
        (
            ["--profile", "--threads", "--sort", "time"],
            "--sort does not sort --threads, which has those with the most time first; leave "
            "--sort out",
        ),
        (
            ["-o", "x.out", "pass"],
            "-o is an option of run, merge, export and html, not of time; --help lists its own",
        ),
        (
            ["my shop.py"],
            "'my shop.py' is a program, and 'time' takes a statement; to profile the program: "
            "python -m tracer 'my shop.py'",
        ),
    ],
)
def test_bad_words(tmp_path, words, line):
    write(tmp_path / "my shop.py", WORK)
    assert refused("time", *words, cwd=tmp_path) == line


def test_repeats_that_differ_much_are_told():
    ask = "x.pop()"
    setup = "import builtins; b = vars(builtins); x = b['n'] = b.get('n', 0) + 1; "
    setup += "x = [time.sleep] if x == 1 else [int]"
    found = traced("time", "-n1", "-r3", "-s", setup, f"{ask}(0.3)")
    told = re.match(rb"tracer: the slowest repeat \((.+?) (m?sec) per loop\) took ", found.stderr)
    # The sleep is the slowest; on a busy machine it takes longer.
    assert told and float(told[1]) >= {b"msec": 300, b"sec": 0.3}[told[2]]
    assert found.stderr.endswith(b"more loops (-n) or repeats (-r)\n")
    assert found.returncode == 0


def test_letters_of_time_are_suggested_to_no_other_verb(tmp_path):
    assert refused("-n", "5", "x.py", cwd=tmp_path) == (
        "unknown option '-n'; here it is --limit N; --help lists them"
    )


def test_a_folder_that_is_closed_to_imports(tmp_path):
    write(tmp_path / "mine.py", "x = 1\n")
    found = plain("-P", "-m", "tracer", "time", "-n1", "import mine", cwd=tmp_path)
    assert found.returncode == 1
    write(tmp_path / "traceback.py", "1 / 0\n")  # tracer takes none of the user's modules
    write(tmp_path / "statistics.py", "1 / 0\n")
    printed_by("-n1", "-r1", "--profile", "int()", cwd=tmp_path, env=environment())
