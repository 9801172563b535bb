"""--callers and --callees: those that took most stand first, and the limit cuts them."""

import marshal
import pstats

import pytest

from launch import good
from tracer.report.call_lists import call_list, callees_of, callers_of

LEAF, ONE, TWO, TEN = (("/a/m.py", line, f"f{line}") for line in (1, 2, 3, 10))
STATS = {
    LEAF: (9, 12, 6.0, 7.0, {ONE: (1, 1, 3.0, 3.0), TWO: (4, 4, 2.0, 2.5), TEN: (7, 4, 1.0, 1.5)}),
    ONE: (1, 1, 1.0, 5.0, {}),
    TWO: (1, 1, 1.0, 3.0, {ONE: (1, 1, 1.0, 2.0)}),
    TEN: (1, 1, 1.0, 2.0, {}),
}


def names(text):
    return [line.rpartition("(")[2][:-1] for line in text.splitlines()[2:] if line]


def test_the_largest_stand_first():
    calls = callers_of(STATS, [LEAF])
    assert call_list(calls, "was called by...", "<-", 3, None) == (
        "Function        was called by...\n"
        "                    ncalls  tottime  cumtime\n"
        "/a/m.py:1(f1)  <-       1    3.000    3.000  /a/m.py:2(f2)\n"
        "                        4    2.000    2.500  /a/m.py:3(f3)\n"
        "                      7/4    1.000    1.500  /a/m.py:10(f10)\n"
        "\n"
        "\n"
    ).replace("Function        ", "Function       ").replace("\n      ", "\n     ", 1)
    assert names(call_list(calls, "", "<-", 1, None)) == ["f10", "f3", "f2"]
    assert names(call_list(calls, "", "<-", 0, None)) == ["f3", "f10", "f2"]
    assert names(call_list(calls, "", "<-", None, None)) == ["f2", "f3", "f10"]


def test_callees():
    calls = callees_of(STATS, [ONE, LEAF])
    text = call_list(calls, "called...", "->", 3, None)
    assert names(text)[:2] == ["f1", "f3"]
    assert text.endswith("/a/m.py:1(f1)  -> \n\n\n")


def test_the_limit():
    text = call_list(callers_of(STATS, [LEAF]), "", "<-", 3, 2)
    assert "f2" in text and "f3" in text and "f10" not in text
    assert text.endswith("and 1 more\n\n\n")
    assert "more" not in call_list(callers_of(STATS, [LEAF]), "", "<-", 3, 3)
    assert call_list({}, "", "<-", 3, 2) == ""


@pytest.mark.parametrize("option", ["--callers=f1", "--callees=f2"])
def test_the_command_prints_what_pstats_prints(tmp_path, option, capsys):
    (tmp_path / "a.out").write_bytes(marshal.dumps(STATS, 4))
    text = good("show", "--no-header", option, "a.out", cwd=tmp_path)
    stats = pstats.Stats(str(tmp_path / "a.out")).sort_stats("cumulative")
    getattr(stats, f"print_{option[2:9]}")(rf"\({option[-2:]}\)")
    rows, expected = (
        {line for line in of.splitlines() if " ncalls " in line or "m.py" in line.split("  ")[-1]}
        for of in (text, capsys.readouterr().out)
    )
    assert len(rows) >= 2
    assert {row[-36:] for row in rows} == {row[-36:] for row in expected}


def test_the_command_obeys_the_limit_and_the_order(tmp_path):
    (tmp_path / "a.out").write_bytes(marshal.dumps(STATS, 4))
    text = good("show", "--no-header", "--callers=f1", "--limit=1", "a.out", cwd=tmp_path)
    assert "   Ordered by: cumulative time\n" in text
    assert "f2" in text and "and 2 more\n" in text
    words = ("--no-header", "--callers=f1", "--limit=1", "-s", "calls", "a.out")
    text = good("show", *words, cwd=tmp_path)
    assert "f10" in text and "f2" not in text
