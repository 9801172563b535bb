"""The command and a timeline: what records one, what `show` prints of one, and what is refused."""

import os
import re
import subprocess
import sys
from textwrap import dedent

import pytest

import tracer
from launch import environment, good, on_terminal, refused, traced, write

PROGRAM = """
import sys

def first(n):
    return sum(range(n))

def second(n):
    return first(n)

for number in range(20):
    second(500000 if number == 3 else 10)
"""
SERVICE = """
import asyncio

async def handle(number):
    await asyncio.sleep(0)
    return sum(range(1000))

async def main():
    await asyncio.gather(*(asyncio.create_task(handle(n), name=f"request-{n}") for n in range(3)))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("timelines")
    write(folder / "program.py", PROGRAM)
    write(folder / "service.py", SERVICE)
    write(folder / "lines.py", "def f(): pass\nf()\n")
    for option, name in [("--timeline", "timed.out"), ("--no-threads", "plain.out")]:
        assert traced(option, "-o", name, "program.py", cwd=folder).returncode == 0
    assert traced("--timeline", "-o", "service.out", "service.py", cwd=folder).returncode == 0
    return folder


def timeline(path):
    [capture] = tracer.Stats(str(path)).captures
    return capture.timeline


@pytest.mark.parametrize(
    ("options", "budget", "is_ring"),
    [
        (["--timeline"], 64 << 20, False),
        (["--timeline=1MiB"], 1 << 20, False),
        (["--timeline=2097152"], 2 << 20, False),
        (["--timeline-last"], 64 << 20, True),
        (["--timeline-last", "--timeline=1MiB"], 1 << 20, True),
        (["--timeline", "--lines"], 64 << 20, False),
        (["--timeline", "--include", "program.py"], 64 << 20, False),
        (["--timeline", "--no-threads", "--compensate"], 64 << 20, False),
    ],
)
def test_what_is_recorded(folder, tmp_path, options, budget, is_ring):
    path = tmp_path / "a.out"
    assert traced(*options, "-o", path, "program.py", cwd=folder).returncode == 0
    found = timeline(path)
    assert (found.budget, found.is_ring, found.least) == (budget, is_ring, 0)
    [thread] = found.threads
    assert sum(calls for _, calls, _ in thread.sums()) >= 60


def test_a_module_a_save_and_a_table_have_one_too(folder, tmp_path):
    path = tmp_path / "a.out"
    words = ("--timeline", "--save-every", "100", "-o", path, "-m", "program")
    assert traced(*words, cwd=folder).returncode == 0
    assert timeline(path) is not None
    assert re.search(
        r"^  timeline  \d+\.\d+ s, [\d,]+ calls, all are drawn$",
        good("--timeline", "program.py", cwd=folder),
        re.M,
    )
    assert "  timeline  " not in good("program.py", cwd=folder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--timeline=3"],
            "--timeline: a timeline needs 1MiB at least and 1GiB at most, not '3'",
        ),
        (
            ["--timeline=much"],
            "--timeline: 'much' is no size of memory: give a whole number of KiB, MiB, GiB or "
            "bytes, from 1MiB to 1GiB",
        ),
        (
            ["--timeline", "--timer=cpu"],
            "--timeline needs one clock for all threads, and --timer cpu has one for each thread; "
            "leave one of them out",
        ),
        (
            ["--timeline-last", "--timer=cpu"],
            "--timeline-last needs one clock for all threads, and --timer cpu has one for each "
            "thread; leave one of them out",
        ),
        (
            ["-l", "--timeline"],
            "--timeline is of no use with -l, which times lines only; use --lines",
        ),
        (
            ["-l", "--timeline-last"],
            "--timeline-last is of no use with -l, which times lines only; use --lines",
        ),
        (["--timeline-last=1MiB"], "--timeline-last takes no value, '1MiB' was given"),
        (["--slowest"], "--slowest is an option of show, not of run; --help lists its own"),
    ],
)
def test_what_cannot_be_recorded(folder, options, message):
    assert refused(*options, "program.py", cwd=folder) == message


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no address space")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="ASan takes terabytes of it")
def test_a_timeline_that_memory_has_no_room_for(folder):
    """The program does not begin."""
    line = 'ulimit -v 300000; exec "$0" -m tracer --timeline=1GiB program.py'
    words = ["sh", "-c", line, sys.executable]
    found = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == (
        "tracer: there is no memory for a timeline of 1024 MiB; give a smaller --timeline=SIZE\n"
    )


@pytest.mark.parametrize("size", ["5MiB", "1.5GB", "64m", "1048576"])
@pytest.mark.parametrize("option", ["--timeline", "--timeline-last"])
def test_a_size_in_a_word_of_its_own(folder, option, size):
    """It would be the program, so it stands behind `=`."""
    for words in ([size], [size, "program.py"]):
        assert refused(option, *words, cwd=folder) == (
            f"no script {size!r}; the size of a timeline stands in the word of the option: "
            f"--timeline={size}"
        )
    assert "the size of a timeline" not in refused(size, cwd=folder)
    assert "the size of a timeline" not in refused(option, f"x{size}", cwd=folder)


def test_help_has_examples(folder):
    text = good("show", "--help", cwd=folder)
    assert "show FILE --timeline --from 4s --to-time 4.5s" in text
    assert "show FILE --slowest 10 --only NAME" in text


def test_the_longest_calls(folder):
    lines = good("show", "timed.out", "--slowest", "3", "--no-header", cwd=folder).splitlines()
    assert lines[0] == "        at      took  thread        call < its callers"
    assert len(lines) == 4
    # The one that calls the other, where the machine was busy between the two.
    calls = "first  program.py:4 < second < <module>", "second  program.py:7 < <module>"
    assert lines[1].endswith(tuple(f"  MainThread    {call}" for call in calls))


@pytest.mark.parametrize("words", [["--slowest=2"], ["--slowest", "2"], ["--slowest", "2", "--"]])
def test_the_number_in_a_word_of_its_own(folder, words):
    text = good("show", "--no-header", *words, "timed.out", cwd=folder)
    assert len(text.splitlines()) == 3


def test_the_calls_of_one_function(folder):
    words = ("--slowest", "--only", "first", "--no-header")
    lines = good("show", "timed.out", *words, cwd=folder).splitlines()
    assert len(lines) == 21
    assert all("  first  program.py:4 < second < <module>" in line for line in lines[1:])
    lines = good("show", "timed.out", *words, "--include=program.py", cwd=folder).splitlines()
    assert len(lines) == 21
    said = traced("show", "timed.out", "--slowest", "--only", "nothing", cwd=folder)
    assert said.returncode == 0 and b"nothing" in said.stderr


def test_files_without_folders(folder):
    """The program's own functions are still known."""
    words = ("show", "service.out", "--slowest", "200", "--no-header")
    assert re.search(r"  run  asyncio/runners\.py:\d+ < <module>$", good(*words, cwd=folder), re.M)
    text = good(*words, "--strip-dirs", cwd=folder)
    assert re.search(r"  run  runners\.py:\d+ < <module>$", text, re.M)
    assert "/" not in text


