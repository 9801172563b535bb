"""`tracer show`: what it prints of saved profiles, and what it says of bad ones."""

import cProfile
import io
import marshal
import os
import pstats
import re
import signal
import subprocess
import sys

import pytest

import tracer
from launch import environment, refused, start, traced, write

PROGRAM = """
def leaf():
    pass

def middle(n):
    for _ in range(n):
        leaf()

def top():
    middle(2)
    middle(3)

def again():
    middle(1)

top()
again()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profiles")
    write(folder / "program.py", PROGRAM)
    for name in ("one.out", "two.out"):
        assert traced("-o", name, "program.py", name, cwd=folder).returncode == 0
    profile = cProfile.Profile()
    profile.runctx("len('')", {}, {})
    profile.dump_stats(folder / "other.out")
    return folder


def rows(text):
    """{function: ncalls} of a table."""
    table = text.split("filename:lineno(function)\n")[1]
    lines = [line.split(maxsplit=5) for line in table.splitlines() if line]
    return {line[5]: line[0] for line in lines}


def show(*words, **options):
    found = traced("show", *words, **options)
    assert (found.stderr, found.returncode) == (b"", 0)
    return found.stdout.decode()


def test_table_is_what_pstats_prints(folder):
    stream = io.StringIO()
    pstats.Stats(str(folder / "one.out"), stream=stream).sort_stats("cumulative").print_stats()
    assert show("--no-header", folder / "one.out") == stream.getvalue()


@pytest.mark.parametrize("words", [["one.out", "--strip-dirs"], ["--strip-dirs", "one.out"]])
def test_rows_of_one_profile(folder, words):
    assert rows(show(*words, cwd=folder)) == {
        "program.py:1(<module>)": "1",
        "program.py:2(leaf)": "6",
        "program.py:5(middle)": "3",
        "program.py:9(top)": "1",
        "program.py:13(again)": "1",
    }


def test_header_of_one_profile(folder):
    lines = show("one.out", cwd=folder).splitlines()
    assert lines[0] == "   command  program.py one.out"
    assert [line.split()[0] for line in lines[1:3]] == ["time", "memory"]
    assert lines[3:5] == ["     calls  12 in 1 thread", ""]


DIFFERENTLY = "tracer: the runs were recorded differently: "


@pytest.fixture(scope="module")
def others(folder):
    """The folder, with profiles of the same program that were recorded in other ways."""
    for name, words in (("cpu.out", ["--timer", "cpu"]), ("less.out", ["--compensate"])):
        assert traced("-o", name, *words, "program.py", cwd=folder).returncode == 0
    return folder


def test_the_header_tells_of_another_clock_than_that_on_the_wall(others):
    line = "     timer  CPU time of each thread"
    shown = show("cpu.out", cwd=others).splitlines()
    assert shown[shown.index(line) + 1] == "     calls  12 in 1 thread"
    direct = traced("--timer", "cpu", "program.py", cwd=others).stdout.decode().splitlines()
    assert line in direct
    assert "     timer  " not in show("one.out", cwd=others)
    profile = tracer.Profile(iter(range(100)).__next__, 1.0)
    profile.runcall(len, "")
    profile.dump_stats(others / "own.out")
    assert "     timer  the program's own\n" in show("own.out", cwd=others)
    both = traced("show", "cpu.out", "one.out", "cpu.out", cwd=others)
    assert f"{line}  (2 of 3 runs)\n" in both.stdout.decode()


@pytest.mark.parametrize(
    ("files", "way"),
    [
        (["one.out", "cpu.out"], "with different timers"),
        (["cpu.out", "two.out", "one.out"], "with different timers"),
        (["cpu.out", "less.out"], "with different timers"),
        (["one.out", "less.out"], "some of them with --compensate"),
        (["one.out", "two.out"], None),
        (["cpu.out", "cpu.out"], None),
        (["cpu.out"], None),
        (["cpu.out", "other.out"], None),  # of cProfile, which does not tell
    ],
)
def test_figures_that_were_recorded_differently_are_added_up(others, tmp_path, files, way):
    said = "" if way is None else f"{DIFFERENTLY}{way}\n"
    for verb in ("show", "html"):
        options = ["-o", tmp_path / "page.html"] if verb == "html" else []
        added = traced(verb, *options, *files, cwd=others)
        assert (added.stderr.decode(), added.returncode) == (said, 0)
    if len(set(files)) == len(files) > 1 and "other.out" not in files:
        merged = traced("merge", "-o", tmp_path / "all.out", *files, cwd=others)
        assert (merged.stderr.decode(), merged.returncode) == (said, 0)
        assert traced("show", tmp_path / "all.out").stderr.decode() == said


def test_with_raw_times_it_does_not_matter_that_some_are_compensated(others):
    assert "in 2 threads" in show("--raw", "one.out", "less.out", cwd=others)


def test_profiles_are_added_up(folder):
    text = show("--strip-dirs", "one.out", "two.out", "one.out", cwd=folder)
    assert rows(text)["program.py:2(leaf)"] == "18"
    lines = text.splitlines()
    assert lines[0] == "   command  program.py one.out  (2 times)"
    assert lines[1] == "            program.py two.out"
    assert lines[4:7] == ["     calls  36 in 3 threads", "     files  3, added up", ""]
    one, two, all_three = (
        float(show(*files, cwd=folder).split("time  ")[1].split()[0])
        for files in (["one.out"], ["two.out"], ["one.out", "two.out", "one.out"])
    )
    assert all_three == pytest.approx(2 * one + two, abs=0.002)


def test_profile_of_cprofile(folder):
    text = show("other.out", cwd=folder)
    assert text.startswith("     calls  4\n\n")
    text = show("one.out", "other.out", cwd=folder)
    assert "     calls  16\n     files  2, added up, 1 without command and times\n" in text


def test_tail_is_gone(folder, tmp_path):
    data = (folder / "one.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[:-10])
    found = traced("show", "cut.out", "--strip-dirs", cwd=tmp_path)
    assert found.returncode == 2
    assert rows(found.stdout.decode())["program.py:2(leaf)"] == "6"
    assert found.stderr == (
        b"tracer: cut.out: tracer's part of the file is truncated: functions and callers are all "
        b"there; threads, paths, resumes, lines, sources and the facts of the run are not; make "
        b"the profile again to have them\n"
    )


def test_of_a_damaged_file_the_damage_is_the_reason(folder, tmp_path):
    data = (folder / "one.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[:-10])
    reason = "are recorded here: a damaged file has lost them."
    for option in ("threads", "resumes", "suspended"):
        what = {"suspended": "suspended times"}.get(option, option)
        found = traced("show", "cut.out", f"--{option}", cwd=tmp_path)
        assert f"No {what} {reason}" in found.stdout.decode()
        assert found.returncode == 2
    found = traced("show", "cut.out", "--lines", cwd=tmp_path)
    assert (found.stdout, found.returncode) == (b"     calls  12\n\n", 2)
    assert found.stderr.startswith(b"tracer: cut.out: tracer's part of the file is truncated: ")
    assert found.stderr.count(b"\n") == 1
    assert refused("show", "cut.out", "--thread", "MainThread", cwd=tmp_path) == (
        "--thread: no threads are recorded here: a damaged file has lost them; leave --thread out"
    )


def test_of_another_profiler_no_threads_are_known(folder):
    reason = "are recorded here: another profiler wrote"
    assert f"No threads {reason} this.\n" in show("other.out", "--threads", cwd=folder)
    assert f"No resumes {reason} this.\n" in show("other.out", "--resumes", cwd=folder)
    both = show("one.out", "other.out", "--resumes", cwd=folder)
    assert f"No resumes {reason} some of this.\n" in both
    assert refused("show", "other.out", "--thread", "MainThread", cwd=folder) == (
        f"--thread: no threads {reason} this; leave --thread out"
    )


def test_lines_have_no_threads(folder, tmp_path):
    traced("-l", "-o", "lines.out", folder / "program.py", cwd=tmp_path)
    assert refused("show", "lines.out", "--thread", "MainThread", cwd=tmp_path) == (
        "--thread: no threads are recorded here: there are lines and no functions; leave --thread "
        "out"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot read 'bad.out': No such file or directory; "),
        (b"", "bad.out: "),
        (b"print('a program')\n", "bad.out: "),
        (b"\x7fELF" + bytes(100), "bad.out: "),
        ("cut", "bad.out: "),
    ],
    ids=["missing", "empty", "text", "binary", "truncated"],
)
def test_bad_file_is_one_clear_line(folder, tmp_path, content, reason):
    if content == "cut":
        content = (folder / "one.out").read_bytes()[:100]
    if content is not None:
        (tmp_path / "bad.out").write_bytes(content)
    for words in (["bad.out"], [folder / "one.out", "bad.out"], ["bad.out", folder / "one.out"]):
        found = traced("show", *words, cwd=tmp_path)
        assert (found.returncode, found.stdout) == (2, b"")
        lines = found.stderr.decode().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith(f"tracer: {reason}")
        assert "; " in lines[0]  # the remedy


def test_folder_is_one_clear_line(tmp_path):
    found = traced("show", ".", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.decode() == (
        "tracer: cannot read '.': Is a directory; "
        "name a profile that python -m tracer -o FILE wrote\n"
    )


@pytest.mark.parametrize(
    "name", ["its", "its figures are not those of a profile; make the profile again"]
)
def test_a_damaged_file_is_named_whatever_its_name(tmp_path, name):
    """Also where the message about the file begins with the file's name."""
    entry = {("f.py", 1, "f"): (1, 1, float("nan"), 1.0, {})}
    (tmp_path / name).write_bytes(marshal.dumps(entry))
    message = f"{name}: its figures are not those of a profile; make the profile again"
    assert refused("show", "--tree", name, cwd=tmp_path) == message
    message = f"{name}, {name}: its figures are not those of a profile; make the profile again"
    assert refused("show", "--tree", name, name, cwd=tmp_path) == message


