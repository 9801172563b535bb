"""What `show`, or a run, prints in the place of the table of functions: the call tree, threads,
resumes, one thread, lines."""

import marshal
import os
import re
import signal

import pytest

import tracer
from launch import environment, good, ncalls_in, refused, start, traced, write
from outfiles import second

pytestmark = pytest.mark.results

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


@pytest.mark.parametrize("words", [["-s", "waited"], ["--table"], ["--thread=worker", "--table"]])
def test_without_its_header_a_table_tells_no_file(threaded, words):
    first = r"\A(\S.* plain\.out\n\n)? +\d+ function calls"
    with_it = good("show", *words, "plain.out", cwd=threaded)
    bare = good("show", "--no-header", *words, "plain.out", cwd=threaded)
    assert "command" in with_it and "command" not in bare
    assert re.match(first, bare)[1] is None
    assert with_it.endswith(bare)


def test_one_thread(threaded):
    text = good("show", "plain.out", "--strip-dirs", "--thread", "worker", cwd=threaded)
    assert ncalls_in(text)["program.py:8(work)"] == "1"
    assert "program.py:1(<module>)" not in ncalls_in(text)
    calls = re.search(r"^ +(\d+) function calls", text, re.MULTILINE)[1]
    assert f"    thread  worker, {int(calls):,} of these calls\n" in text
    ident = tracer.Stats(threaded / "plain.out").threads["worker"].thread.ident
    assert good("show", "plain.out", "--strip-dirs", "--thread", str(ident), cwd=threaded) == text
    tree = good(
        "show", "plain.out", "--strip-dirs", "--thread=worker", "--tree", "--min=0", cwd=threaded
    )
    assert "100.0%" in tree and own(tree)[-1] == "numbers" and "<module>" not in own(tree)
    again = second(threaded / "plain.out")
    both = good("show", "plain.out", again, "--thread=worker", cwd=threaded)
    assert f"    thread  worker, 2 of this name, {2 * int(calls):,} of these calls\n" in both
    found = traced("show", "plain.out", "--thread", "0", cwd=threaded)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.startswith(b"tracer: --thread: no thread '0'; there are: MainThread (")


@pytest.mark.parametrize(("least", "shown"), [("0", ["work", "numbers"] * 2), ("100", [])])
def test_a_minimum_is_from_0_to_100(threaded, least, shown):
    text = good("show", "plain.out", "--tree", "--min", least, cwd=threaded)
    assert [name for name in own(text) if name in ("work", "numbers")] == shown


POOL = """
import threading

def pack(): pass

for name in "pack_0", "pack_1", "pack_12", "packer_1", "load_1", "load_2", "other":
    thread = threading.Thread(target=pack, name=name)
    thread.start()
    thread.join()
"""


def test_threads_of_one_kind(tmp_path):
    """The first screen tells of `3 threads pack_N`: this name means them, and so does `pack`."""
    write(tmp_path / "pool.py", POOL)
    assert traced("-o", "pool.out", "pool.py", cwd=tmp_path).returncode == 0

    def of(name):
        text = good("show", "pool.out", "--strip-dirs", "--thread", name, cwd=tmp_path)
        title = re.search(r"^    thread  (.+), [\d,]+ of these calls$", text, re.MULTILINE)[1]
        return title, ncalls_in(text)["pool.py:4(pack)"]

    for name in "pack_N", "pack":
        assert of(name) == (f"{name}, 3 of this name", "3")
    assert of("load_N") == ("load_N, 2 of this name", "2")
    assert of("pack_1") == ("pack_1", "1")
    assert of("packer") == ("packer_1", "1")
    for name in "pac", "pack_", "other_N", "N":
        assert f"no thread '{name}'; there are: Main" in refused(
            "show", "pool.out", "--thread", name, cwd=tmp_path
        )


def test_lines_alone(threaded):
    text = good("show", "lines.out", "--lines", cwd=threaded)
    assert "Line #      Hits" in text
    assert "function calls" not in text
    both = good("show", "lines.out", cwd=threaded)
    assert both.index("  function, ") < both.index("Line #      Hits")
    assert "function calls" in good("show", "lines.out", "--table", cwd=threaded)
    others = "--tree", "--threads", "--resumes", "--suspended", "--callers=w", "--callees=w"
    for option in (*others, "--longest", "--waited", "--thread=worker"):
        assert "Line #" not in good("show", "lines.out", option, cwd=threaded)
    one = good("show", "lines.out", "--longest", "--only=work", cwd=threaded)
    assert own(one) == ["work"]
    assert "Line #" not in one
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
        (
            ["--lines", "-s", "tottime"],
            "-s tottime sorts functions; lines are sorted by total, own, waited, suspended",
        ),
        (["-s", "own"], "-s own sorts lines; give it to 'show --lines', or another key"),
        (["--lines", "--functions", "-s", "own"], "-s own sorts lines; give it to 'show --lines'"),
        (
            ["--lines", "-s", "own", "-z"],
            "-z is about the tables of functions, and -s prints one table of lines; give one of",
        ),
        (["--only=x", "--threads"], "--threads lists threads, and --only functions; give one of "),
        (
            ["--only=x", "--callers=x"],
            "--callers names the functions that are listed, and so does --only; give one of them",
        ),
        (["--only=("], "invalid regular expression '(': missing ), unterminated subpattern"),
        (["--lines", "--tree"], "--tree is about functions, and --lines prints none; give one of"),
        (["--lines", "--callers=x"], "--callers is about functions, and --lines prints none; give"),
        (
            ["--lines", "--strip-dirs"],
            "--strip-dirs is about functions, and --lines prints none; g",
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
