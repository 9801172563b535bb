"""The Python modules, run from .pyc files in which each statement first sets a byte of a file that
all processes share. A branch is a block: of an if, an else, a loop, a handler."""

from __future__ import annotations

import ast
import mmap
from pathlib import Path

from reach import mark_modules
from report import File, Line
from tree import Tree


class Marked:
    def __init__(self, tree: Tree, hits: Path) -> None:
        self.tree, self.hits = tree, hits
        self.places = mark_modules(tree, hits)
        hits.write_bytes(bytes(len(self.places)))

    def files(self) -> list[File]:
        files: dict[str, dict[int, Line]] = {}
        with self.hits.open("rb") as file:
            hits = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        for at, (name, number) in self.places.items():
            line = files.setdefault(name, {}).setdefault(number, Line(False, []))
            line.reached = line.reached or hits[at] != 0
        for name, lines in files.items():
            leave_out(self.tree.place / name, lines)
        return [File(name, lines) for name, lines in sorted(files.items())]


def leave_out(path: Path, lines: dict[int, Line]) -> None:
    """Takes out what only type checkers read; makes the first line of each block a branch."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            last = node.body[-1].end_lineno or 0
            for number in range(node.body[0].lineno, last + 1):
                lines.pop(number, None)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in (getattr(node, name, None) for name in ("body", "orelse")):
                if isinstance(block, list) and block and block[0].lineno in lines:
                    line = lines[block[0].lineno]
                    line.branches = [line.reached]
