"""The command with --slowdown: what it records, prints, keeps, and refuses."""

import re

import pytest

from launch import traced, write
from sampled import NEEDS_SAMPLES
from shares import COUNTS
from tracer import Stats

PROGRAM = """
import time

def leaf(x):
    return x * x

def calls(count):
    return sum(map(leaf, range(count))) + sum(leaf(x) for x in range(10))

def inline(count):
    total = 0
    for x in range(count):
        total += x * x % 7
    return total

def main(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        calls(1000)
        inline(3000)

main(1.0)
"""


WORKERS = """
import threading, time

def burn():
    end = time.thread_time() + 0.2
    while time.thread_time() < end:
        pass

some = [threading.Thread(target=burn, name=f"worker-{n}") for n in range(6)]
for one in some:
    one.start()
for one in some:
    one.join()
"""
LIBRARY = """
def slow(seconds):
    import time
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slowdown")
    write(folder / "p.py", PROGRAM)
    return folder


@pytest.fixture(scope="module")
def file(folder):
    done = traced("--slowdown", "10%", "-o", "out", "p.py", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return folder / "out"


def shown(file, *words):
    done = traced("show", file.name, *words, cwd=file.parent)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@NEEDS_SAMPLES
def test_the_first_screen(file):
    text = shown(file)
    assert " slow-down  about " in text
    assert "   sampled  CPU time: a share of 20% is within " in text
    [head] = [line for line in text.splitlines() if line.endswith("  function")]
    assert head.split() == ["own", "+-", "%", "time", "+-", "calls", "function"]
    assert "inline  p.py:10" in text


@NEEDS_SAMPLES
def test_what_a_run_prints_is_what_show_prints(folder):
    text = traced("--slowdown", "5", "p.py", cwd=folder).stdout.decode()
    assert " slow-down  about " in text
    assert "of at most 5%" in text or not COUNTS


@NEEDS_SAMPLES
def test_samples_alone(folder):
    text = traced("--slowdown", "0", "p.py", cwd=folder).stdout.decode()
    assert "by samples alone" in text
    [head] = [line for line in text.splitlines() if line.endswith("  function")]
    rows = text.splitlines()[text.splitlines().index(head) + 1 :]
    assert "inline  p.py:10" in rows[0] or "inline  p.py:10" in rows[1]


@NEEDS_SAMPLES
@pytest.mark.skipif(not COUNTS, reason="Python 3.11 cannot switch events off")
def test_calls_are_counted(file):
    stats = Stats(file)
    calls = {label[2]: row[1] for label, row in stats.stats.items()}
    counts = {label[2]: it for label, it in stats.sampled.counts.items()}
    assert counts["main"] == (1, True)
    assert counts["inline"].is_exact
    assert calls["inline"] == calls["calls"]
    callers = next(row[4] for label, row in stats.stats.items() if label[2] == "inline")
    assert [(label[2], row[0]) for label, row in callers.items()] == [("main", calls["inline"])]


@NEEDS_SAMPLES
def test_lines_by_samples(file):
    text = shown(file, "--lines", "--limit", "3")
    assert "Line Contents" in text
    assert "total += x * x % 7" in text
    whole = shown(file, "--lines")
    assert "Function: inline at line 10" in whole
    assert "Hits were not counted; --lines has them counted as far as that is cheap." in whole


@NEEDS_SAMPLES
@pytest.mark.parametrize("key", ["waited", "longest", "busy"])
def test_samples_have_no_figures_of_single_calls(file, key):
    done = traced("show", file.name, "-s", key, cwd=file.parent)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"tracer: -s %b: samples tell of no single call; give --waited for where threads waited\n"
        % key.encode()
    )


@NEEDS_SAMPLES
@pytest.mark.parametrize("slowdown", ["0", "20"])
def test_threads(tmp_path, slowdown):
    write(tmp_path / "p.py", WORKERS)
    done = traced("--slowdown", slowdown, "-o", "out", "p.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = shown(tmp_path / "out", "--threads").splitlines()
    names = [row.split()[-1] for row in rows if re.match(r" +- +\d", row)]
    assert len(names) == 7
    if COUNTS and slowdown != "0":
        assert sorted(names) == ["MainThread", *(f"worker-{number}" for number in range(6))]


@NEEDS_SAMPLES
@pytest.mark.parametrize("slowdown", ["0", "20"])
@pytest.mark.parametrize(
    ("words", "functions", "lined"),
    [
        ((), {"slow", "main"}, {"slow", "main"}),
        (("--exclude", "library"), {"main"}, {"main"}),
        (("--include", "library"), {"slow"}, {"slow"}),
        (("--lines-of", "library"), {"slow", "main"}, {"slow"}),
        (("--lines",), {"slow", "main"}, {"slow", "main"}),
    ],
)
def test_code_that_is_chosen(tmp_path, slowdown, words, functions, lined):
    write(tmp_path / "library.py", LIBRARY)
    write(tmp_path / "p.py", "import library\ndef main(): library.slow(0.4)\nmain()\n")
    done = traced("--slowdown", slowdown, "-o", "out", *words, "p.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    mine = {"slow", "main"}
    stats = Stats(tmp_path / "out")
    whole = stats.sampled.time
    found = {label[2] for label, row in stats.stats.items() if row[3] > whole / 2}
    assert found & mine == functions
    text = shown(tmp_path / "out", "--lines")
    assert set(re.findall(r"Function: (\w+) at", text)) & mine == lined


@NEEDS_SAMPLES
@pytest.mark.parametrize(
    "words", [("--tree",), ("--callers", "leaf"), ("--threads",), ("-s", "calls")]
)
def test_tables(file, words):
    assert shown(file, *words)


@NEEDS_SAMPLES
@pytest.mark.parametrize("name", ["--longest", "--resumes", "--suspended"])
def test_what_samples_do_not_tell(file, name):
    assert "samples do not tell them." in shown(file, name)


WRONG = {
    "--slowdown 150": "--slowdown: '150' is no slow-down: give a percentage from 0 to 100",
    "--slowdown -3": "--slowdown: '-3' is no slow-down: give a percentage from 0 to 100",
    "--slowdown ten": "--slowdown: 'ten' is no slow-down: give a percentage from 0 to 100",
    "--rate 100": "--rate is of no use without --slowdown; give it, too",
    "--slowdown 5 --rate 100 --native=99": "--native=99 and --rate 100: one sampler serves both",
    "--slowdown 5 --rate 0": "--rate '0': give samples in a second of CPU, from 1 to 10000",
    "--slowdown 5 --rate 1.5": "--rate '1.5': give samples in a second of CPU, from 1 to 10000",
}
ALONE = {
    "-l": "times each line",
    "--timeline": "records each call", "--timeline-last": "records each call",
    "--step-function main": "records each call", "--memory": "records each allocation",
    "--compensate": "corrects the times of calls",
    "--timer cpu": "chooses what calls are timed by", "--no-builtins": "leaves out calls of C",
    **dict.fromkeys(["--longest", "--resumes", "--suspended"], "tells of single calls"),
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_bad_values_are_refused(words, folder):
    done = traced(*words.split(), "p.py", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(f"tracer: {WRONG[words]}")


@pytest.mark.parametrize("words", ALONE)
def test_what_needs_each_call_is_refused(words, folder):
    done = traced("--slowdown", "5", *words.split(), "p.py", cwd=folder)
    flag, why = words.split()[0], ALONE[words]
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        f"tracer: --slowdown takes samples, and {flag} {why}; give one of them\n"
    )


@pytest.mark.parametrize("key", ["waited", "longest", "busy"])
def test_orders_by_what_samples_do_not_tell_are_refused_before_the_run(key, folder):
    done = traced("--slowdown", "5", "-s", key, "p.py", cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        f"tracer: -s {key}: samples tell of no single call; give --waited for where threads "
        "waited\n"
    )


@NEEDS_SAMPLES
def test_lines_are_printed_with_their_hits(folder):
    text = traced("--slowdown", "5", "--lines", "p.py", cwd=folder).stdout.decode()
    [once] = [line for line in text.splitlines() if line.endswith("  main(1.0)")]
    [often] = [line for line in text.splitlines() if line.endswith("  total += x * x % 7")]
    if COUNTS:
        assert once.split()[1] == "1"
        assert once.split()[4] == "100.0"
        assert re.fullmatch(r"\d{4,}\+", often.split()[1])
        assert "Hits with a plus are at least so many" in text
    else:
        assert "Hits were not counted" in text


PACKING = "import zlib\nfor _ in range(12): zlib.compress(bytes(5_000_000), 6)\n"


@NEEDS_SAMPLES
@pytest.mark.parametrize(
    ("words", "rate"),
    [("--native", 250), ("--native --rate 100", 100), ("--native=99 --rate=99", 99)],
)
def test_native_code_beside_samples(tmp_path, words, rate):
    """One sampler serves both."""
    write(tmp_path / "pack.py", PACKING)
    traced("--slowdown", "5", *words.split(), "-o", "out", "pack.py", cwd=tmp_path)
    file = tmp_path / "out"
    assert Stats(str(file)).captures[0].native.hz == rate
    assert "<- <module>" in shown(file, "--native")
    assert "pack.py:1(<module>)" in shown(file, "--native")


@NEEDS_SAMPLES
@pytest.mark.parametrize(
    "words",
    [["show"], ["merge", "-o", "both.out"], ["html", "-o", "x.html"], ["export", "--to", "pstats"]],
)
def test_samples_and_calls_are_not_added_up(words, file, folder):
    traced("-o", "exact.out", "-c", "len('')", cwd=folder)
    found = traced(*words, file.name, "exact.out", cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.startswith(
        b"tracer: %s, exact.out: some are profiles of samples, and some of calls"
        % file.name.encode()
    )


@NEEDS_SAMPLES
@pytest.mark.parametrize("metric", ["waited", "busy"])
def test_waits_by_samples_are_not_compared(metric, file, folder):
    found = traced("diff", file.name, file.name, "--metric", metric, cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr == (
        b"tracer: %s is of samples: its tottime is CPU time, and its waits, which 'show --waited' "
        b"prints, are not compared; leave --metric %s out\n"
        % (repr(file.name).encode(), metric.encode())
    )


@NEEDS_SAMPLES
def test_what_samples_do_not_know_is_not_gone(file, folder):
    """They are compared by their times, and functions in C have none of their own by samples."""
    done = traced("-o", "exact.out", "p.py", cwd=folder)
    assert done.returncode == 0
    assert "built-in" in shown(folder / "exact.out", "--table")
    for pair in (["exact.out", file.name], [file.name, "exact.out"]):
        found = traced("diff", *pair, "--limit", "0", cwd=folder)
        assert found.returncode == 0
        assert b"built-in" not in found.stdout
