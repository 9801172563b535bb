"""What the command tells of native samples: `show --native`, and `export --native`."""

import gzip
import json
import re

import pytest

from launch import traced, write
from natives import Natives, recorded, save, trained
from sampled import NEEDS_SAMPLES
from tracer import Stats
from tracer.cli import run_header
from tracer.data.capture import Capture
from tracer.data.samples import NO_NATIVE
from tracer.results.facts import facts_of


@pytest.fixture
def file(tmp_path):
    save(tmp_path / "out", trained())
    return tmp_path / "out"


def shown(file, *words):
    done = traced("show", file.name, *words, cwd=file.parent)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def refused(*words, cwd):
    done = traced(*words, cwd=cwd)
    assert done.returncode == 2
    assert done.stdout == b""
    return done.stderr.decode()


KINDS = ("function", "init", "builtin", "method", "resume")
NO_COSTS = dict.fromkeys(KINDS, ((0.0, 0.0), (0.0, 0.0)))
TABLE = """\
      own      +-       %      cum  native function (library) <- functions it ran for
    1.750   0.279   68.6%    1.750  kernel (blas.so) <- step
    0.200   0.094    7.8%    1.700  dgemm (blas.so) <- step
    0.100   0.067    3.9%    1.800  matmul (numpy.so) <- step
    0.060   0.052    2.4%    0.060  scan (json.so) <- load
    0.000   0.000    0.0%    0.250  start (blas.so)
    0.000   0.000    0.0%    0.060  loads (json.so) <- load

  own CPU      +-   native    off CPU  overhead  filename:lineno(function)
    1.930   0.293    1.800          -         -  /here/app/work.py:15(step)
    0.200   0.094    0.060      0.700         -  /here/app/work.py:8(load)
    0.080   0.060    0.000          -         -  /here/app/work.py:2(main)
    0.040   0.042    0.000          -     0.050  /here/app/work.py:11(fit)
"""


CALLERS = """\
   Ordered by: cumulative CPU time
   List reduced from 11 to 1 due to restriction <'dgemm.*'>

Function         was called by...
                    samples  own CPU  cum CPU
dgemm (blas.so)  <-      20    0.200    1.700  matmul (numpy.so)
"""


def test_the_table(file):
    text = shown(file, "--native", "--no-header")
    text = text.replace("<- step 86%", "<- step")  # the rest is a thread's without Python functions
    assert TABLE in text
    assert "Ordered by: own CPU time, in seconds. A sample stands for 11.1 ms" in text


def test_sorted_by_cumulative_time(file):
    text = shown(file, "--native", "--no-header", "-s", "cumulative")
    assert re.findall(r"% +[\d.]+  (\w+) \(\w+\.so\)", text) == [
        "matmul", "kernel", "dgemm", "start", "scan", "loads",
    ]  # fmt: skip


def test_only_some(file):
    text = shown(file, "--native", "--no-header", "--only", "dg.*|scan")
    assert re.findall(r"% +[\d.]+  (\w+) \(\w+\.so\)", text) == ["dgemm", "scan"]
    assert "more function" not in text
    limited = shown(file, "--native", "--no-header", "--limit", "1")
    assert limited.count(".so)") == 1


def test_the_header(file):
    text = shown(file, "--native")
    assert (
        "    native  2.55 s of CPU in 2 threads, 230 samples, 90 a second: "
        "83% native, 15% Python, 2% overhead\n"
        "not sampled  thread 'pool-1': SIGPROF is blocked\n"
        " cut short  2 native stacks: what was found of them is counted\n"
        "      lost  1 sample: more came than tracer's thread could keep up with\n"
    ) in text


@pytest.mark.parametrize(
    ("taken", "doubt"),
    [
        (0.002, "; too little, for native samples have 0.050 +- 0.047 s in tracer's code alone"),
        (0.004, ""),
        (2.877, ""),
        (2.888, "; too much, for native samples have 2.550 s of CPU in all"),
    ],
)
def test_what_was_subtracted_is_held_against_the_samples(monkeypatch, taken, doubt):
    """By two standard errors: 0.0471 s of the overhead, 0.336 s of all CPU time."""
    monkeypatch.setattr(Capture, "taken_out", property(lambda capture: (taken, 0.0)))
    capture = trained().made()
    capture.costs = NO_COSTS
    stats = Stats(capture)
    cost, whole = facts_of(stats).cost, run_header.sampled_whole(stats)
    [(name, told)] = run_header.compensations(stats, cost, whole)
    assert (name, told) == (
        "tracing",
        f"{taken:.3f} s of tracing overhead subtracted, shares as measured{doubt}",
    )


