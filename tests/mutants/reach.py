"""Which tests reach which lines of the extension and of python/tracer: one run of all tests.

Nothing is traced, as the tests trace: the Python modules are run from .pyc files in which each
statement first sets a byte, the extension is compiled so that each block does. The bytes are in
files that all processes of a test share. `recording.py` runs the tests.
"""

from __future__ import annotations

import ast
import bisect
import importlib.util
import json
import os
import subprocess
from collections import defaultdict
from importlib._bootstrap_external import _code_to_hash_pyc
from pathlib import Path

from tree import CFLAGS, Tree

Test = tuple[str, str]  # the back end it runs with, and pytest's name of it

# Tests of the tools around the package, not of what is mutated.
OTHERS = ["benchmarks", "build_refusals", "code_mutants", "coverage", "regrtest", "stress"]
NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # plugins take most of pytest's start
C_ROOM = 2**21  # bytes, more than the extension has of code
OPEN_HITS = """
import builtins
if not hasattr(builtins, "tracer_hits"):
    import mmap
    with open({path!r}, "r+b") as file:
        builtins.tracer_hits = mmap.mmap(file.fileno(), 0)
    del file, mmap
del builtins
"""


class Marks(ast.NodeTransformer):
    """Makes each statement of a module set a byte first; `lines` has the lines of these bytes."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.lines: list[int] = []

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                setattr(node, name, self.marked(block))
        return node

    def marked(self, block: list[ast.stmt]) -> list[ast.stmt]:
        new = []
        for statement in block:
            if not is_first(statement):
                mark = f"tracer_hits[{self.first + len(self.lines)}] = 1"
                new += [self.placed(mark, statement)]
                self.lines.append(statement.lineno)
            new.append(statement)
        return new

    @staticmethod
    def placed(text: str, beside: ast.stmt) -> ast.stmt:
        statement = ast.parse(text).body[0]
        for node in ast.walk(statement):
            ast.copy_location(node, beside)
        return statement


def is_first(statement: ast.stmt) -> bool:
    """Whether it may have to stand first: a docstring, an import of the future."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def mark_modules(tree: Tree, hits: Path) -> dict[int, tuple[str, int]]:
    """Writes the .pyc files; returns the file and line of each byte."""
    places: dict[int, tuple[str, int]] = {}
    for path in sorted(tree.package.rglob("*.py")):
        marks = Marks(len(places))
        module = marks.visit(ast.parse(path.read_bytes()))
        name = str(path.relative_to(tree.place))
        places |= {marks.first + i: (name, line) for i, line in enumerate(marks.lines)}
        if name == "python/tracer/__init__.py":
            after = 1 + max(i for i, node in enumerate(module.body) if is_first(node))
            opening = ast.parse(OPEN_HITS.format(path=str(hits))).body
            module.body[after:after] = opening
        code = compile(ast.fix_missing_locations(module), str(path), "exec")
        pyc = Path(importlib.util.cache_from_source(str(path)))
        pyc.parent.mkdir(exist_ok=True)
        pyc.write_bytes(_code_to_hash_pyc(code, bytes(8), checked=False))
    return places


