"""What is found in profiles that are made of samples."""

import tracer
from made_samples import captured
from tracer.analysis.findings.findings import findings
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import paths_of
from treetexts import said

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