@pytest.mark.parametrize(
    ("parts", "percents"),
    [([54.4, 15.3, 30.3], [55, 15, 30]), ([1, 1, 1], [34, 33, 33]), ([2, 0, 0], [100, 0, 0])],
)
def test_percents_make_a_hundred(parts, percents):
    assert run_header.whole_percents(parts) == percents


def test_without_samples_nothing_is_held_against_them():
    capture = recorded()
    capture.costs = NO_COSTS
    stats = Stats(capture)
    assert run_header.sampled_whole(stats) is None
    assert dict(run_header.compensations(stats, facts_of(stats).cost, None)) == {
        "tracing": "0.000 s of tracing overhead subtracted, shares as measured"
    }


def test_the_tree(file):
    text = shown(file, "--tree", "--native", "--no-header")
    lines = [line[39:] for line in text.splitlines() if re.match(r" +[\d.]+% ", line)]
    assert lines[0].endswith("work.py:2(main)")
    assert [line.split("─ ")[-1].strip() for line in lines if ".so)" in line] == [
        "matmul (numpy.so)", "dgemm (blas.so)", "kernel (blas.so)",
        "loads (json.so)", "scan (json.so)", "start (blas.so)", "kernel (blas.so)",
    ]  # fmt: skip
    assert "{profiling overhead}" in text


def test_a_folded_row_of_the_tree_has_its_samples(file):
    text = shown(file, "--tree", "--native", "--no-header", "--fold=work")
    assert re.search(r"^ +[\d.]+% +2.300 +2.300 +230  .*\(main\)$", text, re.MULTILINE)


def test_callers_and_callees(file):
    text = shown(file, "--native", "--callers", "dgemm.*", "--no-header")
    assert CALLERS in text
    text = shown(file, "--native", "--callees", "step", "--no-header")
    assert "->      10    0.100    1.800  matmul (numpy.so)\n" in text
    for words in ([], ["--strip-dirs"]):
        text = shown(file, "--native", "--callers", "dgemm.*", "--fold", "--no-header", *words)
        [row] = re.findall(r"^dgemm \(blas.so\) .*", text, re.MULTILINE)
        assert re.search(r"<- +20 +0.200 +1.700  .*work.py:15\(step\)$", row)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-s", "ncalls"], "-s ncalls does not sort native functions; give tottime or cumulative"),
        (["--lines"], "for what of a line's CPU time was in native code, give --lines --parts"),
        (["--fold"], "give --native --tree --fold, or --native --callers NAME --fold"),
        (["--memory"], "--native prints CPU time, and --memory memory; give one of them"),
    ],
)
def test_options_that_do_not_go_together(file, words, message):
    assert message in refused("show", file.name, "--native", *words, cwd=file.parent)


def test_a_file_without_samples(tmp_path):
    write(tmp_path / "work.py", "print(1)")
    traced("-o", "out", "work.py", cwd=tmp_path)
    assert NO_NATIVE in refused("show", "out", "--native", cwd=tmp_path)
    done = traced("export", "out", "--native", "--to", "folded", cwd=tmp_path)
    assert NO_NATIVE in done.stderr.decode()
    assert done.returncode == 2


def test_a_run_too_short_for_a_sample(tmp_path):
    save(tmp_path / "out", Natives())
    text = shown(tmp_path / "out", "--native", "--no-header")
    assert text == "   No sample: no thread used enough CPU while it was recorded.\n\n"


@pytest.mark.parametrize("wrong", ["0", "x", "10001", "-1", "1.5"])
def test_a_rate_that_makes_no_sense(tmp_path, wrong):
    write(tmp_path / "work.py", "print(1)")
    message = refused(f"--native={wrong}", "work.py", cwd=tmp_path)
    assert f"--native={wrong}: give samples in a second of CPU, from 1 to 10000" in message


def test_a_rate_that_is_a_word_apart(tmp_path):
    message = refused("--native", "300", "work.py", cwd=tmp_path)
    assert "write" not in message
    assert "--native=300" in message


