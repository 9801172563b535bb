"""The page tells what the terminal's first screen tells: the same words, figures and order; and
where to look."""

import pytest

import pages
import tracer
from foundwaits import EVENTS, POOL, SPINNER, outline
from foundwaits import WORKER as ANY_WORKER
from linesnapshots import snapshot
from timelines import capture_of
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import paths_of
from tracer.cli.first_screen import FINDINGS, finding_lines
from tracer.data.profile_set import ProfileSet
from tracer.page import document
from tracer.page.findings_data import findings_of
from tracer.results.findings import first_findings
from treetexts import FILES, in_ms, paths_of_text, with_figures

NOWHERE = ProfileSet()  # it has no texts of the programs here
WORKER = ANY_WORKER.format(time=950)
IMPORTS = """
<module>@main 1 650
  _find_and_load@boot 3 0
    <module>@pandas 1 150
    <module>@json 1 49
"""
AGAIN = """
<module>@main 1 100
  view@main 1 100
    <Cursor.execute> 400 300~280
    loads@json 400 200
"""
STEPS = """
def digest():
    WAIT_IN_C(300)

def main():
    Handle(digest)._run()
    WAIT_IN_C(400)
"""


def outlines():
    for texts in ([POOL, WORKER, WORKER], [POOL, SPINNER, SPINNER], [IMPORTS], [AGAIN], [POOL]):
        yield Outline(with_figures(paths_of_text(*map(in_ms, texts))))
    yield outline(STEPS, ("asyncio/events.py", EVENTS))


def place(function):
    file = function.file.rpartition("/")[2]
    return f"{file}:{function.line}" if function.line else file


def on_the_terminal(of):
    """The first findings, as the first screen has them where it is wide enough."""
    found = first_findings(of, FINDINGS, NOWHERE)
    return [line[12:] for line in finding_lines(found, 500, place)]


def ranked(paths, profiles=NOWHERE, threads="all", rank="time"):
    found = findings_of(profiles, paths)[threads]
    return [it for it in found if it["rank"] == rank]


@pytest.mark.parametrize("which", range(6))
def test_the_findings_of_the_page_are_those_of_the_terminal(which):
    of = list(outlines())[which]
    titles = [it["title"] for it in ranked(of.paths)]
    assert titles[:FINDINGS] == [line[0].upper() + line[1:] for line in on_the_terminal(of)]


def test_there_are_findings_to_compare():
    rules = [[it["rule"] for it in ranked(of.paths)] for of in outlines()]
    assert rules == [
        ["costly_functions"],
        ["costly_functions", "waited_turns"],
        ["costly_functions", "slow_imports"],
        ["costly_functions"],
        [],
        ["costly_functions", "costly_functions"],
    ]


def test_a_title_has_the_aside_and_begins_with_a_capital():
    of = list(outlines())
    assert ranked(of[3].paths)[0] == {
        "rule": "costly_functions",
        "rank": "time",
        "title": "86%: view, main.py:1, takes 0.60 s in 1 call by <module>: "
        "0.28 s waiting in Cursor.execute (400 calls), 0.20 s json (loads) (400 calls)",
        "text": "Fewer calls, or less to do in each, would save the most. It may wait for the "
        "database, or for the GIL after it. Fewer, larger requests wait less.",
        "row": 1,
        "place": None,
    }
    titles = {it["rule"]: it["title"] for one in of for it in ranked(one.paths)}
    assert titles["slow_imports"].endswith("; the first in main.py")


def test_it_names_the_function_to_look_at():
    paths = next(outlines()).paths
    [found] = ranked(paths)
    assert paths.rows[found["row"]].name == "fetch"


LINES = {(1, "work"): [(7, 2, 10, 0, 10, 0), (9, 3, 60, 0, 60, 0)]}


def timed():
    capture = capture_of("main@main 0-100\n  work@main 10-80", tick=1e-3)
    capture.timed_lines = snapshot(LINES, file=FILES["main"], tick=1e-3)
    return tracer.Stats(capture)


def test_the_hottest_line_is_a_hint_with_its_place():
    stats = timed()
    [found] = [it for it in ranked(paths_of(stats), stats, rank="hint") if it["rule"] == "one_line"]
    assert found["title"] == "60%: line 9 of work, main.py:9"
    assert found["text"].startswith("60 ms in 3 hits, without ")
    assert found["place"] == {"file": FILES["main"], "line": 9}


def test_the_line_that_is_meant_is_told_before_what_may_be_done():
    lines = {(1, "fetch"): [(5, 1, 900, 900, 0, 0), (6, 1, 50, 50, 0, 0)]}
    capture = capture_of("other@main 0-1", tick=1e-3)
    capture.timed_lines = snapshot(lines, waits={0: 900, 1: 50}, file=FILES["main"])
    text = "fetch@main 1 0\n  <time.sleep> 2 950~950"
    [found] = ranked(with_figures(paths_of_text(in_ms(text))), tracer.Stats(capture))
    assert found["text"].startswith("Most at line 5 of fetch. A sleep is as long as ")
    assert found["place"] == {"file": FILES["main"], "line": 5}


def test_of_paths_that_are_an_estimate_there_are_hints_alone():
    paths = with_figures(paths_of_text(in_ms(AGAIN)))
    paths.rule = "by the callers"
    found = findings_of(NOWHERE, paths)
    assert {it["rank"] for it in found["all"]} == {"hint"}
    assert found.keys() == {"all"}


def test_findings_of_each_thread_that_matters():
    busy = "main@main 0-{}\n  work@main 0-{}"
    stats = tracer.Stats(capture_of(busy.format(90, 60), busy.format(99, 99), "f@main 0-1"))
    for capture in stats.captures:
        capture.timeline_data = None
    found = findings_of(stats, paths_of(stats))
    assert found.keys() == {"all", "0", "1"}


def test_what_a_thread_waited_is_told_as_a_part_of_that_thread(monkeypatch):
    """Of the time of all threads it is 50%."""
    busy, waiting = "main@main 1 1000", "fetch@main 1 10\n  <time.sleep> 2 990~990"
    paths = with_figures(paths_of_text(in_ms(busy), in_ms(waiting)))
    monkeypatch.setattr(ProfileSet, "by_thread", lambda self: [NOWHERE, NOWHERE])
    [found] = ranked(paths, threads="1")
    assert (
        found["title"]
        == "100%: fetch, main.py:1, waits 0.99 s in 1 call: 0.99 s time.sleep (2 calls)"
    )


def test_they_are_in_the_data_of_the_page():
    of = next(outlines())
    found = findings_of(NOWHERE, of.paths)
    header, _ = pages.opened(
        b"".join(document.data_of([pages.small()._replace(findings=found)], "a title"))
    )
    assert header["profiles"][0]["findings"] == found
    assert found["all"]
