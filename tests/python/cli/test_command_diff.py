"""`tracer diff`: what it prints, when it fails, and what it refuses."""

import dataclasses
import marshal
import math
import re

import pytest

import tracer
from diffing import NAME, OF_CALLS, diff, write_profiles
from launch import refused, traced, write
from outfiles import second
from pictures import profile_of
from tracer.cli import diff_tables
from tracer.data.section import RUNNING
from tracer.report.styled import LESS, MORE
from tracer.report.styled import change as change_styled
from tracer.results.comparison import TOTAL, Change, Metrics

pytestmark = pytest.mark.results


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    write_profiles(folder)
    return folder


HEADER = """\
    before  old.out
     after  new.out of work.py -v
     calls  5 -> 9  +80.0%
   tottime  8.000 s -> 9.000 s  +12.5%
 functions  3 -> 4: 1 new, 0 gone, 1 with other calls
"""
OWN = """\
  own code  leaf  work.py:4  cumtime 3.000 s -> 6.000 s  +100.0%
  own time  leaf  work.py:4  tottime 3.000 s -> 6.000 s  +100.0%

"""
HEAD = f"   ncalls       +/-  tottime      +/-   growth  cumtime      +/-{NAME}"
TABLE = f"""\
   Ordered by: change of tottime

{HEAD}\
        6        +3    6.000   +3.000  +100.0%    6.000   +3.000  work.py:4(leaf)
        1              1.000   -2.000   -66.7%    9.000   +1.000  work.py:15(top)

"""


def test_the_biggest_changes(folder):
    assert diff("old.out", "new.out", "--strip-dirs", folder=folder) == HEADER + OWN + TABLE
    text = diff("--no-header", "old.out", "new.out", folder=folder)
    assert text == TABLE.replace(" work.py", " /other/app/work.py")


def test_how_a_run_ended(folder, tmp_path):
    run = tracer.RunInfo(("work.py",), 1.5e9, 0.25, 0.125, 0.0625, 2**24, "", "by SIGTERM")
    killed = tmp_path / "killed.out"
    profile_of("top").capture(run).write(killed)
    text = diff(str(killed), "new.out", folder=folder)
    assert text.splitlines()[:2] == [
        f"    before  {killed} of work.py, ended by SIGTERM",
        "     after  new.out of work.py -v",
    ]
    again = tmp_path / second(killed)
    both = traced("show", killed, "new.out", again, cwd=folder).stdout.decode()
    assert "     ended  by SIGTERM (2 of 3 runs)\n" in both
    saved = tmp_path / "saved.out"
    profile_of("top").capture(dataclasses.replace(run, ended=RUNNING)).write(saved)
    words = "show", saved, killed, "new.out", again
    ended = "by SIGTERM (2 of 4 runs)"
    unknown = "not known: saved while the program ran (1 of 4 runs)"
    assert f"     ended  {unknown}, {ended}\n" in traced(*words, cwd=folder).stdout.decode()


def test_the_real_time_of_two_runs(folder, tmp_path):
    for name, real, ended in ("slow", 2.0, "by SIGTERM"), ("fast", 0.5, RUNNING):
        run = tracer.RunInfo(("work.py",), 1.5e9, real, 0.125, 0.0625, 2**24, "", ended)
        profile_of("top").capture(run).write(tmp_path / name)
    assert diff("slow", "fast", folder=tmp_path).splitlines()[:7] == [
        "    before  slow of work.py, ended by SIGTERM",
        "     after  fast of work.py, saved while the program ran",
        "     calls  5 -> 5",
        "      time  2.000 s -> 0.500 s real  -75.0%",
        "            0.188 s -> 0.188 s user and sys",
        "   tottime  8.000 s -> 8.000 s",
        " functions  3 -> 3: 0 new, 0 gone, 0 with other calls",
    ]


