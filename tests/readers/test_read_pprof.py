"""go tool pprof on exports to pprof."""

import re
import shutil

import pytest

import tracer
from reading import exported, nanoseconds, need, run, there, told_apart
from sampled import COMPILER, NEEDS_SAMPLES, compiled, line_of, recorded_in
from tracer.analysis.tree.call_tree import paths_of
from tracer.exports.names import shown

NEEDS = "pprof"


def tops(path, *options):
    """{function: (flat, cum)}"""
    need(there("go"), "go tool pprof")
    words = ("-top", "-nodefraction=0", "-edgefraction=0", "-nodecount=1000000", *options)
    text = run("go", "tool", "pprof", *words, str(path))
    rows = re.findall(
        r"^ *(\d+)\w* +[\d.e-]+% +[\d.e-]+% +(\d+)\w* +[\d.e-]+%  (.*)$", text, re.MULTILINE
    )
    return {name: (int(flat), int(cum)) for flat, cum, name in rows}


def pprof_names(paths):
    def name(row):
        module = paths.modules[paths.rows.index(row)].name
        return f"{shown(module)}.{shown(row.name)}" if module else shown(row.name)

    return told_apart(paths.rows, name)


def test_pprof_calls(profile, qualified):
    names = pprof_names(paths_of(qualified))
    found = tops(exported(profile, "pprof"), "-sample_index=calls")
    want = {names[label]: row[1] for label, row in qualified.stats.items()}
    assert {name: flat for name, (flat, _) in found.items() if flat} == {
        name: calls for name, calls in want.items() if calls
    }


def test_pprof_times(profile, qualified):
    names = pprof_names(paths_of(qualified))
    found = tops(exported(profile, "pprof"), "-sample_index=wall", "-unit=ns")
    want = {
        names[label]: (nanoseconds(row[2]), nanoseconds(row[3]))
        for label, row in qualified.stats.items()
    }
    for name, (flat, cum) in want.items():
        assert found.get(name, (0, 0)) == pytest.approx((flat, cum), abs=1000), name
    assert len(found) == len(want)


def test_pprof_threads(profile, qualified):
    worker = qualified.threads["worker; one"]
    path = exported(profile, "pprof")
    found = tops(path, "-sample_index=calls", "-tagfocus=thread=^worker; one$")
    names = pprof_names(paths_of(qualified))
    want = {names[label]: row[1] for label, row in worker.stats.items() if row[1]}
    assert {name: flat for name, (flat, _) in found.items() if flat} == want


def test_pprof_tells_that_paths_are_estimated(of_cprofile):
    need(there("go"), "go tool pprof")
    text = run("go", "tool", "pprof", "-comments", str(exported(of_cprofile, "pprof")))
    assert paths_of(tracer.Stats(of_cprofile)).rule in text


def test_pprof_finds_the_lines_of_files(profile, program):
    found = tops(exported(profile, "pprof"), "-sample_index=calls", "-lines")
    line = 1 + program.read_text().splitlines().index("def fib(n):")
    assert f"program.fib {program}:{line}" in found


@pytest.fixture(scope="module")
def of_native_code(tmp_path_factory):
    need(there("go"), "go tool pprof")
    need(COMPILER is not None and there("addr2line"), "a C compiler, or a symbolizer,")
    folder = tmp_path_factory.mktemp("native")
    capture = recorded_in(compiled(folder, "-O1"))
    tracer.Stats(capture).dump_stats(folder / "native.out")
    return exported(folder / "native.out", "pprof", "--native")


@NEEDS_SAMPLES
def test_pprof_lists_the_lines_of_c(of_native_code):
    text = run("go", "tool", "pprof", "-list", "^slow_outer$", "-unit=ns", str(of_native_code))
    rows = re.findall(r"^ +(?:\.|\d+ns) +(\d+)ns +(\d+):", text, re.MULTILINE)
    times = {int(line): int(time) for time, line in rows}
    assert sum(times.values()) == tops(of_native_code, "-unit=ns")["slow_outer"][1]
    assert times[line_of("double first = slow_sum")] == max(times.values())


@NEEDS_SAMPLES
def test_pprof_shows_the_instructions_of_c(of_native_code):
    need(shutil.which("objdump"), "objdump")
    done = run("go", "tool", "pprof", "-disasm", "slow_sum", "-unit=ns", str(of_native_code))
    assert re.search(r"^ *\d+ns +\d+ns +[0-9a-f]+: .*", done, re.MULTILINE)
    assert "ROUTINE ======================== slow_sum" in done


@NEEDS_SAMPLES
def test_pprof_lists_the_lines_of_python_beside(of_native_code):
    text = run("go", "tool", "pprof", "-list", "recorded_in.*call", "-unit=ns", str(of_native_code))
    assert "slow(values" in text
