"""What is found in profiles that are made of samples."""

from dataclasses import replace

import pytest

import tracer
from made_samples import RUN, captured
from tracer.analysis.findings.findings import findings
from tracer.analysis.findings.run import not_worked
from tracer.analysis.findings.sampled_waits import waits_by_thread
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import paths_of
from treetexts import in_ms, paths_of_text, said

WAITS = """
<module>@main 1 5
  fetch@main 1 30
    load@json 1 200
  take@main 1 10
    Queue.get@queue 1 900
_bootstrap@threading 1 0
  Queue.get@queue 1 300
  serve@main 1 20
"""
GARBAGE = "main;make;<collection>"


def found_in(paths, **facts):
    stats = tracer.Stats(captured(paths, **facts))
    outline = Outline(paths_of(stats))
    return [
        said(finding, lambda row: f"{row.name}'s place")
        for finding in findings(outline, None, stats)
    ]


def test_collections_have_the_time_of_their_samples():
    found = found_in({"main": 100, "main;make": 700, GARBAGE: 250})
    assert found == [
        "67%: make, make's place, takes 2.80 +- 0.12 s itself",
        "24%: garbage collections took 1.00 +- 0.11 s below make, make's place",
    ]


def test_a_function_is_told_without_its_collections():
    [first, second] = found_in({"main": 100, GARBAGE: 600, "main;make": 400})
    assert first.startswith("55%: garbage collections took 2.40 +- 0.13 s below make")
    assert second.startswith("36%: make, make's place, takes 1.60 +- 0.13 s itself")


def test_what_is_mostly_error_is_no_finding():
    few = {"main": 9, "main;load": 3, "main;parse": 18}
    assert [one[:10] for one in found_in(few)] == ["60%: parse"]
    many = {path: 100 * weight for path, weight in few.items()}
    assert len(found_in(many)) > 1


def test_where_a_thread_waited():
    paths, waits = {"main": 900, "main;fetch": 100}, {"main;fetch": 150, "main;fetch;read": 50}
    found = found_in(paths, waits=waits, waited=4.0)
    assert found[1] == "38% of the run: fetch, fetch's place, waits 3.00 +- 0.24 s"


def test_waits_are_those_of_the_program_and_not_for_work():
    paths = paths_of_text(in_ms(WAITS))
    told = {paths.rows[row].name: times for row, times in waits_by_thread(paths).items()}
    assert told == {
        "<module>": {0: 5_000_000}, "fetch": {0: 230_000_000}, "take": {0: 10_000_000},
        "serve": {0: 20_000_000},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("waits", "waited"),
    [({"main;fetch": 200}, 0.5), ({"main;fetch": 3}, 3.0), ({"main;fetch": 200}, 0.0)],
)
def test_short_waits_and_few_looks_are_no_finding(waits, waited):
    found = found_in({"main": 900, "main;fetch": 100}, waits=waits, waited=waited)
    assert not [one for one in found if "wait" in one]


def test_a_run_that_waited_is_told_by_its_waits_alone():
    """Its processor worked for less than half of it, and it is known where it waited."""
    waits = {"waits": {"main;fetch": 60}, "waited": 3.0}
    for known, is_told in (({}, True), (waits, False)):
        capture = captured({"main": 10}, **known)
        capture.run = replace(RUN, real=3.1, user=0.1, system=0.0)
        assert (not_worked(tracer.Stats(capture)) is not None) == is_told