def test_a_file_that_can_be_opened_and_not_read():
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("/proc/self/mem is there on Linux only")
    assert refused("show", "/proc/self/mem") == (
        "cannot read '/proc/self/mem': Input/output error; "
        "name a profile that python -m tracer -o FILE wrote"
    )


def test_closed_pipe_ends_quietly(folder):
    reading, writing = os.pipe()
    os.close(reading)
    with start("-m", "tracer", "show", "one.out", cwd=folder, stdout=writing) as process:
        os.close(writing)
        _, stderr = process.communicate(timeout=300)
    assert (process.returncode, stderr) == (0, b"")


def test_head_ends_quietly(folder):
    line = '"$0" -m tracer show one.out one.out | head -n 1'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], cwd=folder, env=environment(), capture_output=True
    )
    assert done.stdout == b"   command  program.py one.out  (2 times)\n"
    assert done.stderr == b""


def test_full_standard_output(folder):
    if not os.path.exists("/dev/full"):
        pytest.skip("/dev/full is there on Linux only")
    with (
        open("/dev/full", "wb") as full,
        start("-m", "tracer", "show", "one.out", cwd=folder, stdout=full) as process,
    ):
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == 1
    assert stderr == b"tracer: could not write to standard output: No space left on device\n"


def test_file_called_show_is_run_with_a_path(tmp_path):
    write(tmp_path / "show", "print('ran')\n")
    assert traced("./show", cwd=tmp_path).stdout.startswith(b"ran\n")
    assert traced("run", "show", cwd=tmp_path).stdout.startswith(b"ran\n")
    found = traced("show", cwd=tmp_path)
    assert found.returncode == 2
    assert found.stderr.startswith(b"usage: python -m tracer show [OPTIONS] FILE...\n")


