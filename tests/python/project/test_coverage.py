"""`make coverage` counts what it should: its parts, without a build or a browser."""

import importlib
import sys
from pathlib import Path

import pytest

from places import TESTS

FOLDERS = [TESTS / "coverage", TESTS / "mutants"]


@pytest.fixture(scope="module")
def tool():
    """The tool's modules. They import each other, by short names that are not left behind."""
    names = ["tree", "reach", "report", "page_code", "python_code"]
    sys.path[:0] = map(str, FOLDERS)
    yield {name: importlib.import_module(name) for name in names}
    del sys.path[: len(FOLDERS)]
    for name in names:
        del sys.modules[name]


# -- The report ----------------------------------------------------------------------------------


def of_lines(tool, **reached):
    """A layer of one file, a.c: by line number whether it was reached."""
    report = tool["report"]
    lines = {int(name[1:]): report.Line(was, []) for name, was in reached.items()}
    return report.Layer("ext", [report.File("a.c", lines)])


def test_shares_are_of_lines_and_of_branches(tool):
    report = tool["report"]
    lines = {1: report.Line(True, [True, False]), 2: report.Line(False, [False, False])}
    layer = report.Layer("ext", [report.File("a.c", lines)])
    assert (layer.counted, layer.share) == ((2, 1, 4, 1), 50.0)
    text = report.written([layer], {"ext": 92}, "here", None)
    assert "| ext | 2 | 50.0% | 92% | 4 | 25.0% |" in text.splitlines()


def test_reasons_are_kept(tool, tmp_path):
    written, old = tool["report"].written, tmp_path / "COVERAGE.md"
    missed = of_lines(tool, l3=True, l4=False, l9=False, l11=True, l12=False)
    old.write_text(written([missed], {"ext": 92}, "here", old))
    entry = "| `a.c` | 4-9, 12 | not looked at yet |"
    assert entry in old.read_text().splitlines()
    old.write_text(old.read_text().replace("not looked at yet", "never, since `b` is not"))
    later = of_lines(tool, l3=False, l4=True)
    text = written([later], {"ext": 92}, "here", old)
    assert "| `a.c` | 3 | never, since `b` is not |" in text.splitlines()
    assert "a.c" not in written([of_lines(tool, l3=True)], {"ext": 92}, "here", old)


# -- The page ------------------------------------------------------------------------------------

# Two functions: the first one is called, and takes its first way out.
MODULE = """\
// What it is about.
import { h } from "./dom.js";

/** @param {number} a */
export function first(a) {
  if (a > 0) {
    return h(a);
  }
  return 0;
}

function second() {
  return 1;
}
"""
JOINED = """\
"use strict";
const m_dom = (() => {
function first(a) {
}
return { first };
})();
const m_ui_made_up = (() => {
const {h} = m_dom;
function first(a) {
if (a > 0) {
return h(a);
}
return 0;
}
function second() {
return 1;
}
return { first };
})();
"""


def told(script, **counts):
    """What V8 says of a script: how often each text was run, at its last place in the script."""
    functions = [{"ranges": [{"startOffset": 0, "endOffset": len(script), "count": 1}]}]
    for text, count in counts.values():
        begin = script.rindex(text)
        ranges = [{"startOffset": begin, "endOffset": begin + len(text), "count": count}]
        functions.append({"ranges": ranges})
    return functions


def counts(script):
    rest = "return 0;"
    body = script[script.rindex("function first") : script.index(rest) + len(rest) + 2]
    other = script[script.index("function second") :].partition("}")[0] + "}"
    return told(script, first=(body, 3), rest=(rest, 0), second=(other, 0))


@pytest.fixture
def module(tool, tmp_path):
    path = tmp_path / "ui/made-up.js"
    path.parent.mkdir()
    path.write_text(MODULE)
    return tool["page_code"].Module(path, tmp_path)


def seen(module):
    return {number: (line.reached, line.branches) for number, line in module.lines().items()}


EXPECTED = {
    5: (True, [True]),
    6: (True, []),
    7: (True, []),
    9: (False, [False]),
    12: (False, [False]),
    13: (False, []),
}


def test_lines_that_node_runs(module):
    assert list(module.lines()) == list(EXPECTED)
    assert not any(line.reached for line in module.lines().values())
    module.add(counts(MODULE), module.starts)
    assert seen(module) == EXPECTED


def test_lines_that_a_browser_runs(module):
    starts = module.starts_in(JOINED)
    assert {n + 1: JOINED[at:].partition("\n")[0] for n, at in starts.items()} == {
        5: "function first(a) {",
        6: "if (a > 0) {",
        7: "return h(a);",
        9: "return 0;",
        12: "function second() {",
        13: "return 1;",
    }
    module.add(counts(JOINED), starts)
    assert seen(module) == EXPECTED
    # A script without the module says nothing of it; a line that was reached once stays so.
    assert module.starts_in(JOINED.replace("m_ui_made_up", "m_other")) == {}
    module.add(told(JOINED), {})
    module.add(counts(MODULE), module.starts)
    assert seen(module) == EXPECTED


def test_each_module_is_found_in_the_page(tool):
    from tracer.page import bundle, entries

    pages = Path(bundle.__file__).parent
    whole = bundle.join(entries.entry_of([part.name for part in entries.PARTS]), pages)
    loader = bundle.script((pages / "loader.js").read_text())
    for path in sorted(pages.rglob("*.js")):
        module = tool["page_code"].Module(path, pages)
        script = loader if path.name == "loader.js" else whole
        assert list(module.starts_in(script)) == list(module.code), path.name


# -- Python --------------------------------------------------------------------------------------

PYTHON = """\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import json

def f(a):
    if a:
        return 1
    else:
        return 2
    for b in a:
        print(b)
"""


def test_blocks_of_python_are_branches(tool, tmp_path):
    path = tmp_path / "made.py"
    path.write_text(PYTHON)
    reached = dict.fromkeys([1, 3, 6, 7, 8, 11], True) | dict.fromkeys([4, 10, 12], False)
    lines = {n: tool["report"].Line(was, []) for n, was in sorted(reached.items())}
    tool["python_code"].leave_out(path, lines)
    branches = {number: line.branches for number, line in lines.items() if line.branches}
    assert list(lines) == [1, 3, 6, 7, 8, 10, 11, 12]
    assert branches == {1: [True], 8: [True], 10: [False], 12: [False]}
