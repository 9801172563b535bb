"""`diff` of memory: exact bytes before and after, and limits by percent and by size."""

import json

import pytest

import tracer
from diffing import diff
from launch import traced, write

pytestmark = pytest.mark.results

# bytes(n) is one block of n + 33 bytes.
PROGRAM = """
import sys
kept = [None] * 2

def load(size):
    kept[0] = bytes(size)

def scratch():
    bytes(2000)

def work():
    load(int(sys.argv[1]))
    scratch()

work()
"""
HEAD = "   ncalls       +/-  allocated        +/-    at peak        +/-   growth  filename:lineno(f"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    write(folder / "work.py", PROGRAM)
    for words in ["--memory", "old.out", "100000"], ["--memory", "new.out", "300000"]:
        run = traced(words[0], "-o", words[1], "work.py", words[2], cwd=folder)
        assert run.returncode == 0
    assert traced("-o", "plain.out", "work.py", "7", cwd=folder).returncode == 0
    return folder


def test_a_table_of_the_peak(folder):
    words = ["--metric=peak", "--strip-dirs", "old.out", "new.out"]
    text = diff(*words, folder=folder)
    header, _, table = text.partition("\n\n")
    (peak,) = [line for line in header.splitlines() if line.startswith("      peak  ")]
    assert " KiB -> " in peak
    assert "  own code  load  work.py:5  97.7 KiB -> 293.0 KiB  +199.9%" in header.splitlines()
    lines = table.splitlines()
    assert lines[0] == "   Ordered by: change of peak. Sizes are KiB"
    assert lines[2].startswith(HEAD)
    row = (
        "        1                293.0     +195.3      293.0     +195.3  +199.9%  work.py:5(load)"
    )
    assert row in lines


def test_json_has_the_bytes(folder):
    words = ["--json", "--metric=live", "--fail-above=1KiB", "old.out", "new.out"]
    said = "tracer: the total and 1 function grew by more than 1KiB in live\n"
    whole = json.loads(diff(*words, folder=folder, status=1, said=said))
    assert (whole["fail_above"], whole["fail_above_bytes"]) == (None, 1024)
    assert whole["total"]["after"]["live"] - whole["total"]["before"]["live"] == 200_000
    functions = {it["name"]: it for it in whole["functions"]}
    names = ("allocated", "peak", "live")
    assert [functions["load"]["before"][name] for name in names] == [100_033] * 3
    assert [functions["load"]["after"][name] for name in names] == [300_033] * 3
    assert [functions["scratch"]["after"][name] for name in names] == [2033, 2033, 0]
    assert functions["load"]["grown"] is True
    assert functions["scratch"]["grown"] is False


@pytest.mark.parametrize("limit", ["199999B", "195.3KiB", "0.1mib", "10%", "190"])
def test_it_fails_above_a_limit(folder, limit):
    text = limit if limit[-1] in "bB%" else f"{limit}%"
    said = f"tracer: the total and 1 function grew by more than {text} in allocated\n"
    words = ["--metric=allocated", f"--fail-above={limit}", "old.out", "new.out"]
    diff(*words, folder=folder, status=1, said=said)


@pytest.mark.parametrize("limit", ["200000B", "196KiB", "1MiB", "1GiB", "200%"])
def test_it_does_not_fail_at_a_limit(folder, limit):
    words = ["--metric=allocated", f"--fail-above={limit}", "old.out", "new.out"]
    text = diff(*words, folder=folder)
    assert text.endswith(f"   Nothing grew by more than {limit} in allocated.\n\n")


def test_small_bytes_do_not_grow_by_percent(folder):
    """`scratch` has as many bytes in both; a function of 1% of all has not grown."""
    before, after = (tracer.Stats(folder / it, names="qualname") for it in ("old.out", "new.out"))
    comparison = tracer.compare(after, before)
    assert comparison.grown("allocated", 0) == []
    assert comparison.grown_by_bytes("peak", 0) == []
    with pytest.raises(ValueError, match="'calls' has no bytes; choose from allocated, peak, live"):
        comparison.grown_by_bytes("calls", 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--metric=peak", "old.out", "plain.out"],
            "'plain.out': no memory was recorded: give --m",
        ),
        (
            ["--fail-above=1MiB", "old.out", "new.out"],
            "--fail-above 1MiB is a size of memory: give",
        ),
        (
            ["--metric=calls", "--fail-above=1MiB", "old.out", "new.out"],
            "--fail-above 1MiB is a size of memory: give --metric allocated, peak or live, too",
        ),
        (["--fail-above=1MB", "old.out", "new.out"], "--fail-above '1MB': give a percentage, 0 or"),
        (["--fail-above=-1B", "old.out", "new.out"], "--fail-above '-1B': give a percentage, 0 or"),
    ],
)
def test_what_is_refused(folder, words, said):
    found = traced("diff", *words, cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.decode().startswith(f"tracer: {said}")


def test_memory_in_one_alone_is_told(folder):
    said = (
        "tracer: the two were recorded differently: one of them with memory, which makes functions "
        "heavier\n"
    )
    text = diff("plain.out", "new.out", folder=folder, said=said)
    assert "      peak  " not in text
