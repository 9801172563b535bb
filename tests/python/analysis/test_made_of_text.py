"""Functions that exec() made of a text, as dataclasses does: whose they are."""

import json

import pytest

import pages
import tracer
from launch import traced, write
from tracer.analysis.tree.call_tree import Paths, Row, paths_of

pytestmark = pytest.mark.versions

APP, LIBRARY = "/src/app.py", "/usr/lib/python3.12"
ROWS = [
    Row(APP, 1, "main"),
    Row(f"{LIBRARY}/site-packages/lib/points.py", 1, "draw"),
    Row(f"{LIBRARY}/dataclasses.py", 1, "dataclass"),
    Row("~", 0, "<built-in method builtins.exec>"),
    Row("<string>", 2, "__create_fn__.<locals>.__init__"),
    Row("<string>", 1, "<module>"),
]
MAIN, DRAW, DATACLASS, EXEC, MADE, TEXT = range(6)


def module_of(row, *trees):
    return Paths(ROWS, [pages.tree_of(*nodes) for nodes in trees]).modules[row]


def calls(*rows, times=1):
    """The nodes of a chain of calls, of which the last was made so many times."""
    *others, last = enumerate(rows, 1)
    return [*((depth, row, 1, 0, 1) for depth, row in others), (last[0], last[1], times, 0, 1)]


def test_they_are_of_the_module_that_called_them_most():
    own, site = calls(MAIN, MADE, times=3), calls(DRAW, MADE, times=2)
    assert module_of(MADE, own, site) == ("app", "app", "own")
    assert module_of(MADE, own, site, site) == ("lib.points", "lib", "site")
    assert module_of(MADE, [*own, *site, *site]) == ("lib.points", "lib", "site")


def test_what_makes_them_for_others_is_no_caller():
    assert module_of(MADE, calls(DRAW, DATACLASS, EXEC, TEXT, MADE)).name == "lib.points"


def test_so_are_those_whose_text_has_a_name():
    rows = [*ROWS, Row("<template>", 1, "root"), Row("<ipython-input-3>", 1, "typed")]
    tree = pages.tree_of(*calls(MAIN, DRAW, 6), *calls(MAIN, DRAW, 7))
    modules = Paths(rows, [tree]).modules
    assert modules[6] == ("lib.points", "lib", "site")
    assert modules[7] == ("__main__", "__main__", "own")  # that of all cells


def test_the_text_itself_is_not_the_module():
    assert module_of(TEXT, calls(MAIN, DATACLASS, EXEC, TEXT)) == ("app.<string>", "app", "own")


def test_what_nobody_called_is_of_no_module():
    assert module_of(MADE, calls(MADE)) == ("<string>", "<string>", "own")
    assert module_of(MADE, calls(DATACLASS, EXEC, MADE)) == ("<string>", "<string>", "own")
    assert module_of(MADE, []) == ("<string>", "<string>", "own")


DECORATORS = f"{LIBRARY}/site-packages/networkx/utils/decorators.py"
WRAPPED = "<class 'networkx.utils.decorators.argmap'> compilation 36"


@pytest.mark.parametrize(
    ("file", "name", "expected"),
    [
        (WRAPPED, "argmap_path_33", ("networkx.utils.decorators", "networkx", "site")),
        (WRAPPED, "<module>", (f"networkx.utils.decorators.{WRAPPED}", "networkx", "site")),
        ("<lib.made.of.nothing>", "init", ("lib", "lib", "site")),
        ("<lib.points.Point>", "init", ("lib.points", "lib", "site")),
        ("<lib.points of networkx.Graph>", "init", ("networkx", "networkx", "site")),
        ("<networkx.Graph of other.Point>", "init", ("networkx", "networkx", "site")),
        ("<dataclasses.dataclass>", "init", ("app", "app", "own")),
        ("<attrs generated init __main__.Item>", "init", ("app", "app", "own")),
        ("<lib>", "init", ("app", "app", "own")),
        ("<made of /lib.points/networkx.py/x>", "init", ("app", "app", "own")),
        ("<made of lib.points.d/x>", "init", ("app", "app", "own")),
    ],
)
def test_a_file_may_name_the_module(file, name, expected):
    rows = [*ROWS, Row(DECORATORS, 1, "__call__"), Row(file, 1, name)]
    tree = pages.tree_of(*calls(MAIN, 7, times=3), *calls(MAIN, DRAW, 6))
    assert Paths(rows, [tree]).modules[7] == expected


def test_what_a_file_names_may_be_of_the_program():
    made = Row("<attrs generated init shop.models.Item>", 1, "__init__")
    rows = [*ROWS, Row("/src/shop/__init__.py", 1, "<module>"), made]
    modules = Paths(rows, [pages.tree_of(*calls(DRAW, 7))]).modules
    assert modules[7] == ("shop", "shop", "own")


def test_a_function_whose_file_names_a_module_is_a_caller():
    rows = [*ROWS, Row(DECORATORS, 1, "__call__"), Row(WRAPPED, 1, "argmap_path_33")]
    modules = Paths(rows, [pages.tree_of(*calls(MAIN, 7, MADE))]).modules
    assert modules[MADE] == ("networkx.utils.decorators", "networkx", "site")


def test_other_rows_are_of_their_files():
    paths = Paths(ROWS, [pages.tree_of(*calls(DRAW, MADE))])
    assert [module.name for module in paths.modules[:MADE]] == [
        "app",
        "lib.points",
        "dataclasses",
        "",
    ]


DATA = """
from dataclasses import dataclass

@dataclass
class Point:
    x: int

for number in range(9):
    Point(number)
"""


def test_a_dataclass_is_of_the_program(tmp_path):
    program, out = write(tmp_path / "shapes.py", DATA), tmp_path / "x.out"
    assert traced("-o", out, program).returncode == 0
    paths = paths_of(tracer.Stats(out))
    [module] = [
        module
        for row, module in zip(paths.rows, paths.modules, strict=True)
        if row.file == "<string>" and row.name.endswith("__init__")
    ]
    assert module == ("shapes", "shapes", "own")
    assert traced("export", "--to", "json", "-o", tmp_path / "x.json", out).returncode == 0
    [told] = [
        function["module"]
        for function in json.loads((tmp_path / "x.json").read_text())["functions"]
        if function["file"] == "<string>" and function["name"].endswith("__init__")
    ]
    assert told == "shapes"
