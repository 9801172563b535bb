"""What `show` is asked to list: some functions, those of a module, file or folder, functions or
lines alone, the lines of one thread, and which lines stand first."""

import re

import pytest

import tracer
from launch import good, plain, traced, write

pytestmark = pytest.mark.results

MAIN = """\
import json, threading
from shop import stock

def work(number):
    for _ in range(number):
        stock.count()

def main():
    work(3)
    json.loads("[1]")

main()
thread = threading.Thread(target=work, args=(2,), name="worker")
thread.start()
thread.join()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("choices")
    write(folder / "app" / "main.py", MAIN)
    write(folder / "app" / "shop" / "__init__.py", "")
    write(folder / "app" / "shop" / "stock.py", "def count():\n    return sum(range(10_000))\n")
    traced("-o", "calls.out", "app/main.py", cwd=folder)
    traced("--lines", "-o", "lines.out", "app/main.py", cwd=folder)
    return folder


def listed(text):
    """The functions of a table, of the files main.py and stock.py without their folders."""
    rows = text.split("filename:lineno(function)")[1]
    return set(re.findall(r"(\{.*\}|[\w.]+:\d+\(.*\))$", rows, re.M))


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--only", "work"], {"main.py:4(work)"}),
        (["--only", "stock:count"], {"stock.py:1(count)"}),
        (["--only", r"main\.py"], {"main.py:1(<module>)", "main.py:4(work)", "main.py:8(main)"}),
        (["--include", "shop"], {"__init__.py:1(<module>)", "stock.py:1(<module>)"}),
        (["--include", "shop.stock"], {"stock.py:1(<module>)", "stock.py:1(count)"}),
        (["--include", "app/shop/stock.py"], {"stock.py:1(<module>)", "stock.py:1(count)"}),
        (["--include", "./app/shop"], {"__init__.py:1(<module>)", "stock.py:1(<module>)"}),
        (["--include", "shop/st*"], set()),
        (["--include", "*/shop/st*"], {"stock.py:1(<module>)", "stock.py:1(count)"}),
        (["--include=shop", "--include=main", "--only=work"], {"main.py:4(work)"}),
    ],
)
def test_some_functions(folder, options, found):
    words = ("show", "--no-header", "--strip-dirs", "-s", "cumulative", *options, "calls.out")
    text = traced(*words, cwd=folder).stdout.decode()
    if options[1] == "shop" or options[1] == "./app/shop":
        found = found | {"stock.py:1(count)"}
    assert (listed(text) if found else set()) == found
    if found:
        assert re.search(r"List reduced from \d+ to \d+ due to restriction <'", text)


def test_nothing_is_left(folder):
    for option, said in (
        ("--only=wrok", "no function matches 'wrok'; the nearest: work"),
        ("--include=shpo", "no function here is of 'shpo'; the nearest: shop"),
        ("--include=./no", "no function here is of './no'; give a module, a file or a folder"),
    ):
        for more in ([], ["--lines"], ["--resumes"]):
            found = traced("show", option, *more, "lines.out", cwd=folder)
            assert found.stderr.decode() == f"tracer: {said}\n"
            assert found.returncode == 0


@pytest.mark.parametrize("more", [[], ["-s", "total"], ["--limit=3"]])
def test_functions_whose_lines_were_not_timed(folder, more):
    """They are there, so the answer is not that there is none. Nothing stands above an answer that
    is all there is."""
    for option, name in ("--only", "start"), ("--only", "len"), ("--include", "threading"):
        found = traced("show", "--lines", *more, option, name, "lines.out", cwd=folder)
        assert (found.stdout, found.returncode) == (b"", 0)
        assert found.stderr.decode() == (
            f"tracer: the lines of {name!r} were not timed; record with --lines-of MODULE, or "
            "leave --lines out\n"
        )
    found = traced("show", "--lines", *more, "--only=wrok", "lines.out", cwd=folder)
    assert (found.stdout, found.stderr[:34]) == (b"", b"tracer: no function matches 'wrok'")


def test_what_is_found_is_printed_beside_what_is_not(folder):
    words = ("show", "--lines", "--include=shop", "--include=threading", "lines.out")
    found = traced(*words, cwd=folder)
    assert set(hits(found.stdout.decode())) == {"count", "<module>"}
    assert found.stderr.startswith(b"tracer: the lines of 'threading' were not timed; ")


def test_functions_or_lines_alone_or_both(folder):
    both = good("show", "--table", "lines.out", cwd=folder)
    functions = good("show", "--table", "--functions", "lines.out", cwd=folder)
    lines = good("show", "--lines", "lines.out", cwd=folder)
    assert "function calls" in both and "Line #" in both
    assert "function calls" in functions and "Line #" not in functions
    assert "function calls" not in lines and "Line #" in lines
    assert good("show", "--table", "--lines", "--functions", "lines.out", cwd=folder) == both
    assert "Line #" not in good("show", "--functions", "lines.out", cwd=folder)


def test_functions_where_only_lines_were_recorded(tmp_path):
    write(tmp_path / "a.py", "@profile\ndef f():\n    return 1\nf()\n")
    traced("-l", "-o", "a.out", "a.py", cwd=tmp_path)
    found = traced("show", "--functions", "a.out", cwd=tmp_path)
    assert b"Line #" not in found.stdout
    assert (
        found.stderr.decode() == "tracer: there are lines and no functions; leave --functions out\n"
    )


def test_some_lines_of_a_file_of_lines_alone(tmp_path):
    write(tmp_path / "a.py", "@profile\ndef f(): pass\n@profile\ndef g(): pass\nf(); g()\n")
    traced("-l", "-o", "a.lprof", "a.py", cwd=tmp_path)
    assert set(hits(good("show", "--only=g", "a.lprof", cwd=tmp_path))) == {"g"}
    found = traced("show", "--only=zz", "a.lprof", cwd=tmp_path)
    assert found.stderr.startswith(b"tracer: no function matches 'zz'; ")
    assert found.stderr.count(b"\n") == 1


def test_a_module_of_a_file_of_another_profiler_without_folders(folder):
    words = ("-m", "cProfile", "-o", "c.out", "app/main.py")
    assert plain(*words, cwd=folder).returncode == 0
    words = ("show", "--include=shop", "--strip-dirs", "-s", "name", "c.out")
    assert "stock.py:1(count)" in listed(good(*words, cwd=folder))


def hits(text):
    """{function: {line: hits}} of tables of lines."""
    found = {}
    for part in text.split("Function: ")[1:]:
        rows = re.findall(r"^ *(\d+) +(\d+) +[\d.]+ ", part, re.M)
        found[part.split(" ")[0]] = {int(line): int(number) for line, number in rows}
    return found


def test_the_lines_of_a_thread(folder):
    every = hits(good("show", "--lines", "lines.out", cwd=folder))
    main = hits(good("show", "--lines", "--thread=MainThread", "lines.out", cwd=folder))
    worker = hits(good("show", "--lines", "--thread=worker", "lines.out", cwd=folder))
    assert (every["work"], main["work"], worker["work"]) == (
        {5: 7, 6: 5},
        {5: 4, 6: 3},
        {5: 3, 6: 2},
    )
    assert worker["count"] == {2: 2} and not worker["main"]
    threads = tracer.Stats(folder / "lines.out").threads
    assert sum(it.lines.functions[0].time for it in threads) >= 0
    ranked = good("show", "--lines", "--thread=worker", "-s", "total", "lines.out", cwd=folder)
    assert "(main)" not in ranked and "(count)" in ranked


def test_lines_of_some_functions(folder):
    for options, names in (
        (["--only=count"], {"count"}),
        (["--only=main.work"], {"work"}),
        (["--include=shop"], {"count", "<module>"}),
        (["--include=shop", "--only=count"], {"count"}),
    ):
        assert set(hits(good("show", "--lines", *options, "lines.out", cwd=folder))) == names
        text = good("show", "--lines", "-s", "total", *options, "lines.out", cwd=folder)
        assert set(re.findall(r"\.py:\d+\((.*?)\)", text)) == names


def test_the_order_of_lines(folder):
    total = good("show", "--lines", "-s", "total", "--strip-dirs", "lines.out", cwd=folder)
    assert "   Ordered by: total time of the line, with all that it calls\n" in total
    # A column of waits is there if the machine was busy.
    rows = re.findall(r"^ +([\d.e+]+) [ \d.e+]+ (\w+\.py:\d+)\(", total, re.M)
    times = [float(time) for time, _ in rows]
    assert times == sorted(times, reverse=True)
    names = [name for _, name in rows]
    assert names.index("main.py:12") < names.index("main.py:9")  # main(), and work() in it
    assert good("show", "--lines", "--limit=99", "--strip-dirs", "lines.out", cwd=folder) == total
    own = good("show", "--lines", "-s", "own", "--limit=1", "lines.out", cwd=folder)
    assert "own" in own.split("Ordered by: ")[1].splitlines()[0]