def test_a_machine_that_was_busy(tmp_path):
    waited = (
        f"{'':12}the calls are as many, and the processor worked for less of the real time: "
        "the program waited, or the machine was busy"
    )

    def said(before, after, other="top"):
        for name, (real, user) in {"before": before, "after": after}.items():
            run = tracer.RunInfo(("work.py",), 1.5e9, real, user, 0.0, 2**24)
            profile_of(other if name == "after" else "top").capture(run).write(tmp_path / name)
        return waited in diff("before", "after", folder=tmp_path).splitlines()

    assert said((2.0, 1.9), (3.8, 2.1))
    assert said((2.0, 2.0), (2.625, 2.125))
    assert not said((2.0, 2.0), (2.5, 2.125))  # less by a fifth at most
    assert not said((2.0, 1.9), (3.8, 3.7))
    assert not said((3.8, 2.1), (2.0, 1.9))
    assert not said((2.0, 1.9), (3.8, 2.1), "generate")
    assert not said((2.0, 0.0), (3.8, 0.0))


THREADS = """import sys, threading
def busy(): pass
def worker():
    for _ in range(int(sys.argv[1])): busy()
thread = threading.Thread(target=worker, name="worker 1")
thread.start(); thread.join()
for _ in range(7): busy()
"""


def test_one_thread(folder, tmp_path):
    write(tmp_path / "program.py", THREADS)
    for often in "3", "9":
        assert traced("-o", often, "program.py", often, cwd=tmp_path).returncode == 0
    words = ["3", "9", "--only=^busy|busy\\)$", "--metric=calls", "--thread"]
    text = diff(*words, "worker 1", folder=tmp_path)
    assert "    thread  'worker 1'\n     calls  3 -> 9  +200.0%\n" in text
    assert re.search(r"^ +9 +\+6  \+200\.0% .*program\.py:2\(busy\)$", text, re.MULTILINE)
    assert "     calls  7 -> 7\n" in diff(*words, "MainThread", folder=tmp_path)
    said = traced("diff", *words, "other", cwd=tmp_path)
    assert said.returncode == 2
    known = b"there are: MainThread"
    assert said.stderr.startswith(b"tracer: '3': --thread: no thread 'other'; " + known)


def test_the_other_way_round(folder):
    text = diff("--metric=calls", "--strip-dirs", "new.out", "old.out", folder=folder)
    assert text == (
        "    before  new.out of work.py -v\n"
        "     after  old.out\n"
        "     calls  9 -> 5  -44.4%\n"
        "   tottime  9.000 s -> 8.000 s  -11.1%\n"
        " functions  4 -> 3: 0 new, 1 gone, 1 with other calls\n"
        "  own code  leaf  work.py:2  cumtime 6.000 s -> 3.000 s  -50.0%\n"
        "  own time  top  work.py:11  tottime 1.000 s -> 3.000 s  +200.0%\n"
        "\n"
        "   Ordered by: change of calls\n"
        "\n"
        f"{OF_CALLS}"
        "        3        -3   -50.0%    3.000   -3.000    3.000   -3.000  work.py:2(leaf)\n"
        "        0        -1     gone    0.000             0.000   -1.000  work.py:21(brand_new)\n"
        "\n"
    )


def test_metric_and_limit(folder):
    words = ["--strip-dirs", "--no-header", "old.out", "new.out"]
    text = diff("--metric", "cumtime", "--limit", "2", *words, folder=folder)
    assert text.startswith(
        "   Ordered by: change of cumtime\n   List reduced from 4 to 2 due to restriction <2>\n\n"
    )
    assert re.findall(r"work\.py:\d+\((\S+)\)", text) == ["leaf", "Shop.middle"]
    text = diff("--metric", "calls", *words, folder=folder)
    row = (
        "        1        +1      new    0.000             1.000   +1.000  work.py:21(brand_new)\n"
    )
    assert row in text


def test_no_change(folder):
    assert diff("--no-header", "old.out", "old.out", folder=folder) == (
        "   There is no change of tottime.\n\n"
    )
    text = diff("old.out", "old.out", "--fail-above=0", folder=folder)
    assert text.endswith(
        " functions  3 -> 3: 0 new, 0 gone, 0 with other calls\n\n"
        "   There is no change of calls.\n\n"
        "   Nothing grew by more than 0% in calls.\n\n"
    )


