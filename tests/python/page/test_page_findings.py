"""The page tells the findings of the terminal's first screen: the same words, figures and order."""

from types import SimpleNamespace

import pytest

import pages
from foundwaits import EVENTS, POOL, SPINNER, outline
from foundwaits import WORKER as ANY_WORKER
from tracer.analysis.import_places import Imports
from tracer.analysis.outline import Outline
from tracer.analysis.program_texts import ProgramTexts
from tracer.cli.first_screen import finding_lines
from tracer.page import document
from tracer.page.told_findings import findings_of
from treetexts import in_ms, paths_of_text

NOWHERE = SimpleNamespace(captures=[])  # no profile has the texts of the programs here
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
        yield Outline(paths_of_text(*map(in_ms, texts)))
    yield outline(STEPS, ("asyncio/events.py", EVENTS))


def place(row):
    return f"{row.file.rpartition('/')[2]}:{row.line}"


def on_the_terminal(of):
    """The first findings, as the first screen has them where it is wide enough."""
    imports = Imports(ProgramTexts(NOWHERE), place)
    return [line[12:] for line in finding_lines(of, 500, place, imports.asked)]


def in_place(told, paths):
    where = "" if told["row"] is None else place(paths.rows[told["row"]])
    return told["text"].replace("{place}", where)


@pytest.mark.parametrize("which", range(6))
def test_the_findings_of_the_page_are_those_of_the_terminal(which):
    of = list(outlines())[which]
    found = findings_of(NOWHERE, of.paths)
    texts = [in_place(told, of.paths) for told in found]
    assert texts[:3] == on_the_terminal(of)
    assert [told["saves"] for told in found] == sorted(
        (told["saves"] for told in found), reverse=True
    )


def test_there_are_findings_to_compare():
    rules = [[told["rule"] for told in findings_of(NOWHERE, of.paths)] for of in outlines()]
    assert rules == [
        ["waited_in_c"],
        ["waited_in_python"],
        ["slow_imports"],
        ["waited_in_c", "again_and_again"],
        [],
        ["waited_in_c", "longest_step"],
    ]


def test_a_finding_names_its_functions():
    paths = next(outlines()).paths
    [told] = findings_of(NOWHERE, paths)
    names = [paths.rows[told[which]].name for which in ("row", "callee")]
    assert names == ["fetch", "<Cursor.execute>"]


def test_of_paths_that_are_an_estimate_nothing_is_told():
    paths = paths_of_text(in_ms(WORKER))
    paths.rule = "by the callers"
    assert findings_of(NOWHERE, paths) == []


def test_they_are_in_the_data_of_the_page():
    told = {"rule": "one_function", "text": "60%: a", "saves": 5, "row": 0, "callee": None}
    header, _ = pages.opened(
        b"".join(document.data_of([pages.small()._replace(findings=[told])], "a title"))
    )
    assert header["profiles"][0]["findings"] == [told]