def test_tasks_by_name(folder):
    text = good("show", "service.out", "--slowest", "--only=handle", "--no-header", cwd=folder)
    tasks = re.findall(
        r"  (\w+)  service\.py:\d+  \[(.+): ran .+ in (\d) stretch(?:es)?\]$", text, re.M
    )
    assert sorted(tasks)[:3] == [("handle", f"request-{n}", "2") for n in range(3)]


def test_the_run_over_time(folder):
    text = good("show", "timed.out", "--timeline", cwd=folder)
    assert re.search(r"^MainThread    [A-Ca-c.+-]+$", text, re.M)
    assert re.search(r"^  A .*  (first|second|<module>)  program\.py:\d+$", text, re.M)
    assert "\n   threads  MainThread 0.000 to the end\n" in text
    assert "tasks         " in good("show", "service.out", "--timeline", cwd=folder)


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_it_fits_a_terminal(folder, columns):
    words = ("-m", "tracer", "show", "service.out", "--timeline")
    env = environment(TERM="xterm", NO_COLOR="1")
    shown, status = on_terminal("stdout", *words, columns=columns, cwd=folder, env=env)
    lines = shown.decode().splitlines()
    assert (status, len(lines) < 24, max(map(len, lines)) <= columns) == (0, True, True)


def test_as_many_threads_as_are_asked_for(folder, tmp_path):
    """On a terminal some find no room, and the text says how to see them."""
    source = """
    from threading import Barrier, Thread
    together = Barrier(20)
    threads = [Thread(target=together.wait, name=f"a-long-name-of-{n}") for n in range(19)]
    for thread in threads:
        thread.start()
    together.wait()
    """
    write(tmp_path / "many.py", dedent(source))
    assert traced("--timeline", "-o", "many.out", "many.py", cwd=tmp_path).returncode == 0
    words = ("show", "many.out", "--timeline", "--no-header")
    lines = good(*words, cwd=tmp_path).splitlines()
    assert {line.split()[0] for line in lines[1:21]} == {
        "MainThread",
        *(f"a-long-name-of-{n}" for n in range(19)),
    }
    env = environment(TERM="xterm", NO_COLOR="1")

    def shown(*more):
        text, _ = on_terminal("stdout", "-m", "tracer", *words, *more, cwd=tmp_path, env=env)
        strip, _, rest = text.decode().replace("\r", "").partition("\n\n")
        return len(strip.splitlines()) - 1, rest

    assert re.search(r"; \d+ more threads: --limit 0, --thread\s+NAME", shown()[1])
    assert shown()[0] < 20 == shown("--limit=0")[0]
    assert shown("--limit=2")[0] == 2


