"""No output is made by taking a finished text apart: what is printed knows what it is made of."""

import ast
from pathlib import Path

import tracer

PACKAGE = Path(tracer.__file__).parent
# What reads text that people typed, or escapes what a terminal would act on.
READERS = {"cli/suggestions.py", "cli/colors.py"}
LAYERS = ("results", "report", "cli")


def modules_with_expressions(layers=LAYERS, of="re"):
    for layer in layers:
        for path in (PACKAGE / layer).rglob("*.py"):
            tree = ast.parse(path.read_text())
            imports = (it for it in ast.walk(tree) if isinstance(it, ast.Import))
            if any(name.name == of for it in imports for name in it.names):
                yield path.relative_to(PACKAGE).as_posix()


def test_no_expression_looks_at_finished_text():
    assert set(modules_with_expressions()) == READERS


def test_the_search_finds_what_there_is():
    assert "page/bundle.py" in set(modules_with_expressions(["page"]))
