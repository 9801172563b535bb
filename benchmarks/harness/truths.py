"""The programs of programs/first, and what each states about itself.

A program is a file, or a folder. At its top it has lines `# function: find`, which make its Truth.
It runs in a copy of its folder, so that nothing is left behind. `measured` checks the share that it
states, without a profiler.
"""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from harness import plain_clock
from harness.figures import Figure
from harness.report import complain

FOLDER = Path(__file__).parents[1] / "programs" / "first"
LINE = re.compile(r"# (function|share|caller|words|command|clock): (.+)")
IMPORT = "from plain_clock import clock, clocked, clocked_method"
STDLIB = sysconfig.get_path("stdlib")  # {stdlib} in a command
PATIENCE = 120  # seconds for one run


@dataclass(frozen=True)
class Truth:
    """What the first screen is to say. function: a name, as is caller; "" for no caller. share: of
    the real time, in percent. words: regular expressions. clock: what `measured` takes for the
    function, where it is not that. files: of the program, without folders."""

    name: str
    function: str
    share: float
    caller: str
    words: tuple[str, ...]
    command: tuple[str, ...]
    clock: str
    files: tuple[str, ...] = ()


def names() -> list[str]:
    made = [path for path in FOLDER.iterdir() if path.suffix == ".py" or has_sources(path)]
    return sorted(path.stem for path in made)


def has_sources(path: Path) -> bool:
    return path.is_dir() and any(path.rglob("*.py"))


def files_of(name: str) -> list[Path]:
    file = FOLDER / f"{name}.py"
    return [file] if file.exists() else sorted((FOLDER / name).rglob("*.py"))


def truth_of(name: str) -> Truth:
    """Raises ValueError where the program does not state a function and its share."""
    files = files_of(name)
    truth = parsed(name, "\n".join(file.read_text() for file in files))
    return replace(truth, files=tuple(file.name for file in files))


def parsed(name: str, text: str) -> Truth:
    stated: dict[str, list[str]] = {}
    for line in text.splitlines():
        if found := LINE.fullmatch(line):
            stated.setdefault(found[1], []).append(found[2])
    one = {kind: lines[0] for kind, lines in stated.items()}
    if not one.keys() >= {"function", "share"}:
        raise ValueError(f"{name} states no function, or no share")
    return Truth(
        name,
        one["function"],
        float(one["share"]),
        one.get("caller", ""),
        tuple(stated.get("words", ())),
        tuple(shlex.split(one.get("command", f"{name}.py").format(stdlib=STDLIB))),
        one.get("clock", one["function"]),
    )


# -- Running a program -----------------------------------------------------------------------------


@contextmanager
def copied(name: str) -> Iterator[Path]:
    """A folder with the program alone, which is gone after that."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made, name)
        if (FOLDER / name).is_dir():
            shutil.copytree(FOLDER / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir()
            shutil.copy(FOLDER / f"{name}.py", folder)
        yield folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`python WORDS` in the folder, with lines of 110 columns and one order of sets."""
    environment = {**os.environ, "COLUMNS": "110", "PYTHONHASHSEED": "0", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=folder,
        env=environment,
    )


# -- The share, by a clock around the function -----------------------------------------------------


def measured(truth: Truth) -> Figure:
    """The share of the function in a plain run, in percent. None, with a line on stderr, where the
    program fails."""
    with copied(truth.name) as folder:
        shutil.copy(plain_clock.__file__, folder)
        for file in sorted(folder.rglob("*.py")):
            if file.name != "plain_clock.py":
                give_clock(file, truth.clock)
        found = folder / "found.json"
        done = run(folder, "plain_clock.py", str(found), truth.clock, *truth.command)
        if done.returncode or not found.exists():
            complain(f"{truth.name} ended with status {done.returncode}: {done.stderr[-300:]}")
            return None
        told = json.loads(found.read_text())
    return 100 * told["seconds"] / told["whole"]


def give_clock(file: Path, target: str) -> None:
    """Writes the clock into a file that has the target: `name`, `Class.name`, `import name`."""
    tree = ast.parse(file.read_text())
    given = ClockGiver(target)
    tree = given.visit(tree)
    if given.is_given:
        after = sum(is_first(statement) for statement in tree.body)
        tree.body[after:after] = ast.parse(IMPORT).body
        file.write_text(ast.unparse(ast.fix_missing_locations(tree)))


def is_first(statement: ast.stmt) -> bool:
    """Whether nothing may stand above it: a docstring, or an import of __future__."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


class ClockGiver(ast.NodeTransformer):
    """Decorates the function, or the class that has it made; puts an import into the clock."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.within: list[str] = []
        self.is_given = False

    def visit_FunctionDef(self, node):
        self.within.append(node.name)
        self.generic_visit(node)
        if ".".join(self.within) == self.target:
            node.decorator_list.append(ast.Name("clocked", ast.Load()))
            self.is_given = True
        self.within.pop()
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.within.append(node.name)
        self.generic_visit(node)
        own, _, name = self.target.rpartition(".")
        defined = {it.name for it in node.body if isinstance(it, ast.FunctionDef)}
        if ".".join(self.within) == own and name not in defined:
            call = ast.parse(f"clocked_method({name!r})", mode="eval").body
            node.decorator_list.insert(0, call)
            self.is_given = True
        self.within.pop()
        return node

    def visit_Import(self, node):
        return self.around(node, [alias.name for alias in node.names])

    def visit_ImportFrom(self, node):
        return self.around(node, [node.module or ""])

    def around(self, node, modules):
        wanted = self.target.removeprefix("import ")
        if not self.target.startswith("import ") or not any(
            f"{module}.".startswith(f"{wanted}.") for module in modules
        ):
            return node
        self.is_given = True
        return ast.With([ast.withitem(ast.Name("clock", ast.Load()))], [node])