def test_the_longest_calls_name_their_threads(folder, tmp_path):
    """Names are cut on a terminal alone."""
    source = """
    from concurrent.futures import ThreadPoolExecutor
    def work():
        return sum(range(100000))
    with ThreadPoolExecutor() as pool:
        pool.submit(work).result()
    """
    write(tmp_path / "pool.py", dedent(source))
    assert traced("--timeline", "-o", "pool.out", "pool.py", cwd=tmp_path).returncode == 0
    text = good("show", "pool.out", "--slowest", "--only", "work", cwd=tmp_path)
    head, line = text.splitlines()[-2:]
    assert re.fullmatch(r" .{19}  ThreadPoolExecutor-0_0  work  pool\.py:3", line)
    assert head.index("call <") == line.index("work")


def test_a_part_of_the_run(folder):
    words = ("show", "timed.out", "--slowest", "--only", "first", "--no-header")
    assert good(*words, "--to-time", "1ns", cwd=folder) == "No call that is drawn lies there.\n"
    assert len(good(*words, "--to-time", "60s", cwd=folder).splitlines()) == 21


def end_of(path):
    found = timeline(path)
    return found.last * found.seconds_per_tick


@pytest.mark.parametrize("listing", ["--timeline", "--slowest", "--ranges"])
def test_a_part_after_the_end(folder, listing):
    end = end_of(folder / "timed.out")
    assert refused("show", "timed.out", listing, "--from", "1e3", cwd=folder) == (
        f"nothing was recorded after {end:.3f} s, and --from 1000 is later; give an earlier time"
    )


def test_an_export_of_a_part_after_the_end(folder):
    words = ("export", "timed.out", "--to", "chrome", "-o", "late.json", "--from")
    end = end_of(folder / "timed.out")
    assert refused(*words, "1000", cwd=folder) == (
        f"timed.out: nothing was recorded after {end:.3f} s; choose an earlier part"
    )
    assert not (folder / "late.json").exists()
    good(*words, "0.001ms", cwd=folder)