def c_places(tree: Tree) -> dict[int, tuple[str, int]]:
    """The file and line of each address that may be noted."""
    listing = ["objdump", "-d", "--no-show-raw-insn", str(tree.extension)]
    said = tree.run(listing, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    calls = (i for i, line in enumerate(said) if "<__sanitizer_cov_trace_pc" in line)
    addresses = [said[i + 1].split(":")[0].strip() for i in calls if "call" in said[i]]
    addresses = [address for address in addresses if address]
    asked = ["addr2line", "-e", str(tree.extension), *addresses]
    said = tree.run(asked, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    places = {}
    for address, answer in zip(addresses, said, strict=True):
        path, _, line = answer.split(" ")[0].rpartition(":")
        if line.isdigit():
            places[int(address, 16)] = (os.path.relpath(path, tree.place), int(line))
    return places


def record(tree: Tree, folder: Path, tests: list[str]) -> None:
    """Runs tests with each back end and adds what they reach to what the folder keeps."""
    hits, c_hits = folder / "hits", folder / "c_hits"
    places = mark_modules(tree, hits)
    hits.write_bytes(bytes(len(places)))
    c_hits.write_bytes(bytes(C_ROOM))
    here = Path(__file__).parent
    noting = folder / "reach.o"
    compiler = ["cc", "-O1", "-fPIC", f'-DHITS="{c_hits}"', "-c", str(here / "reach.c")]
    subprocess.run([*compiler, "-o", str(noting)], check=True)
    tree.build(f"{CFLAGS} -g -fsanitize-coverage=trace-pc", f"{noting}")
    shift = len(places)
    places |= {shift + at: place for at, place in c_places(tree).items()}
    (folder / "places.json").write_text(json.dumps(places))
    for backend in tree.backends():
        out = folder / f"reached-{backend}.jsonl"
        words = [tree.python, str(here / "recording.py"), str(hits), str(c_hits), str(out), *tests]
        words += [f"--ignore-glob=*/test_{name}.py" for name in OTHERS]
        tree.run(words, env={**os.environ, **NO_PLUGINS, "TRACER_BACKEND": backend})
    tree.make()


class Reach:
    """What `record` has kept: for a line, the tests that reach it, and how long each takes."""

    def __init__(self, folder: Path) -> None:
        self.places = {
            int(at): tuple(place)
            for at, place in json.loads((folder / "places.json").read_text()).items()
        }
        self.seconds: dict[Test, float] = {}
        self.failed: set[Test] = set()
        self.tests: dict[tuple[str, int], list[Test]] = defaultdict(list)
        for path in sorted(folder.glob("reached-*.jsonl")):
            for line in path.read_text().splitlines():
                self.take(path.stem.partition("-")[2], json.loads(line))
        self.lines: dict[str, list[int]] = defaultdict(list)
        for path, line in sorted(set(self.places.values())):
            self.lines[path].append(line)

    def take(self, backend: str, entry: dict) -> None:
        test = backend, entry["test"]
        self.seconds[test] = entry["seconds"]
        if entry["failed"]:
            self.failed.add(test)
        for place in {self.places[at] for at in entry["hits"] if at in self.places}:
            self.tests[place].append(test)

    def of(self, path: str, line: int, text: str, *, widely: bool = False) -> list[Test]:
        """The tests that reach the statement or block in which the line of the file stands; `text`
        is the file's. Code outside functions counts for every test that calls one of them. widely:
        the tests that reach the C function, as the compiler may count a line to another block."""
        lines = self.lines[path]
        if path.endswith(".py"):
            bodies = [*map(body_of, functions_in(text))]
            if not any(line in body for body in bodies):
                inside = [one for one in lines if any(one in body for body in bodies)]
                return sorted({test for one in inside or lines for test in self.tests[path, one]})
        if not lines:  # a header's constants: what they change is anywhere
            return sorted(self.seconds)
        at = max(bisect.bisect_right(lines, line) - 1, 0)
        body = c_body_around(line, text) if widely else range(0)
        near = [lines[at], *(one for one in lines if one in body)]
        return list(dict.fromkeys(test for one in near for test in self.tests[path, one]))


def c_body_around(line: int, text: str) -> range:
    """The lines of the C function in which a line stands; none outside of functions."""
    braces = [(n, one) for n, one in enumerate(text.splitlines(), 1) if one in ("{", "}")]
    before = [(n, one) for n, one in braces if n <= line]
    after = [n for n, one in braces if n > line and one == "}"]
    return range(before[-1][0], after[0]) if before and before[-1][1] == "{" and after else range(0)


def functions_in(text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    nodes = ast.walk(ast.parse(text))
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def body_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> range:
    """The lines of the function's body."""
    return range(function.body[0].lineno, (function.end_lineno or 0) + 1)
