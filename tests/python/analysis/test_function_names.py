"""Every name that is printed anywhere names its function, wherever an option takes one."""

import json
import re
import subprocess
import sys
from pstats import func_std_string, func_strip_path

import pytest

import tracer
from launch import good, refused, traced, write
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.function_names import FunctionNames, names_of
from tracer.exports.names import placed_names, unique_names

MAIN = """\
import json
from shop import stock


class Counter:
    def count(self, things):
        return [len(thing) for thing in things] + list(map(self.size, things))

    def size(self, thing):
        return max(thing, key=lambda part: -part)

    @staticmethod
    def pairs():
        def inner():
            yield 1

        return {a: 1 for a in inner()}


def twice():
    one = lambda: 1
    other = lambda: [].append(2)
    return one(), other()


def main():
    Counter().count([[1, 2], [3]])
    Counter.pairs()
    twice()
    stock.size()
    json.loads("[1]")


main()
"""
STOCK = """\
def size():
    return sorted([2, 1])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    write(folder / "app" / "main.py", MAIN)
    write(folder / "app" / "shop" / "__init__.py", "")
    write(folder / "app" / "shop" / "stock.py", STOCK)
    for name, options in (("calls", []), ("lines", ["--lines"])):
        traced(*options, "-o", f"{name}.out", "app/main.py", cwd=folder)
    return folder


def rows_in(text):
    """The names in a table of functions, of lines, or in a tree."""
    blank = "\ue000"  # for those of the folder of this clone
    text = text.replace(sys.prefix, sys.prefix.replace(" ", blank))
    found = re.findall(
        r"(\{[^:}]*\}|(?:<[^<>]+>|[^\s│├└(]*):\d+\([^()]*\))(?=$|\s|->|<-)", text, re.M
    )
    assert len(found) >= 2
    return [row.replace(blank, " ") for row in found]


TABLES = {
    "functions": ["calls.out", "--limit=0"],
    "functions without folders": ["calls.out", "--strip-dirs", "--limit=0"],
    "tree": ["calls.out", "--tree", "--min=0"],
    "tree without folders": ["calls.out", "--tree", "--min=0", "--strip-dirs"],
    "resumes": ["calls.out", "--resumes"],
    "suspended": ["calls.out", "--suspended"],
    "callers": ["calls.out", "--callers", ".", "--limit=0"],
    "callees": ["calls.out", "--callees", ".", "--limit=0"],
    "lines": ["lines.out", "--lines", "--limit=99"],
    "lines without folders": ["lines.out", "--lines", "--limit=99", "--strip-dirs"],
}


@pytest.mark.parametrize("table", TABLES)
def test_names_of_tables(folder, table):
    text = good("show", "--no-header", *TABLES[table], cwd=folder)
    names = names_of(tracer.Stats(folder / TABLES[table][0]))
    for row in rows_in(text):
        name = re.fullmatch(r"(?:.*\(|\{)(.*?)[)}]", row)[1]
        assert names.named(row), row
        for found in names.named(row):
            assert {name, f"<{name}>"} & {found.label[2], found.qualified[2]}, row


def test_names_of_tables_of_lines(folder):
    text = good("show", "lines.out", "--lines", "--summarize", cwd=folder)
    names = names_of(tracer.Stats(folder / "lines.out"))
    functions = re.findall(r"^Function: (.*) at line (\d+)$", text, re.M)
    assert ("Counter.size", "9") in functions
    for name, line in functions:
        for form in (f"Function: {name} at line {line}", f"{name} at line {line}", name):
            assert name in {it.name for it in names.named(form)}, form
    sums = re.findall(r"^ *[\d.]+ seconds - .*$", text, re.M)
    assert len(sums) == len(functions)
    for line in sums:
        for form in (line, line.strip(), line.partition(" - ")[2]):
            assert names.choose(form).labels == names.choose(line).labels != frozenset()


LONG = "a_name_that_is_longer_than_any_line_has_room_for" * 3
DEEP = f"""
import json, re

def {LONG}(depth):
    return [json.dumps([number]) for number in range(400 * depth)]

def outer():
    return inner()

def inner():
    return sorted({LONG}(2), key=lambda text: re.sub("1", "2", text))

