"""Which functions an option's pattern means: a label as a table prints it, or a regular expression.

Users paste labels, which are full of parentheses and dots. Only the command takes labels: methods
of Stats take a regular expression, as in pstats.
"""

from __future__ import annotations

import re
from os.path import basename
from pstats import func_std_string, func_strip_path  # type: ignore[attr-defined]

from tracer.source.labels import LABEL, PATTERN_ERRORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.api.stats import Stats


class Exactly(str):
    """A regular expression that matches exactly some labels. Its repr is what the user typed."""

    typed: str

    def __new__(cls, typed: str, labels: Iterable[str]) -> Exactly:
        exactly = super().__new__(cls, rf"\A(?:{'|'.join(map(re.escape, labels))})\Z")
        exactly.typed = typed
        return exactly

    def __repr__(self) -> str:
        return repr(self.typed)


def pattern_of(text: str, stats: Stats) -> str:
    """The regular expression for the functions with this label; else the text itself. A label may
    be of a table, with or without folders, or of the call tree, which has qualified names."""
    printed = list(map(func_std_string, stats.stats))
    if text in printed:
        return Exactly(text, [text])
    found = re.fullmatch(LABEL, text)
    if found is not None and found["file"]:
        file, line, name = found.group("file", "line", "name")
        ends = {f":{line}({form})" for form in (name, name.rpartition(".")[2])}
        typed = {file + end for end in ends}
        stripped = {basename(file) + end for end in ends}
        labels = [
            func_std_string(label)
            for label in stats.stats
            if func_std_string(func_strip_path(label)) in typed
            or func_std_string(label) in typed | stripped
        ]
        if labels:
            return Exactly(text, labels)
    try:
        re.compile(text)
    except PATTERN_ERRORS:  # a label of another profile
        return re.escape(text)
    return text


def unmatched(text: str, stats: Stats) -> str:
    """The message that no function matches."""
    sought = "tracer searches 'file:line(name)', as the table prints it"
    name = text.rpartition(".")[2]  # the end of a qualified name, which the page and the tree show
    found = name != text and name.isidentifier() and matches(name, stats)
    besides = f", and {name!r} is found there" if found else ""
    return f"no function matches {text!r}: {sought}{besides}"


def matches(pattern: str, stats: Stats) -> bool:
    """Whether pstats, which searches in the labels that it prints, finds any function."""
    return any(re.search(pattern, func_std_string(label)) for label in stats.stats)