def test_large_growth_is_told_in_times(folder, tmp_path):
    write(
        tmp_path / "program.py",
        "import sys\ndef f(): pass\nfor _ in range(int(sys.argv[1])): f()\n",
    )
    for name, often in ("few.out", "2"), ("many.out", "200"):
        assert traced("-o", name, "program.py", often, cwd=tmp_path).returncode == 0
    text = diff("--metric=calls", "few.out", "many.out", "--only=f", folder=tmp_path)
    assert re.search(r"^ {6}200 {6}\+198     x100 .*/program\.py:2\(f\)$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (2, 19, "+850.0%"),
        (2, 20, "x10"),
        (3, 37, "x12.33"),
        (1, 9_999, "x9999"),
        (2, 19_999, "x10,000"),
        (1, 10_620, "x10,620"),
        (3, 31_861, "x10,620"),
        (2, 1_999_998, "x999,999"),
        (2, 1_999_999, "x1M"),
        (1, 12_345_678, "x12.35M"),
        (1000, 1, "-99.9%"),
        (2584, 1, "-99.96%"),
        (99_999, 1, "<-99.99%"),
        (99_999, 0, "-100.0%"),
        (99_999, 99_998, "-0.0%"),
    ],
)
def test_growth_is_as_true_as_its_column_is_wide(before, after, text):
    change = Change("", TOTAL, Metrics(before), Metrics(after))
    assert diff_tables.growth(change, "calls") == text
    assert len(text) <= 8
    assert change_styled(text).spans == ((text, MORE if after > before else LESS),)


@pytest.mark.parametrize("words", [[], ["--fail-above=10"], ["--json", "--fail-above=10"]])
def test_only_what_is_in_neither_is_a_mistake(folder, words):
    """A gate that compares nothing must not pass."""
    refused = (
        "tracer: no function matches '^shop' in either file; give a name as a table or the page "
        "prints it, or a regular expression\n"
    )
    found = diff(
        "--only=^shop", *words, "old.out", "new.out", folder=folder, status=2, said=refused
    )
    assert found == ""


def test_only_what_is_in_one(folder):
    text = diff("--only=brand", "--fail-above=10", "old.out", "new.out", folder=folder)
    assert "Nothing grew" in text


def test_only(folder):
    text = diff("--only", r"^work\.Shop\.", "old.out", "new.out", "--metric=cumtime", folder=folder)
    assert "     calls  1 -> 1\n" in text
    assert " functions  1 -> 1: 0 new, 0 gone, 0 with other calls\n" in text
    assert re.findall(r"work\.py:\d+\((\S+)\)", text) == ["Shop.middle"]


# -- What cannot be compared well, or at all -----------------------------------------------------


def test_what_was_recorded_differently_is_told(folder):
    said = "tracer: the two were recorded differently: by different profilers\n"
    text = diff("--strip-dirs", "plain.out", "old.out", folder=folder, said=said)
    assert "     calls  5 -> 5\n" in text
    profile_of("top").dump_stats(folder / "same.out")
    diff("old.out", "same.out", folder=folder)
    profile = tracer.Profile(builtins=False)
    profile.runcall(len, "")
    profile.dump_stats(folder / "wall.out")
    said = "tracer: the two were recorded differently: with different timers\n"
    diff("old.out", "wall.out", folder=folder, said=said)
    profile = tracer.Profile(compensate=True)
    profile.runcall(len, "")
    profile.dump_stats(folder / "costs.out")
    said = "tracer: the two were recorded differently: with different builtins\n"
    diff("wall.out", "costs.out", folder=folder, said=said)
    write(folder / "timed.py", "def f(): pass\nf()\n")
    for words in (["-o", "with.out", "--lines"], ["-o", "without.out"]):
        assert traced(*words, "timed.py", cwd=folder).returncode == 0
    said = "tracer: the two were recorded differently: one of them with lines, which makes "
    said += "functions heavier\n"
    diff("with.out", "without.out", folder=folder, said=said)


def test_a_script_of_another_name_is_another_module(folder, tmp_path):
    for place in "first.py", "second.py", "elsewhere/first.py":
        write(tmp_path / place, "def f(): pass\nf()\n")
        out = place.replace("/", "-").replace(".py", ".out")
        assert traced("-o", out, place, cwd=tmp_path).returncode == 0
    said = "tracer: first.py and second.py are two modules, so no function of one matches one of"
    said += " the other; keep a changed script under the same name, in another folder\n"
    assert "2 new, 2 gone" in diff("first.out", "second.out", folder=tmp_path, said=said)
    assert "0 new, 0 gone" in diff("first.out", "elsewhere-first.out", folder=tmp_path)


