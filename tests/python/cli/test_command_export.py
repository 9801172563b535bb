"""`tracer export`: what it writes where, and the line it answers each mistake with."""

import cProfile
import json
import marshal
import math
import pstats

import pytest

import tracer
from drawn import Call, capture_of
from exporting import export, line_of, recorded
from formats.folded import read_folded
from formats.pprof import Pprof
from launch import traced, write
from natives import save
from outfiles import second
from tracer.exports.export import FORMATS

pytestmark = pytest.mark.results

PROGRAM = """
import threading

def leaf():
    pass

def main():
    for _ in range(10):
        leaf()

main()
thread = threading.Thread(target=leaf, name="other")
thread.start()
thread.join()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a profile of ours, one of cProfile's, one of lines, and one of nothing."""
    path = tmp_path_factory.mktemp("export")
    recorded(timeline=True, memory=True).dump_stats(path / "profile.out")
    recorded().dump_stats(path / "untimed.out")
    save(path / "native.out")
    plain = cProfile.Profile()
    plain.runcall(lambda: sorted([2, 1], key=lambda number: -number))
    plain.dump_stats(path / "cprofile.out")
    write(path / "main.py", PROGRAM)
    assert traced("-o", "threads.out", "main.py", cwd=path).returncode == 0
    write(path / "lines.py", "@profile\ndef leaf():\n    pass\n\nleaf()\n")
    for name in ("lines.lprof", "lines.out"):
        assert traced("-l", "-o", name, "lines.py", cwd=path).returncode == 0
    tracer.Profile().capture().write(path / "empty.out")
    return path


def file_for(name):
    return "native.out" if FORMATS[name].needs == "native" else "profile.out"


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_as_a_file_and_on_standard_output(folder, name, tmp_path):
    path, file = tmp_path / "exported", file_for(name)
    found = export(folder, file, "--to", name, "-o", str(path))
    assert (found.stdout, found.stderr, found.returncode) == (b"", b"", 0)
    found = export(folder, file, "--to", name, "-o", "-")
    assert (found.stdout, found.stderr, found.returncode) == (path.read_bytes(), b"", 0)


@pytest.mark.parametrize("name", FORMATS)
def test_the_file_is_named_after_the_profile(folder, name, tmp_path):
    (tmp_path / "profile.out").write_bytes((folder / file_for(name)).read_bytes())
    found = export(tmp_path, "profile.out", f"--to={name}")
    wanted = f"profile.out{FORMATS[name].suffix}"
    assert line_of(found, 0) == f"wrote {wanted}"
    assert {path.name for path in tmp_path.iterdir()} == {"profile.out", wanted}


def test_the_file_is_named_after_the_first_of_several(folder, tmp_path):
    for name, file in ("one.out", "profile.out"), ("two.out", "untimed.out"):
        (tmp_path / name).write_bytes((folder / file).read_bytes())
    found = export(tmp_path, "one.out", "two.out", "--to=csv")
    assert line_of(found, 0) == "wrote one.out.csv"
    assert {path.name for path in tmp_path.iterdir()} == {"one.out", "two.out", "one.out.csv"}


def test_runs_of_one_program_add_up(folder):
    once = export(folder, "threads.out", "--to", "folded", "-o", "-").stdout
    words = ("threads.out", second(folder / "threads.out"), "--to", "folded", "-o", "-")
    twice = read_folded(export(folder, *words).stdout)
    assert twice == {path: 2 * time for path, time in read_folded(once).items()}


def test_several_files_are_added_up(folder):
    once = read_folded(export(folder, "profile.out", "--to", "folded", "-o", "-").stdout)
    again = second(folder / "profile.out")
    twice = export(folder, "profile.out", again, "--to", "folded", "-o", "-").stdout
    assert sum(read_folded(twice).values()) == 2 * sum(once.values())


def test_files_of_cprofile(folder):
    found = export(folder, "cprofile.out", "--to", "pprof", "-o", "-")
    assert found.returncode == 0
    [rule] = Pprof(found.stdout).comments
    assert found.stderr.decode() == f"tracer: paths are estimated. {rule}\n"
    found = export(folder, "cprofile.out", "--to", "csv", "-o", "-")
    assert (found.stderr, found.returncode) == (b"", 0)
    found = export(folder, "cprofile.out", "profile.out", "--to", "json", "-o", "-")
    assert json.loads(found.stdout)["estimated"]


def test_pstats_of_cprofile_is_what_it_was(folder, tmp_path):
    path = str(tmp_path / "again")
    assert export(folder, "cprofile.out", "--to", "pstats", "-o", path).returncode == 0
    assert pstats.Stats(path).stats == pstats.Stats(str(folder / "cprofile.out")).stats


def test_an_empty_profile(folder):
    found = export(folder, "empty.out", "--to", "folded", "-o", "-")
    assert (found.stdout, found.stderr, found.returncode) == (b"", b"", 0)


