"""callgrind_annotate on exports to callgrind."""

import re
from collections import defaultdict

import pytest

import tracer
from reading import exported, nanoseconds, need, run, there, told_apart
from tracer.exports.names import shown

NEEDS = "package:callgrind_annotate:valgrind"


def annotated(path, *options):
    need(there("callgrind_annotate"), "callgrind_annotate (of valgrind)")
    words = ("--threshold=100", "--show-percs=no", "--auto=no", *options, str(path))
    return run("callgrind_annotate", *words)


def table(text):
    """{file:function: cost}"""
    found = re.findall(r"^ *([\d,]+)  (.*?)(?: \[\])?$", text, re.MULTILINE)
    return {name: int(cost.replace(",", "")) for cost, name in found if name != "PROGRAM TOTALS"}


def expected_names(stats):
    return told_apart(stats, lambda label: f"{shown(label[0])}:{shown(label[2])}")


def stats_of(profile):
    whole = tracer.Stats(profile).is_whole
    return tracer.Stats(profile, names="qualname" if whole else "label").stats


def test_callgrind_own_times(either):
    stats = stats_of(either)
    found = table(annotated(exported(either, "callgrind")))
    names = expected_names(stats)
    want = {names[label]: nanoseconds(row[2]) for label, row in stats.items()}
    assert {name: cost for name, cost in found.items() if cost} == pytest.approx(
        {name: cost for name, cost in want.items() if cost}, abs=2
    )


def test_callgrind_cumulative_times_count_no_recursion_twice(profile):
    stats = stats_of(profile)
    found = table(annotated(exported(profile, "callgrind"), "--inclusive=yes"))
    names = expected_names(stats)
    want = {names[label]: nanoseconds(row[3]) for label, row in stats.items()}
    program = found.pop("~:<program>")
    assert program == pytest.approx(
        sum(nanoseconds(row[2]) for row in stats.values()), abs=len(stats)
    )
    assert {name: cost for name, cost in found.items() if cost} == pytest.approx(
        {name: cost for name, cost in want.items() if cost}, abs=len(stats)
    )


def test_callgrind_of_cprofile_is_never_more_than_was_measured(of_cprofile):
    stats = stats_of(of_cprofile)
    found = table(annotated(exported(of_cprofile, "callgrind"), "--inclusive=yes"))
    for label, name in expected_names(stats).items():
        assert found.get(name, 0) <= nanoseconds(stats[label][3]) * 1.001 + 10


def test_callgrind_calls(profile):
    stats = stats_of(profile)
    names = expected_names(stats)
    found = defaultdict(dict)
    function = None
    for line in annotated(exported(profile, "callgrind"), "--tree=calling").splitlines():
        if match := re.fullmatch(r" *[\d,.]+  \* +(.*?)(?: \[\])?", line):
            function = match[1]
        elif match := re.fullmatch(r" *[\d,.]+  > +(.*) \((\d+)x\)(?: \[\])?", line):
            found[match[1]][function] = int(match[2])
    checked = 0
    for label, (_, _, _, _, callers) in stats.items():
        for caller, (calls, _, _, _) in callers.items():
            assert found[names[label]][names[caller]] == max(calls, 1)
            checked += 1
    assert checked > 100