# -- What is printed in the place of the table ---------------------------------------------------

THREADED = """
import threading

def numbers():
    yield 1
    yield 2

def work():
    return list(numbers())

work()
thread = threading.Thread(target=work, name="worker")
thread.start()
thread.join()
"""


@pytest.fixture(scope="module")
def threaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("threaded")
    write(folder / "program.py", THREADED)
    assert traced("-o", "plain.out", "program.py", cwd=folder).returncode == 0
    assert traced("--lines", "-o", "lines.out", "program.py", cwd=folder).returncode == 0
    return folder


def own(text):
    """The names of the functions of program.py, in the order in which they are printed."""
    return re.findall(r"program\.py:\d+\((\w+|<module>)\)", text)


@pytest.mark.parametrize("words", [["program.py"], ["show", "plain.out"]], ids=" ".join)
def test_tree(threaded, words):
    verb, rest = (words[:1], words[1:]) if words[0] == "show" else ([], words)
    text = show_or_run(verb, "--tree", "--min", "0", rest, folder=threaded)
    table = text.split("filename:lineno(function)\n")[1]
    assert own(table).count("work") == 2
    found = re.findall(r"  ([├└│─ ]*)\S*program\.py:\d+\((\w+)\)$", table, re.MULTILINE)
    (main, _), (in_main, _), (thread, _), (in_thread, _) = found
    assert [name for _, name in found] == ["work", "numbers"] * 2
    assert main in ("├─ ", "└─ ")
    for guide, below in (main, in_main), (thread, in_thread):
        assert (len(below), below[-3:]) == (len(guide) + 3, "└─ ")
    text = show_or_run(verb, "--tree", "--depth=1", rest, folder=threaded)
    assert own(text) == ["<module>"]
    assert "function calls" not in text


