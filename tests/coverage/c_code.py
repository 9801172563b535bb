"""The C sources, counted by gcc --coverage and read by gcov."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path

from report import File, Line
from tree import Tree

COUNTED = "-O0 -g -UNDEBUG -MMD --coverage"


def build(tree: Tree) -> None:
    """Builds the extension and the Check program with counters, to which all processes add."""
    tree.build(COUNTED, "--coverage")
    for command in tree.check_commands():
        tree.run(command, check=True)
    tree.run([*tree.check_link({}), "--coverage"], check=True)


def layers(tree: Tree) -> tuple[list[File], list[File]]:
    """The files of the core, and those of the rest."""
    counts: dict[str, dict[int, Line]] = defaultdict(dict)
    for path in sorted(tree.place.rglob("*.gcda")):
        command = ["gcov", "--json-format", "--branch-probabilities", "--stdout", str(path)]
        said = tree.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for text in said.stdout.splitlines():
            for file in json.loads(text)["files"]:
                name = Path(tree.place, file["file"]).resolve()
                if name.is_relative_to(tree.place / "ext") and name.exists():
                    add(counts[str(name.relative_to(tree.place))], file["lines"])
    files = [File(name, lines) for name, lines in sorted(counts.items())]
    core = [file for file in files if file.name.startswith("ext/core/")]
    return core, [file for file in files if file not in core]


def add(known: dict[int, Line], lines: list[dict]) -> None:
    for entry in lines:
        number = entry["line_number"]
        taken = [branch["count"] > 0 for branch in entry["branches"]]
        line = known.setdefault(number, Line(False, [False] * len(taken)))
        line.reached = line.reached or entry["count"] > 0
        if len(taken) == len(line.branches):  # an inline function may be compiled in several ways
            line.branches = [one or other for one, other in zip(line.branches, taken, strict=True)]
