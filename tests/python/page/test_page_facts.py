"""What the page tells beside figures: of the run, of lines, of sources."""

import dataclasses
import json
import platform
import textwrap
from time import process_time

import pytest

import tracer
from launch import traced, write
from rows import limited
from tracer._core import BACKEND_TITLES
from tracer.analysis.tree.call_tree import paths_of
from tracer.cli.run_header import run_header
from tracer.data.section import RUNNING
from tracer.page import run_facts

PROGRAM = "def work():\n    return sum(range(1000))\n\nwork()\n"


def profiled(tmp_path, *options, text=PROGRAM):
    program = write(tmp_path / "program.py", text)
    out = tmp_path / "profile.out"
    done = traced(*options, "-o", out, program)
    assert done.returncode == 0, done.stderr
    return program, tracer.Stats(out)


def test_facts_of_a_run(tmp_path):
    program, stats = profiled(tmp_path)
    found = json.loads(json.dumps(run_facts.facts_of(stats)))
    [run] = found["runs"]
    recorded = stats.captures[0].run
    assert run["command"][-1] == str(program)
    assert run["real"] == round(recorded.real * 1e9)
    assert run["memory"] == recorded.max_memory
    assert run["python"] == f"CPython {platform.python_version()}"
    assert found["calls"] == stats.total_calls
    assert found["backends"] == [BACKEND_TITLES[stats.captures[0].backend]]
    assert found["builtins"] == ["yes"]
    assert found["threads"] == 1
    assert (found["tracing"], found["lost"], found["cutOff"], found["unkept"]) == (None, 0, [], 0)
    assert found["shared"] == 0


def test_how_runs_ended(tmp_path):
    _, stats = profiled(tmp_path)
    assert [run["ended"] for run in run_facts.facts_of(stats)["runs"]] == [""]
    stats.captures[0].run = dataclasses.replace(stats.captures[0].run, ended="by SIGTERM")
    assert run_facts.facts_of(stats)["runs"][0]["ended"] == "by SIGTERM"
    stats.captures[0].run = dataclasses.replace(stats.captures[0].run, ended=RUNNING)
    told = "not known: saved while the program ran"
    assert run_facts.facts_of(stats)["runs"][0]["ended"] == told


def test_numbers_that_json_does_not_have_become_zero(tmp_path):
    _, stats = profiled(tmp_path)
    [capture] = stats.captures
    capture.run = dataclasses.replace(capture.run, real=float("nan"), started=float("inf"))
    [run] = run_facts.facts_of(stats)["runs"]
    assert (run["real"], run["started"]) == (0, 0.0)


def test_what_tracing_cost_is_told(tmp_path):
    _, stats = profiled(tmp_path, "--compensate")
    found = run_facts.facts_of(stats)
    whole, kept = stats.captures[0].taken_out
    assert found["tracing"] == {
        "state": "out",
        "taken": round((whole - kept) * 1e9),
        "kept": round(kept * 1e9),
    }
    header = run_header(stats, 1)
    assert (
        f"{whole - kept:.3f} s of tracing overhead subtracted, shares as measured" in header
    )  # as the page says
    stats = tracer.Stats(tmp_path / "profile.out", raw=True)
    assert run_facts.facts_of(stats)["tracing"]["state"] == "in"


def test_paths_that_were_not_kept_are_counted():
    profile = limited(threads=False, _node_limit=3)

    def deep(n):
        return deep(n - 1) if n else 0

    profile.record_call(deep, 9)
    profile.disable()
    stats = tracer.Stats(profile)
    paths = paths_of(stats)
    folded = sum(edge.calls for tree in paths.trees for edge in tree.edges)
    assert folded > 0
    assert run_facts.facts_of(stats)["unkept"] == folded


def test_lines(tmp_path):
    program, stats = profiled(tmp_path, "--lines")
    found = {function["name"]: function for function in run_facts.lines_of(stats)}
    work = found["work"]
    assert (work["file"], work["line"]) == (str(program), 1)
    [[line, hits, time, _, _, suspended, waited, python, native, error, is_counted]] = work["lines"]
    assert (line, hits, suspended, python, native) == (2, 1, 0, None, None)
    assert (error, is_counted) == (None, True)
    assert 0 <= waited <= time
    [timed] = [f for f in stats.lines.functions if f.qualname == "work"]
    assert time == round(timed.lines[0].time * 1e9)


def test_nothing_of_a_plain_generator_is_suspended(tmp_path):
    text = """
        import asyncio
        def links():
            yield 1
        async def crawl():
            await asyncio.sleep(0.001)
        list(links())
        asyncio.run(crawl())
    """
    _, stats = profiled(tmp_path, "--lines", text=textwrap.dedent(text))
    timed = {it.qualname: it for it in stats.lines.functions}
    assert all(any(it.suspended for it in timed[name].lines) for name in ("links", "crawl"))
    found = {it["name"]: it["lines"] for it in run_facts.lines_of(stats)}
    suspended = {name: sum(line[5] for line in found[name]) for name in ("links", "crawl")}
    assert (suspended["links"], suspended["crawl"] > 0) == (0, True)


def sources(stats, **options):
    return run_facts.sources_of(stats, paths_of(stats), **options)


def test_stored_source_is_the_same_until_it_is_edited_or_gone(tmp_path):
    program, stats = profiled(tmp_path)
    assert sources(stats) == {str(program): {"text": PROGRAM, "state": "same"}}
    program.write_text(PROGRAM + "# more\n")
    assert sources(stats) == {str(program): {"text": PROGRAM, "state": "edited"}}
    program.unlink()
    assert sources(stats) == {str(program): {"text": PROGRAM, "state": "gone"}}


def without_sources(stats):
    """The Stats as if the command had not recorded it."""
    for capture in stats.captures:
        capture.sources = {}
    return stats


def test_source_that_is_not_wanted_is_not_read_either(tmp_path):
    _, stats = profiled(tmp_path, "--no-source")
    assert sources(stats, read=True) == {}


@pytest.mark.parametrize("codec", ["punycode", "idna", "nonsense", "hex"])
def test_source_in_whatever_codec_is_shown_at_once(codec, tmp_path):
    _, stats = profiled(tmp_path)
    data = f"# coding: {codec}\n{'a' * 1000}-{'b' * 300_000}".encode()
    stats.captures[0].sources = {"/x/a.py": tracer.data.types.SourceText(data, False)}
    began = process_time()
    assert sources(stats)["/x/a.py"]["text"].endswith("bbb")
    assert process_time() - began < 5


def test_source_that_is_not_stored_is_read_when_asked_for(tmp_path):
    program, stats = profiled(tmp_path)
    without_sources(stats)
    assert sources(stats) == {}
    assert sources(stats, read=True) == {str(program): {"text": PROGRAM, "state": "unknown"}}
    program.unlink()
    assert sources(stats, read=True) == {}


def test_sums_of_timed_lines_tell_whether_source_is_the_same(tmp_path):
    program, stats = profiled(tmp_path, "--lines")
    without_sources(stats)
    assert sources(stats, read=True)[str(program)]["state"] == "same"
    program.write_text("# edited\n" + PROGRAM)
    assert sources(stats, read=True)[str(program)]["state"] == "edited"


def test_library_source_is_left_out_unless_asked_for(tmp_path):
    program, stats = profiled(tmp_path, text="import json\njson.dumps([1])\n")
    assert set(sources(stats, read=True)) == {str(program)}
    files = sources(stats, libraries=True)
    assert any(file.endswith("json/encoder.py") for file in files)
