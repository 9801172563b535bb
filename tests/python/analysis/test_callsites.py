"""On which lines calls stand in a callgrind file: told by the source, where it leaves no doubt."""

import re

import pytest

import tracer
from launch import traced, write
from tracer.analysis.tree.call_sites import called_name, codes_of
from tracer.analysis.tree.call_tree import Row

PROGRAM = """\
import functools


def leaf():
    return 1


def twice():
    leaf()
    return (
        leaf()
    )


def made(function=leaf()):
    return [leaf() for _ in range(2)]


@functools.cache
def once():
    "one line"

    return leaf()


class Reader:
    size = len("abc")

    def __init__(self):
        self.read()

    def read(self):
        return sum(leaf() for _ in range(2))


def main():
    twice()
    made()
    once()
    Reader()
    (lambda:
        leaf())()


main()
"""


def sites_of(text, code, line):
    return codes_of(text.encode())[line, code]


def test_the_lines_of_calls_in_each_code():
    codes = codes_of(PROGRAM.encode())
    assert codes[8, "twice"] == {"leaf": {9, 11}}
    assert codes[15, "made"] == {"leaf": {16}, "range": {16}}
    assert codes[16, "<listcomp>"] == {"leaf": {16}}
    assert codes[19, "once"] == {"leaf": {23}}
    assert codes[26, "Reader"] == {"len": {27}}
    assert codes[32, "read"] == {"sum": {33}, "range": {33}}
    assert codes[33, "<genexpr>"] == {"leaf": {33}}
    assert codes[41, "<lambda>"] == {"leaf": {42}}
    assert codes[1, "<module>"] == {"leaf": {15}, "main": {45}}


def test_names_that_are_called():
    names = [("m.py", "Reader.__init__"), ("m.py", "f.<locals>.g"), ("~", "<list.append>")]
    assert [called_name(Row(file, 1, name)) for file, name in names] == ["Reader", "g", "append"]
    assert called_name(Row("m.py", 1, "__init__")) == "__init__"


def test_a_chain_of_methods_is_on_the_lines_of_the_names():
    text = "(a\n .first()\n .second())\n"
    assert sites_of(text, "<module>", 1) == {"first": {2}, "second": {3}}


@pytest.mark.parametrize(
    "text",
    [b"def (", b"\0", b"\xff\xfe", b"(" * 5000, b"a" + b".b" * 50_000 + b"()", b"x = '\\d'\n"],
    ids=["syntax", "null", "encoding", "nested", "long", "escape"],
)
def test_what_is_no_python_has_no_calls(text, recwarn):
    found = codes_of(text)
    assert sum(map(len, found.values())) <= 1
    assert not recwarn.list


def lines_of_calls(text):
    """{(caller, callee): line} of a callgrind file, and {function: its own line}."""
    names, calls, lines = {}, {}, {}
    line = callee = function = None
    for text_line in text.partition("\n\n")[2].splitlines():
        if match := re.fullmatch(r"c?fn=\((\d+)\)(?: (.*))?", text_line):
            name = names.setdefault(match[1], match[2])
            function, callee = (name, None) if text_line.startswith("fn") else (function, name)
        elif match := re.fullmatch(r"(\*|[+-]\d+) \d+", text_line):
            line = (line or 0) + (0 if match[1] == "*" else int(match[1]))
            if callee is None:
                lines[function] = line
            else:
                calls[function, callee] = line
    return calls, lines


def test_calls_of_a_profile_of_the_command(tmp_path):
    write(tmp_path / "main.py", PROGRAM)
    assert traced("-o", "profile.out", "main.py", cwd=tmp_path).returncode == 0
    tracer.Stats(tmp_path / "profile.out").export("callgrind", tmp_path / "out")
    calls, lines = lines_of_calls((tmp_path / "out").read_text())
    assert lines["twice"] == 8
    assert calls["twice", "leaf"] == 8  # there are two: no line is better than the other
    assert calls["once", "leaf"] == 23
    assert calls["main", "twice"] == 37
    assert calls["main", "Reader.__init__"] == 40
    assert calls["Reader.__init__", "Reader.read"] == 30
    assert calls["<module>", "main"] == 45


def test_a_source_that_was_edited_is_not_looked_at(tmp_path):
    text = "import os\ndef leaf(): pass\ndef main():\n    leaf()\n    os.utime(__file__)\nmain()\n"
    write(tmp_path / "main.py", text)
    assert traced("-o", "profile.out", "main.py", cwd=tmp_path).returncode == 0
    stats = tracer.Stats(tmp_path / "profile.out")
    stats.export("callgrind", tmp_path / "out")
    calls, _ = lines_of_calls((tmp_path / "out").read_text())
    [source] = stats.captures[0].sources.values()
    assert calls["main", "leaf"] == (3 if source.changed else 4)