def show_or_run(verb, *words, folder):
    *options, rest = words
    found = traced(*verb, *options, *rest, cwd=folder)
    assert (found.stderr, found.returncode) == (b"", 0)
    return found.stdout.decode()


@pytest.mark.parametrize("words", [["program.py"], ["show", "plain.out"]], ids=" ".join)
def test_threads_and_resumes(threaded, words):
    verb, rest = (words[:1], words[1:]) if words[0] == "show" else ([], words)
    text = show_or_run(verb, "--threads", rest, folder=threaded)
    assert re.findall(r"\d  (\w+)$", text, re.MULTILINE) == ["MainThread", "worker"]
    assert show_or_run(verb, "--threads", "--limit=1", rest, folder=threaded).count("worker") == 0
    text = show_or_run(verb, "--resumes", rest, folder=threaded)
    assert re.search(r"^ +2 +4  \S+program\.py:4\(numbers\)\n +4    <- \S+\(work\)$", text, re.M)
    both = show_or_run(verb, "--resumes", "--threads", rest, folder=threaded)
    assert both.index("native id") < both.index("who resumed it")
    assert "function calls" not in both


def test_one_thread(threaded):
    text = show("plain.out", "--strip-dirs", "--thread", "worker", cwd=threaded)
    assert rows(text)["program.py:8(work)"] == "1"
    assert "program.py:1(<module>)" not in rows(text)
    calls = re.search(r"^ +(\d+) function calls", text, re.MULTILINE)[1]
    assert f"    thread  worker, {int(calls):,} of these calls\n" in text
    ident = tracer.Stats(threaded / "plain.out").threads["worker"].thread.ident
    assert show("plain.out", "--strip-dirs", "--thread", str(ident), cwd=threaded) == text
    tree = show("plain.out", "--strip-dirs", "--thread=worker", "--tree", "--min=0", cwd=threaded)
    assert "100.0%" in tree and own(tree)[-1] == "numbers" and "<module>" not in own(tree)
    both = show("plain.out", "plain.out", "--thread=worker", cwd=threaded)
    assert f"    thread  worker, 2 of this name, {2 * int(calls):,} of these calls\n" in both
    found = traced("show", "plain.out", "--thread", "0", cwd=threaded)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.startswith(b"tracer: --thread: no thread '0'; there are: MainThread (")


def test_lines_alone(threaded):
    text = show("lines.out", "--lines", cwd=threaded)
    assert "Line #      Hits" in text
    assert "function calls" not in text
    assert "function calls" in show("lines.out", cwd=threaded)
    others = "--tree", "--threads", "--resumes", "--suspended", "--callers=w", "--callees=w"
    for option in (*others, "--thread=worker"):
        assert "Line #" not in show("lines.out", option, cwd=threaded)
    found = traced("show", "plain.out", "--lines", cwd=threaded)
    assert found.returncode == 0
    assert found.stdout.startswith(b"   command  program.py\n")
    assert b"function calls" not in found.stdout
    assert found.stderr.decode() == (
        "tracer: no line was timed in that run: run the program with --lines or -l\n"
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["--tree", "--callers", "x"],
            "--callers prints a table of its own, and does not choose from --tree; give "
            "one of them",
        ),
        (["--callees=x", "--tree"], "--callees prints a table of its own, and does not "),
        (["--tree", "-s", "name"], "-s does not sort --tree, which has those with the most time "),
        (["--threads", "-s", "name"], "-s does not sort --threads, which has those with the most "),
        (["--resumes", "-s", "name"], "-s does not sort --resumes, which has those resumed most "),
        (["--depth", "3"], "--depth is of no use without the call tree; give --tree, too"),
        (["--tree", "--depth", "0"], "--depth '0': give a number of calls, 1 or more"),
        (["--tree", "--depth", "x"], "--depth 'x': give a number of calls, 1 or more"),
        (["--tree", "--min", "101"], "--min '101': give a percentage, from 0 to 100"),
        (["--color", "red"], "--color 'red': choose from always, never, auto"),
        (["--thread=x", "--threads"], "--threads lists all threads, and --thread picks one; give "),
        (["--lines", "-s", "tottime"], "-s is about functions, and --lines prints none; give one "),
        (["--lines", "--tree"], "--tree is about functions, and --lines prints none; give one of"),
        (["--lines", "--callers=x"], "--callers is about functions, and --lines prints none; give"),
        (
            ["--lines", "--strip-dirs"],
            "--strip-dirs is about functions, and --lines prints none; g",
        ),
        (
            ["--thread=x", "--lines"],
            "--lines prints the lines of all threads, and --thread picks one; give one ",
        ),
    ],
)
def test_options_that_do_not_go_together(threaded, words, line):
    found = traced("show", *words, "plain.out", cwd=threaded)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.decode().startswith(f"tracer: {line}")
    assert found.stderr.count(b"\n") == 1


