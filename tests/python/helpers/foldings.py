"""Folded call trees, from text to text: see treetexts.py."""

from __future__ import annotations

from textwrap import dedent

from tracer.analysis.tree.folding import Folding
from treetexts import paths_of_text, text_of_tree


def folded(text, **options):
    paths = paths_of_text(dedent(text))
    found = Folding(paths, **options).fold(paths.trees[0])
    assert sum(found.tree.time) == sum(paths.trees[0].time)  # no time is lost
    return text_of_tree(found.tree, found.rows)


def expected(text):
    return dedent(text).lstrip("\n")