def test_files_that_cannot_be_compared(folder, tmp_path):
    write(tmp_path / "text.out", "some text\n")
    for name, reason in (
        ("nowhere.out", "cannot read 'nowhere.out': No such file or directory; name a profile "),
        (tmp_path / "text.out", f"{tmp_path}/text.out: no profile, or damaged: "),
        (
            "marked.lprof",
            "'marked.lprof' holds lines and no functions, and diff ",
        ),
    ):
        assert refused("diff", "old.out", name, cwd=folder).startswith(reason)
        assert refused("diff", name, "old.out", cwd=folder).startswith(reason)


@pytest.mark.parametrize(
    "figures",
    [
        (1, 1, math.inf, 1.0),
        (1, 1, 1.0, -math.inf),
        (1, 1, math.nan, 1.0),
        (1, math.inf, 1.0, 1.0),
        (1, 1, 1e308, 1e308),  # which add up to infinity
    ],
)
@pytest.mark.parametrize("words", [[], ["--json"]], ids=["table", "json"])
def test_figures_that_no_profile_has(folder, tmp_path, words, figures):
    odd = {("a.py", line, "a"): (*figures, {}) for line in (1, 2)}
    (tmp_path / "odd.out").write_bytes(marshal.dumps(odd, 4))
    line = f"{tmp_path}/odd.out: its figures are not those of a profile; make the profile again"
    for pair in [f"{tmp_path}/odd.out", "plain.out"], ["plain.out", f"{tmp_path}/odd.out"]:
        assert refused("diff", *words, *pair, cwd=folder) == line


@pytest.mark.parametrize("count", ["99999999999999999999", "2,1"])
def test_a_label_that_is_no_regular_expression(folder, tmp_path, count):
    """A label pasted from a table is that function where there is one, else no function."""
    only = f"--only=f.py:1(a{{{count}}})"
    stats = {("f.py", 1, f"a{{{count}}}"): (1, 1, 1.0, 1.0, {}), ("f.py", 2, "b"): (1, 1, 1, 1, {})}
    (tmp_path / "f.out").write_bytes(marshal.dumps(stats, 4))
    text = diff(only, "f.out", "f.out", folder=tmp_path)
    assert " functions  1 -> 1: " in text
    said = f"no function matches 'f.py:1(a{{{count}}})' in either file; "
    assert refused("diff", only, "old.out", "new.out", cwd=folder).startswith(said)


def test_a_file_that_lost_its_end_is_compared_as_far_as_it_goes(folder, tmp_path):
    (tmp_path / "cut.out").write_bytes((folder / "old.out").read_bytes()[:-10])
    found = traced("diff", folder / "old.out", "cut.out", cwd=tmp_path)
    assert found.returncode == 2
    assert b"     calls  5 -> 5\n" in found.stdout
    (line,) = found.stderr.splitlines()  # it does not say that another profiler recorded the file
    assert line.startswith(b"tracer: cut.out: tracer's part of the file is truncated: ")


def test_words_that_say_nothing_to_be_done(folder):
    found = traced("diff", cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.startswith(b"usage: python -m tracer diff [OPTIONS] BEFORE AFTER\n")
    for words, line in (
        (["old.out"], "diff compares two profiles, not 1: name BEFORE and AFTER; "),
        (["old.out"] * 3, "diff compares two profiles, not 3: name BEFORE and AFTER; "),
        (["--metric=x", "old.out", "new.out"], "--metric 'x': choose from calls, tottime, cumtime"),
        (["--fail-above=-1", "old.out", "new.out"], "--fail-above '-1': give a percentage, "),
        (
            ["--fail-above=inf", "old.out", "new.out"],
            "--fail-above 'inf': give a percentage, 0 or ",
        ),
        (
            ["--fail-above=nan", "old.out", "new.out"],
            "--fail-above 'nan': give a percentage, 0 or ",
        ),
        (["--only=(", "old.out", "new.out"], "invalid regular expression '('"),
        (["--color=red", "old.out", "new.out"], "--color 'red': choose from always, never, auto"),
    ):
        assert refused("diff", *words, cwd=folder).startswith(line)
    text = diff("--help", folder=folder)
    assert text.startswith("usage: python -m tracer diff [OPTIONS] BEFORE AFTER\n")
    assert max(map(len, text.splitlines())) <= 100