def test_one_of_several_runs_ended_before_the_part(folder, tmp_path):
    source = "import time\ntime.sleep(0.5)\ndef f(): pass\nf()\n"
    write(tmp_path / "long.py", source)
    path = folder / "service.out"
    assert traced("--timeline", "-o", "long.out", "long.py", cwd=tmp_path).returncode == 0
    first, last = sorted([path, tmp_path / "long.out"], key=end_of)
    begin = (end_of(first) + end_of(last)) / 2
    words = ("show", path, "long.out", "--slowest", "--no-header", "--from", f"{begin}")
    text = good(*words, cwd=tmp_path)
    assert text.count(f"Nothing was recorded after {end_of(first):.3f} s.") == 1
    assert "call < its callers" in text


@pytest.mark.parametrize("listing", ["--timeline", "--slowest=2"])
def test_several_runs_one_after_the_other(folder, listing):
    """Their moments have nothing in common. The earlier run comes first."""
    text = good("show", "service.out", "timed.out", listing, "--no-header", cwd=folder)
    alone = [
        good("show", name, listing, "--no-header", cwd=folder)
        for name in ("timed.out", "service.out")
    ]
    titles = re.findall(r"^run .*$", text, re.MULTILINE)
    first = r"run 1 of 2, process \d+: program\.py"
    second = r"run 2 of 2, process \d+, \d+\.\d{3} s after the first: service\.py"
    assert re.fullmatch(first, titles[0]) and re.fullmatch(second, titles[1])
    assert text == f"{titles[0]}\n\n{alone[0]}\n{titles[1]}\n\n{alone[1]}"


def test_several_listings_in_one_order(folder):
    text = good("show", "timed.out", "--slowest", "2", "--ranges", "--timeline", cwd=folder)
    parts = ["MainThread  ", "No range was marked there", "call < its callers"]
    assert sorted(parts, key=text.index) == parts


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["plain.out", "--slowest"],
            "plain.out: no timeline was recorded; run the program with --timeline",
        ),
        (
            ["plain.out", "--ranges"],
            "plain.out: no timeline was recorded; run the program with --timeline",
        ),
        (
            ["timed.out", "--from", "1"],
            "--from is of no use without --timeline, --ranges, --slowest or --summary; give one of "
            "them, too",
        ),
        (
            ["timed.out", "--timeline", "--from", "2", "--to-time=1s"],
            "--from 2 is not before --to-time 1; give an earlier time",
        ),
        (
            ["timed.out", "--timeline", "--from", "1", "--to-time=1s"],
            "--from 1 is not before --to-time 1; give an earlier time",
        ),
        (
            ["timed.out", "--timeline", "--from", "soon"],
            "--from 'soon': give a time since the start, such as 1.5, 1.5s or 200ms",
        ),
        (["timed.out", "--slowest", "0"], "--slowest '0': give a number of calls, 1 or more"),
        (["timed.out", "--slowest", "-3"], "--slowest '-3': give a number of calls, 1 or more"),
        (
            ["timed.out", "--slowest", "abc"],
            "no file 'abc', and no number of calls; give --slowest N, or a FILE that is there",
        ),
        (
            ["--slowest", "abc.out", "timed.out", "--ranges"],
            "no file 'abc.out', and no number of calls; give --slowest N, or a FILE that is there",
        ),
        (
            ["timed.out", "--slowest", "--limit=3"],
            "--limit is of no use with --slowest; leave it out",
        ),
        (["timed.out", "--slowest", "--tree"], "--tree is of no use with --slowest; leave it out"),
        (["timed.out", "--ranges", "--lines"], "--lines is of no use with --ranges; leave it out"),
        (
            ["timed.out", "--ranges", "--include=f"],
            "--include is of no use with --ranges; leave it out",
        ),
        (
            ["timed.out", "--ranges", "-s", "cumtime"],
            "-s cumtime does not sort ranges; choose from total, count, min, mean, max, p50, p95, "
            "name",
        ),
        (
            ["timed.out", "-s", "p95"],
            "-s p95 sorts ranges; give it to 'show --ranges', or another key",
        ),
    ],
)
def test_what_cannot_be_printed(folder, words, message):
    assert refused("show", *words, cwd=folder) == message