outer()
"""


def test_names_of_the_first_screen(tmp_path):
    write(tmp_path / "deep.py", DEEP)
    traced("-o", "deep.out", "deep.py", cwd=tmp_path)
    text = good("show", "--no-header", "deep.out", cwd=tmp_path)
    tables = [part for part in text.split("\n\n") if "      %  " in part]
    # Names stand behind the calls; on a busy machine there is a column of waits, too.
    rows = [row[table.index("calls") + 7 :] for table in tables for row in table.splitlines()[1:]]
    names = names_of(tracer.Stats(tmp_path / "deep.out"))
    assert any("…" in row for row in rows) and len(rows) > 5
    for row in rows:
        if "others" not in row:
            for form in (row, row.lstrip(" │├└─")):
                assert names.named(form), (form, text)
    assert {it.name for it in names.named("├─ outer › inner  deep.py:10")} == {"inner"}  # noqa: RUF001
    assert {it.name for it in names.named("inner.<lambda>")} == {"inner.<locals>.<lambda>"}
    assert {it.name for it in names.named("a_name…_for  deep.py:4")} == {LONG}
    assert {it.module.package for it in names.named("json (dumps, loads)")} == {"json"}
    assert {it.name for it in names.named("import json  json/__init__.py:1")} == {"<module>"}


def test_names_of_a_diff(folder):
    stats = [tracer.Stats(folder / "calls.out", names="qualname") for _ in range(2)]
    comparison = tracer.compare(*stats)
    for change in comparison.changes:
        row, short = map(func_std_string, (change.label, func_strip_path(change.label)))
        for form in (row, short, change.name):
            assert change in comparison.only(form).changes, form
    assert {it.name for it in comparison.only("{built-in method builtins.max}").changes} == {
        "<builtins.max>"
    }
    only = ("--only", "main.Counter.size", "--json")
    found = json.loads(good("diff", "calls.out", "calls.out", *only, cwd=folder))
    assert [it["name"] for it in found["functions"]] == ["Counter.size"]
    said = refused("diff", "calls.out", "calls.out", "--only=Cuonter", cwd=folder)
    assert said.startswith("no function matches 'Cuonter' in either file; the nearest: ")


def test_names_of_pictures_and_of_the_page(folder):
    stats = tracer.Stats(folder / "calls.out")
    paths, names = paths_of(stats), names_of(stats)
    forms = zip(paths.rows, paths.modules, placed_names(paths), unique_names(paths), strict=True)
    for row, module, placed, unique in forms:
        label = f"{module.name}.{row.name}" if module.name else row.name
        page = [row.name, label, f"{label}:{row.line}"]
        page += [f"{row.file}:{row.line}"] if module.name else []
        for form in (placed, unique, *page):
            assert tuple(row) in names.choose(form).qualified, form
        assert names.choose(unique).qualified == {tuple(row)} or unique.count("lambda")


@pytest.fixture(scope="module")
def names(folder):
    """Those of the program, and builtins."""
    names = names_of(tracer.Stats(folder / "calls.out"))
    return FunctionNames(it for it in names.functions if it.file == "~" or str(folder) in it.file)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("size", ["Counter.size", "size"]),
        ("Counter.size", ["Counter.size"]),
        ("main.Counter.size", ["Counter.size"]),
        ("main:Counter.size", ["Counter.size"]),
        ("stock:size", ["size"]),
        ("shop.stock:size", ["size"]),
        ("shop.stock.size", ["size"]),
        ("stock.py:1(size)", ["size"]),
        ("shop/stock.py:1(size)", ["size"]),
        ("app/shop/stock.py:1(size)", ["size"]),
        ("./app/shop/stock.py:1(size)", ["size"]),
        ("  stock.py:1(size)\n", ["size"]),
        ("stock.py:1", ["<module>", "size"]),
        ("main.py:9(Counter.size)", ["Counter.size"]),
        ("size (shop.stock:1)", ["size"]),
        ("size (stock.py:1)", ["size"]),
        ("size[2]", ["Counter.size", "size"]),
        ("size#2", ["Counter.size", "size"]),
        ("inner", ["Counter.pairs.<locals>.inner"]),
        ("Counter.pairs.<locals>.inner", ["Counter.pairs.<locals>.inner"]),
        ("twice.<locals>.<lambda>", ["twice.<locals>.<lambda>"] * 2),
        ("<lambda>", ["Counter.size.<locals>.<lambda>", *["twice.<locals>.<lambda>"] * 2]),
        ("max", ["builtins.max"]),
        ("builtins.max", ["builtins.max"]),
        ("<builtins.max>", ["builtins.max"]),
        ("{builtins.max}", ["builtins.max"]),
        ("{built-in method builtins.max}", ["builtins.max"]),
        ("built-in method builtins.max", ["builtins.max"]),
        ("{method 'append' of 'list' objects}", ["list.append"]),
        ("list.append", ["list.append"]),
        ("Coun.*size$", ["Counter.size"]),
        ("^size", ["size"]),
        ("Siz", []),
        ("", "all"),
    ],
)
def test_what_a_text_names(names, text, found):
    chosen = sorted(it.name for it in names.choose(text).functions)
    assert chosen == (sorted(it.name for it in names.functions) if found == "all" else found)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="comprehensions are calls up to 3.11")
def test_a_comprehension(names):
    for form in ("<listcomp>", "Counter.count.<locals>.<listcomp>", "main.py:7(<listcomp>)"):
        [found] = names.choose(form).functions
        assert found.name == "Counter.count.<locals>.<listcomp>"


def test_a_path_from_another_folder(folder, names, monkeypatch):
    monkeypatch.chdir(folder / "app" / "shop")
    [found] = names.choose("../main.py:26(main)").functions
    assert found.name == "main"
    assert not names.choose("../shop/main.py:26(main)")


def test_files_of_other_profilers(folder):
    program = "import cProfile\ncProfile.run('max([1], key=abs)', 'c.out')\n"
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
    names = names_of(tracer.Stats(folder / "c.out"))
    for form in ("{built-in method builtins.max}", "{builtins.max}", "builtins.max", "max"):
        [found] = names.choose(form).functions
        assert found.label == ("~", 0, "<built-in method builtins.max>")
    [found] = names.choose("<string>:1(<module>)").functions
    assert found.label == ("<string>", 1, "<module>")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("cuonter.size", "the nearest: Counter.size"),
        ("Siz", "the nearest: Counter.size, size"),
        ("main.py:1(twicee)", "the nearest: twice"),
        ("qqqq", "give a name as a table or the page prints it, or a regular expression"),
    ],
)
def test_the_nearest_are_named(names, text, advice):
    said = names.unmatched(text)
    assert said.startswith(f"no function matches {text!r}; {advice}")


def test_a_profile_without_functions():
    names = FunctionNames(())
    assert not names.choose("x")
    assert names.unmatched("x").startswith("no function matches 'x'; give a name ")


WRAPPERS = """
import functools