def test_one_thread(folder):
    found = export(folder, "threads.out", "--to", "pprof", "-o", "-", "--thread", "other")
    assert {labels["thread"] for _, _, labels in Pprof(found.stdout).samples} == {"other"}
    found = export(folder, "threads.out", "--to", "pprof", "-o", "-", "--thread", "nobody")
    assert line_of(found).startswith("--thread: no thread 'nobody'; there are: MainThread (")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A folder with a profile of CPU time, one with a timeline and one with memory; the first one's
    only thread."""
    path = tmp_path_factory.mktemp("alone")
    write(
        path / "main.py",
        "def leaf():\n    pass\n\ndef main():\n    len('')\n    leaf()\n\nmain()\n",
    )
    for words in (
        ("--timer", "cpu", "-o", "cpu.out"),
        ("--timeline", "-o", "timed.out"),
        ("--memory", "-o", "memory.out"),
    ):
        assert traced(*words, "main.py", cwd=path).returncode == 0
    save(path / "native.out")
    return path, tracer.Stats(path / "cpu.out").threads[0]


@pytest.mark.parametrize("name", FORMATS)
def test_the_only_thread_is_the_whole_profile(alone, name):
    """Its clock, its title and the lines of its calls are those of the run, by name or ident."""
    folder, only = alone
    files = {"timeline": "timed.out", "memory": "memory.out", "native": "native.out"}
    file = files.get(FORMATS[name].needs, "cpu.out")
    words = (file, "--to", name, "-o", "-")
    whole = export(folder, *words)
    for thread in only.thread.name, str(tracer.Stats(folder / file).threads[0].thread.ident):
        found = export(folder, *words, "--thread", thread)
        assert (found.stderr, found.returncode) == (b"", 0)
        if name == "pstats":  # whose bytes also depend on what else refers to a text
            assert marshal.loads(found.stdout) == marshal.loads(whole.stdout)
        else:
            assert found.stdout == whole.stdout


def test_one_thread_of_a_run(alone):
    folder, _ = alone
    words = ("cpu.out", "-o", "-", "--thread=MainThread", "--to")
    assert Pprof(export(folder, *words, "pprof").stdout).kinds[1] == ("cpu", "nanoseconds")
    text = export(folder, *words, "callgrind").stdout.decode()
    assert "\ncmd: main.py\n" in text
    assert "\ncalls=1 1\n+1 " in text  # leaf(), on the line behind that of len()


def test_a_damaged_file_beside_that_of_a_thread_is_told(folder, tmp_path):
    data = (folder / "threads.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[: len(data) - 10])
    words = (str(folder / "threads.out"), "cut.out", "--to", "folded", "-o", "-")
    found = export(tmp_path, *words, "--thread", "other")
    assert found.returncode == 2
    assert b"cut.out: tracer's part of the file is truncated" in found.stderr


def test_what_is_lost_is_told_and_what_is_chosen_is_not(tmp_path):
    profile = capture_of({"MainThread": (Call("main", 0, 9_000),)}, lost=7)
    profile.write(tmp_path / "profile.out")
    words = ("profile.out", "--to", "chrome", "-o", "-", "--from", "1us", "--min", "2us")
    found = export(tmp_path, *words)
    assert found.stderr == b"tracer: chrome: 7 longer slices found no room either\n"
    assert json.loads(found.stdout)["otherData"]["notes"] == [
        "7 longer slices found no room either",
        "slices of 2 us or more are drawn",
        "drawn from 1 us to the end",
    ]


def test_small_paths_are_left_out(folder):
    words = ("profile.out", "--to", "folded", "-o", "-")
    everything = read_folded(export(folder, *words).stdout)
    found = read_folded(export(folder, *words, "--min", "10").stdout)
    assert len(found) < len(everything)
    assert sum(found.values()) == sum(everything.values())
    assert any(path[-1] == "<less than 10% each>" for path in found)


# -- Mistakes --------------------------------------------------------------------------------

ALL = ", ".join(FORMATS)
ABLE = [name for name, format in FORMATS.items() if format.prunes in ("functions", "paths")]
DRAWS = ", ".join(name for name, format in FORMATS.items() if format.draws)
MIN = "give a percentage, from 0 to 100, or a duration, such as 200us"
NO_TIMES = f"has no times and durations to choose from; these have: {DRAWS}"
TIME = "give a time since the start, such as 1.5, 1.5s or 200ms"
KINDS = " or ".join(sorted({FORMATS[name].prunes for name in ABLE}))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["profile.out"], f"name a format: --to {'|'.join(FORMATS)}"),
        (["profile.out", "--to", "svg"], f"--to: unknown format 'svg'; choose from {ALL}"),
        (["--to", "csv"], "nothing to export: name a FILE that -o wrote; --help tells more"),
        (["profile.out", "--to"], "--to needs a value: --to FORMAT"),
        (["profile.out", "--min", "-1"], f"--min '-1': {MIN}"),
        (["profile.out", "--min", "1h"], f"--min '1h': {MIN}"),
        (["profile.out", "--min", "1 us"], f"--min '1 us': {MIN}"),
        (["profile.out", "--from", "later"], f"--from 'later': {TIME}"),
        (["profile.out", "--to-time", "-1s"], f"--to-time '-1s': {TIME}"),
        (
            ["profile.out", "--to", "chrome", "--min", "1"],
            "--min: chrome leaves out short slices: give a duration, such as 200us",
        ),
        (["profile.out", "--to", "csv", "--min", "1us"], f"--min: csv {NO_TIMES}"),
        (["profile.out", "--to", "csv", "--from", "1"], f"--from: csv {NO_TIMES}"),
        (["profile.out", "--to", "csv", "--to-time", "1"], f"--to-time: csv {NO_TIMES}"),
        (
            ["profile.out", "--to", "chrome", "--from", "1", "--to-time", "1000ms"],
            "--from: 1 is not before 1; give an earlier time",
        ),
        (
            ["profile.out", "--to", "chrome", "--paths"],
            "--paths: chrome has no paths to show; leave it out",
        ),
        (
            ["profile.out", "--to", "speedscope", "--paths", "--from", "1"],
            "--paths chooses from paths, and --from from the timeline; give one of them",
        ),
        (
            ["profile.out", "--to", "speedscope", "--min", "1", "--to-time", "1"],
            "--min 1 chooses from paths, and --to-time from the timeline; give one of them",
        ),
        (
            ["untimed.out", "--to", "perfetto"],
            "untimed.out: no timeline was recorded; run the program with --timeline",
        ),
        (
            ["profile.out", "--to", "csv", "--min", "1"],
            f"--min: csv has no {KINDS} to leave out; {', '.join(ABLE[:-1])} and {ABLE[-1]} have",
        ),
        (
            ["missing.out", "--to", "csv"],
            "cannot read 'missing.out': No such file or directory; "
            "name a profile that python -m tracer -o FILE wrote",
        ),
        (
            ["main.py", "--to", "csv"],
            "main.py: no profile, or damaged: at byte 0: no dict, such as marshal writes; "
            "name a file that tracer, cProfile or line_profiler wrote",
        ),
        (
            ["lines.lprof", "--to", "csv"],
            "lines.lprof: holds lines and no functions, of which exports are made; "
            "'python -m tracer show' prints it",
        ),
        (
            ["profile.out", "lines.out", "--to", "csv"],
            "lines.out: holds lines and no functions, of which exports are made; "
            "'python -m tracer show' prints it",
        ),
        (
            ["profile.out", "--to", "csv", "-o", "./profile.out"],
            "'./profile.out' is the profile itself; name another file after -o",
        ),
        (
            ["empty.out", "profile.out", "--to", "csv", "-o", "profile.out"],
            "'profile.out' is the profile itself; name another file after -o",
        ),
        (
            ["profile.out", "--to", "csv", "-o", ""],
            "cannot write '': the name is empty; give a path that can be written after -o",
        ),
        (
            ["profile.out", "--to", "csv", "-o", "missing/out.csv"],
            "cannot write 'missing/out.csv': No such file or directory; "
            "give a path that can be written after -o",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes(folder, words, line):
    before = sorted(folder.iterdir())
    found = export(folder, *words)
    assert line_of(found).partition("at byte")[0] == line.partition("at byte")[0]
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("figures", [(1, 1, math.inf, 1.0), (1, -1, 1.0, math.nan)])
@pytest.mark.parametrize("name", ["folded", "json", "speedscope"])
def test_figures_that_no_profile_has(tmp_path, name, figures):
    (tmp_path / "odd.out").write_bytes(marshal.dumps({("a.py", 1, "a"): (*figures, {})}))
    found = export(tmp_path, "odd.out", "--to", name, "-o", "-")
    assert (
        line_of(found) == "odd.out: its figures are not those of a profile; make the profile again"
    )


def test_a_link_to_the_profile_is_the_profile(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder / "profile.out")
    found = export(folder, "profile.out", "--to", "csv", "-o", str(tmp_path / "link"))
    assert "is the profile itself" in line_of(found)


def test_a_damaged_profile_is_exported_and_told(folder, tmp_path):
    data = (folder / "profile.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[: len(data) - 10])
    found = export(tmp_path, "cut.out", "--to", "folded", "-o", "-")
    assert read_folded(found.stdout)
    assert found.returncode == 2
    assert b"cut.out: tracer's part of the file is truncated" in found.stderr


def test_nothing_is_named(folder):
    found = export(folder)
    assert (found.stdout, found.returncode) == (b"", 2)
    assert found.stderr.startswith(b"usage: python -m tracer export FILE... --to FORMAT")
    assert b"tracer: nothing to export" in found.stderr
    text = export(folder, "--help").stdout.decode()
    assert all(f"  {name} " in text and kind.opened_by in text for name, kind in FORMATS.items())
    assert [line for line in text.splitlines() if len(line) > 100] == []
