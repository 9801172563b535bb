"""The tutorial, docs/first-profile.md, is played from its first block to its last in one folder.

A block of Python is a file, whose name it begins with, or what comes in the place of some of the
functions of that file. A block of the shell prints what the page says.
"""

import ast
import re

import pytest

from docblocks import TUTORIAL, split
from docworld import World, compare, parts, said

FILE = re.compile(r"# (\w+\.py)(?:: in the place of ([\w, ]+))?$")


def test_the_tutorial(tmp_path):
    world = World(tmp_path)
    blocks, _ = split(TUTORIAL)
    assert {block.kind for block in blocks} == {"python", "indented"}
    for block in blocks:
        if block.kind == "python":
            name, replaced = FILE.match(block.first).groups()
            path = tmp_path / name
            if replaced:
                new = block.text.partition("\n")[2]
                path.write_text(mended(path.read_text(), replaced.split(", "), new))
            else:
                path.write_text(f"{block.text}\n")
            continue
        for command, printed in parts(block):
            assert printed is not None, f"{block} does not say what {command} prints"
            unlimited = re.sub(r" --limit \d+", "", command)
            compare(printed, said(world, command), said(world, unlimited))


def mended(text, names, new):
    """The text of a file with `new` in the place of these functions, which follow each other."""
    functions = {node.name: node for node in ast.parse(text).body if hasattr(node, "name")}
    lines = text.splitlines()
    first, last = functions[names[0]], functions[names[-1]]
    return "\n".join([*lines[: first.lineno - 1], new, *lines[last.end_lineno :]]) + "\n"


def test_a_function_that_is_not_there_cannot_be_replaced():
    with pytest.raises(KeyError):
        mended("def work(): pass\n", ["rest"], "")
