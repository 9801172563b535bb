"""`show --summary`: views, order, units, threads, and what it refuses."""

from textwrap import dedent

import pytest

import tracer
from launch import environment, good, on_terminal, traced, write
from outfiles import second

pytestmark = pytest.mark.results


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A profile of five steps with two threads, a phase of its own, and one without a timeline."""
    source = """
    import threading, time, tracer

    def forward():
        sorted([3, 1, 2], key=lambda it: it)

    def keep():
        time.sleep(0.001)

    def ahead():
        with tracer.range("fetch", "io"):
            time.sleep(0.002)

    with tracer.StepProfiler(phases={"save": ["loop.keep"], "lost": ["loop.kept"]}) as profiler:
        other = threading.Thread(target=ahead, name="reader")
        other.start()
        for number in range(5):
            forward()
            keep()
            profiler.step(items=10)
        other.join()
    profiler.dump_stats("loop.out")
    with tracer.Profile() as profile:
        forward()
    profile.dump_stats("plain.out")
    """
    path = tmp_path_factory.mktemp("summary")
    write(path / "loop.py", dedent(source))
    assert traced("--", "loop.py", cwd=path).returncode == 0
    return path


def shown(folder, *words):
    return good("show", "loop.out", "--no-header", *words, cwd=folder)


def blocks(text):
    """The tables by their titles, as words."""
    parts = text.rstrip("\n").split("\n\n")
    titles = [at for at, part in enumerate(parts) if at and "\n" not in part]
    return {
        parts[at].partition(":")[0]: [line.split() for line in parts[at + 1].splitlines()]
        for at in titles
    }


def test_all_views_that_have_something_to_tell(folder):
    text = shown(folder, "--summary")
    found = blocks(text)
    titles = ["Device", "Overview", "Model", "Operators, of the whole recording", "User ranges"]
    assert list(found) == [*titles, "Steps"]
    assert text.splitlines()[1].startswith(
        "phase lost: no function 'loop.kept' was called; do you mean "
    )
    model = {row[0]: row[1] for row in found["Model"][1:]}
    assert model == {"step": "5", "forward": "5", "save": "5", "others": "5"}
    assert [row[0] for row in found["Steps"][1:]] == ["0", "1", "2", "3", "4"]
    tables = text.partition("\n\n")[2].splitlines()
    # Behind the figures of a slow step stand words, whose length is the machine's to say.
    figures = [line for line in tables if "slow" not in line and "longer: " not in line]
    assert max(map(len, figures)) <= 100


def test_some_views(folder):
    assert list(blocks(shown(folder, "--summary=steps,model"))) == ["Model", "Steps"]
    assert "No memory was recorded." in shown(folder, "--summary=memory")


def test_the_header_stands_above(folder):
    text = good("show", "loop.out", "--summary=model", cwd=folder)
    assert text.index("timeline") < text.index("\n\nSummary of 5 recorded steps, ")


@pytest.mark.parametrize("key", ["total", "calls", "average", "max", "min", "name"])
def test_an_order(folder, key):
    rows = blocks(shown(folder, "--summary=model", "-s", key))["Model"]
    names = [row[0] for row in rows[1:]]
    assert sorted(names) == ["forward", "others", "save", "step"]
    assert key != "name" or names == sorted(names)
    assert key not in ("total", "max") or names[0] == "step"


def test_a_unit(folder):
    for unit in ("s", "ms", "us", "ns"):
        assert f"total ({unit})" in shown(folder, "--summary=model", "--time-unit", unit)


def test_threads(folder):
    text = shown(folder, "--summary=ranges,overview", "--by-thread")
    titles = ["Overview: MainThread", "Overview: reader", "User ranges: reader"]
    assert [line for line in text.splitlines() if ": " in line and "phase" not in line] == titles
    text = shown(folder, "--summary=ranges,steps", "--thread", "reader")
    assert "There is no whole step, so the recording counts as one" in text
    assert "fetch [io]" in text


def test_a_limit(folder):
    assert "; the 2 longest, in order" in shown(folder, "--summary=steps", "--limit=2")
    assert "; the" not in shown(folder, "--summary=steps", "--limit=0")


def test_a_part(folder):
    text = shown(folder, "--summary=model", "--to-time", "1us")
    assert "There is no whole step, so this part counts as one" in text


def test_files_are_added_up(folder):
    again = second(folder / "loop.out")
    text = good("show", "loop.out", again, "--no-header", "--summary=model", cwd=folder)
    assert text.startswith("Summary of 10 recorded steps, ")


def test_a_terminal_is_not_too_narrow(folder):
    env = environment(TERM="xterm", NO_COLOR="1", COLUMNS="60")
    words = ("-m", "tracer", "show", "loop.out", "--summary")
    text, _ = on_terminal("stdout", *words, cwd=folder, env=env)
    assert max(map(len, text.decode().splitlines())) <= 60


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--summary=modl"], "--summary=modl: 'modl' is no view; choose from device, overview, "),
        (["--summary", "-s", "p95"], "-s p95 does not sort a summary; choose from total, calls, "),
        (["--summary", "--ranges"], "--summary prints tables of its own, and so does --ranges; "),
        (["--summary", "--time-unit=m"], "--time-unit 'm': choose from s, ms, us, ns"),
        (["--time-unit", "ms"], "--time-unit is of no use without --summary; give it, too"),
        (["--by-thread"], "--by-thread is of no use without --summary; give it, too"),
        (["--summary", "--only", "x"], "--only is of no use with --summary; leave it out"),
        (["-s", "average"], "-s average sorts a summary; give it to 'show --summary', or another "),
    ],
)
def test_what_does_not_go_together(folder, words, said):
    done = traced("show", "loop.out", *words, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"tracer: {said}")


def test_a_profile_without_a_timeline(folder):
    done = traced("show", "plain.out", "--summary", cwd=folder)
    assert done.returncode == 2
    assert b"no timeline was recorded" in done.stderr


@pytest.mark.parametrize("words", [["show", "--summary"], ["export", "--to", "json", "-o", "-"]])
def test_improper_phases_of_a_pyproject(folder, tmp_path, words):
    (tmp_path / "pyproject.toml").write_text("[tool.tracer.phases]\nload = 3\n")
    verb, *options = words
    (capture,) = tracer.Stats(folder / "loop.out").captures
    capture.project_phases = None  # as in an older profile
    capture.write(tmp_path / "older.out")
    done = traced(verb, "older.out", *options, cwd=tmp_path)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert said.startswith(f"tracer: {tmp_path}/pyproject.toml: tool.tracer.phases['load'] must be")
    assert said.count("\n") == 1
