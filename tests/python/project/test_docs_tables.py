"""The option tables of the manual are what the lists of options make; each verb has one."""

import sys

import pytest

from docblocks import ROOT, name_of
from tracer.cli.main import VERBS
from tracer.results.tables import kinds

sys.path.insert(0, str(ROOT / "tests" / "tools"))

import docs_tables


@pytest.mark.parametrize("page", docs_tables.pages(), ids=name_of)
def test_tables_are_those_of_help(page):
    text = page.read_text()
    assert docs_tables.rewritten(text) == text, "type: make docs-tables"


def test_every_verb_has_a_table():
    texts = [page.read_text() for page in docs_tables.pages()]
    found = [it[1:3] for text in texts for it in docs_tables.TABLE.findall(text)]
    options = [("options", name) for name in (*VERBS, *docs_tables.OTHERS)]
    columns = [("columns", name) for name in (*kinds(), "tree", "changes") if name != "callees"]
    assert sorted(found) == sorted([*options, *columns])


def test_a_table_of_another_text_is_written_anew():
    text = "<!-- the options of merge -->\nold\n<!-- end -->\n"
    new = docs_tables.rewritten(text)
    assert "old" not in new
    assert "| `-o`, `--outfile FILE` | " in new
    with pytest.raises(KeyError):
        docs_tables.rewritten(text.replace("merge", "unmerge"))