@NEEDS_SAMPLES
def test_a_run_prints_both_tables(tmp_path):
    write(
        tmp_path / "work.py",
        "import time, zlib\ndata = bytes(range(256)) * 1000\n"
        "def pack():\n    end = time.thread_time() + 0.4\n"
        "    while time.thread_time() < end:\n        zlib.compress(data)\npack()\n",
    )
    done = traced("--native", "work.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert re.search(
        r"^    native  0\.\d+ s of CPU(?: in \d threads)?, \d+ samples, \d+ a second",
        text,
        re.MULTILINE,
    )
    assert "native function (library) <- functions it ran for" in text
    assert "<- pack" in text
    assert text.index("work.py:3") < text.index("native function (library)")


# -- Exports --


def exported(file, form):
    done = traced("export", file.name, "--native", "--to", form, "-o", "-", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_folded(file):
    lines = exported(file, "folded").decode().splitlines()
    assert (
        "MainThread;main (work:2);fit (work:11);step (work:15);matmul (numpy.so);dgemm (blas.so);"
        "kernel (blas.so) 1500000000"
    ) in lines
    assert "native thread worker;start (blas.so);kernel (blas.so) 250000000" in lines
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == 2_550_000_000


def test_callgrind_has_objects(file):
    text = exported(file, "callgrind").decode()
    assert re.search(r"^ob=\(\d+\) /lib/blas\.so\nfl=\(\d+\)\nfn=\(\d+\)", text, re.MULTILINE)
    assert re.search(r"^ob=\(\d+\) Python\nfl=\(\d+\)", text, re.MULTILINE)
    assert re.search(r"^cob=\(\d+\) /lib/blas\.so\ncfi=.*\ncfn=.* dgemm$", text, re.MULTILINE)
    assert "summary: 2550000000\n" in text


def test_without_native_functions_callgrind_has_no_objects(file):
    done = traced("export", file.name, "--to", "callgrind", "-o", "-", cwd=file.parent)
    assert b"ob=" not in done.stdout


def test_pprof_has_mappings(file):
    data = gzip.decompress(exported(file, "pprof"))
    for text in (b"samples", b"cpu", b"/lib/blas.so", f"{1:040x}".encode(), b"kernel"):
        assert text in data


def test_speedscope(file):
    text = exported(file, "speedscope").decode()
    assert "CPU time by native samples" in text
    assert '{"name": "kernel", "file": "/lib/blas.so"}' in text


def test_firefox(file):
    done = traced("export", file.name, "--native", "--to", "firefox", "-o", "-", cwd=file.parent)
    profile = json.loads(done.stdout)
    texts = profile["shared"]["stringArray"]
    main, worker = profile["threads"]
    assert (main["name"], worker["name"]) == ("MainThread", "native thread worker")

    def paths(thread):
        """{path: milliseconds}"""
        table, names = thread["stackTable"], thread["funcTable"]["name"]
        found = {}
        for stack, weight in zip(
            thread["samples"]["stack"], thread["samples"]["weight"], strict=True
        ):
            path = []
            while stack is not None:
                path.append(texts[names[table["frame"][stack]]].partition(" ")[0])
                stack = table["prefix"][stack]
            found["/".join(reversed(path))] = weight
        return found

    assert paths(worker) == {"start/kernel": 250}
    assert paths(main) == {
        "main": 80,
        "main/load": 140,
        "main/load/loads/scan": 60,
        "main/fit": 40,
        "main/fit/<profiling": 50,
        "main/fit/step": 130,
        "main/fit/step/matmul": 100,
        "main/fit/step/matmul/dgemm": 200,
        "main/fit/step/matmul/dgemm/kernel": 1500,
    }
    names = [texts[name].partition(" ")[0] for name in main["funcTable"]["name"]]
    kinds = [profile["meta"]["categories"][it]["name"] for it in main["frameTable"]["category"]]
    found = dict(zip(names, kinds, strict=True))
    assert (found["kernel"], found["step"]) == ("Native code", "Own code")
    assert main["samples"]["timeDeltas"][0] == 0
    assert len(main["samples"]["timeDeltas"]) == main["samples"]["length"] == 9


def test_a_format_without_native_functions(file):
    message = refused("export", file.name, "--native", "--to", "pstats", cwd=file.parent)
    assert (
        "--native: pstats has no native functions; these can have them: callgrind, firefox, "
        "folded, gperftools, pprof, speedscope"
    ) in message