def test_min_of_a_run_is_of_lines_or_the_tree(threaded):
    found = traced("--min=5", "program.py", cwd=threaded)
    assert found.stderr == b"tracer: --min is of no use without lines; give -l or --lines, too\n"
    assert traced("--min=5", "--tree", "program.py", cwd=threaded).returncode == 0


def test_boxes_where_the_encoding_has_none(threaded):
    words = ["show", "plain.out", "--tree", "--min=0", "--no-header", "--strip-dirs"]
    plain = traced(*words, cwd=threaded).stdout.decode()
    env = environment(PYTHONIOENCODING="ascii")
    text = traced(*words, cwd=threaded, env=env).stdout.decode("ascii")
    assert text == plain.replace("├─", "|-").replace("└─", "`-").replace("│", "|") != plain


@pytest.mark.parametrize("verb", ["show", "diff", "merge", "export", "html", "view"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_verb_without_a_word(verb, number, tmp_path):
    fifo = tmp_path / "slow.out"
    os.mkfifo(fifo)
    more = {"merge": ["-o", "m.out"], "export": ["--to", "csv"], "diff": [str(fifo)]}
    words = ["-m", "tracer", verb, str(fifo), *more.get(verb, [])]
    with start(*words, cwd=tmp_path) as process, open(fifo, "wb"):  # now it reads
        process.send_signal(number)
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == 128 + number
    assert stderr == b""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["slow.out"]


@pytest.mark.parametrize("words", [["html"], ["show", "--tree"], ["export", "--to", "folded"]])
@pytest.mark.parametrize("figure", [float("nan"), float("inf"), 1e308])
def test_figures_that_no_profile_has_are_told_in_a_line(words, figure, tmp_path):
    row = ("a.py", 1, "f")
    stats = {row: (1, 1, figure, figure, {}), ("a.py", 2, "g"): (1, 1, figure, figure, {})}
    (tmp_path / "odd.out").write_bytes(marshal.dumps(stats, 4))
    done = traced(*words, "odd.out", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        b"tracer: odd.out: its figures are not those of a profile; make the profile again\n"
    )


NO_LINES = "{} is of no use without lines, and none are printed here; leave it out"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--min", "50"], "--min is of no use without lines or the call tree; give --tree, too"),
        (["--callers", "f", "--min=1"], NO_LINES.format("--min")),
        (["--unit", "1"], NO_LINES.format("--unit")),
        (["--tree", "--min=1", "--unit=1"], NO_LINES.format("--unit")),
        (["--parts"], NO_LINES.format("--parts")),
        (["-z"], NO_LINES.format("-z")),
        (["--sort-lines", "--threads"], NO_LINES.format("--sort-lines")),
        (["--summarize"], NO_LINES.format("--summarize")),
    ],
)
def test_what_is_of_lines_alone_is_refused_where_none_are_printed(tmp_path, words, said):
    write(tmp_path / "program.py", "def f(): pass\nf()\n")
    traced("-o", "calls.out", "program.py", cwd=tmp_path)
    assert refused("show", "calls.out", *words, cwd=tmp_path) == said
    traced("--lines", "-o", "both.out", "program.py", cwd=tmp_path)
    found = traced("show", "both.out", *words, cwd=tmp_path)
    chosen = {"--callers", "--tree", "--threads"} & set(words)
    assert (found.returncode, bool(found.stderr)) == ((2, True) if chosen else (0, False))