def retry(times):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args)
        return wrapper
    return decorator

def checked(function):
    def passing(*args):
        return function(*args)
    return passing

class Counted:
    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        return self.function(*args)

@retry(3)
def upload(part): return part

@checked
def net(price): return price

@Counted
def load(): upload(net(1))

load()
"""


def test_names_of_wrappers_by_what_they_wrap(tmp_path):
    write(tmp_path / "wraps.py", WRAPPERS)
    traced("-o", "wraps.out", "wraps.py", cwd=tmp_path)
    names = names_of(tracer.Stats(tmp_path / "wraps.out"))
    wrapper = "retry.<locals>.decorator.<locals>.wrapper"
    for text, found in (
        ("retry(upload)", {wrapper}),
        ("retry(net, upload, …)", {wrapper}),
        ("retry(upload)  wraps.py:6", {wrapper}),
        ("  └─ load › retry(upload)  wraps.py:6", {wrapper}),  # noqa: RUF001
        ("re…load)  wraps.py:6", {wrapper}),
        ("upload  wraps.py:6", {wrapper}),  # as a library's is named
        ("checked(net)", {"checked.<locals>.passing"}),
        ("Counted(load)", {"Counted.__call__"}),
        ("retry(uplaod)", set()),
        ("upload  wraps.py:7", set()),
        ("checked(net)  wraps.py:6", set()),
    ):
        assert {it.name for it in names.named(text)} == found, text
    text = good("show", "--no-header", "wraps.out", "--callers", "retry(upload)", cwd=tmp_path)
    assert "wraps.py:6(wrapper)" in text and "(load)" in text
