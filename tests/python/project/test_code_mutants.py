"""`make mutants` changes what it should, and nothing else. Mutated profile files are another
matter: test_mutants.py."""

import importlib
import json
import sys
import threading

import pytest

from places import TESTS

TOOL = TESTS / "mutants"


@pytest.fixture(scope="module")
def tool():
    """The tool's modules. They import each other, by short names that are not left behind."""
    names = ["changes", "tree", "reach", "trial", "survivors", "mutants"]
    sys.path.insert(0, str(TOOL))
    yield {name: importlib.import_module(name) for name in names}
    sys.path.remove(str(TOOL))
    for name in names:
        del sys.modules[name]


def changed(find, text):
    """The lines that the changes make, without the blanks around them."""
    lines = []
    for change in find(text):
        number = text.count("\n", 0, change.offset)
        lines.append(change.applied(text).splitlines()[number].strip())
    return sorted(lines)


# By what it is about: a line of C, and the lines that it may become.
C_LINES = {
    "an operator": ("x = a + b;", ["x = a - b;"]),
    "operators with two replacements": ("x = a < b;", ["x = a <= b;", "x = a >= b;"]),
    "a pointer is no product": ("char *text = &buffer;", []),
    "logic": ("x = !a && b;", ["x = !a || b;", "x = a && b;"]),
    "constants": ("x = 2;", ["x = 0;", "x = 1;", "x = 3;"]),
    "a constant with a suffix": ("x = 0x10U;", ["x = 0U;", "x = 15U;", "x = 17U;"]),
    "steps": ("n++;", ["n--;"]),
    "truth": ("x = true;", ["x = false;"]),
    "a returned value": ("return found;", ["return 0;"]),
    "a returned constant": ("return -1;", ["return -0;", "return -2;", "return 1;"]),
    "a call": ("table_free(f(a), b);", ["(void)0;"]),
    "a call by way of a field": ("a->b.c(d);", ["(void)0;"]),
    "a call for its value": ("x = f(a);", []),
    "a call behind a condition": ("if (a) f(b);", ["if (a) (void)0;"]),
    "a call cast to nothing": ("(void)f(b);", ["(void)(void)0;"]),
    "leaving a loop": ("break;", ["continue;"]),
    "a comment": ("/* 1 + 1 */ // 2", []),
    "a string": ("x = \"1 + 1\"; y = '1';", []),
    "an assert": ("assert(a == (b + 1));", []),
    "a macro": ("#define ROOM (2 + 2)", []),
}

PYTHON_LINES = {
    "an operator": ("x = a + b", ["x = a - b"]),
    "one-sided": ("x = -c, [*a], {**b}", []),
    "a negative constant": ("x = -1", ["x = -0", "x = -2", "x = 1"]),
    "comparisons": ("x = a is b", ["x = a is not b"]),
    "negated comparisons": ("x = a not in b", ["x = a  in b"]),
    "logic": ("x = not a and b", ["x =  a and b", "x = not a or b"]),
    "constants": ("x = 1", ["x = 0", "x = 2"]),
    "a number with a point": ("x = 0.5", ["x = (0.5 + 1)"]),
    "a call": ("f(a, b)", ["pass"]),
    "a loop's own in": ("for a in b: break", ["for a in b: continue"]),
    "a string": ("x = '1 + 1'", []),
    "a docstring": ('"""1 + 1"""', []),
    "an assert": ("assert a == 1", []),
    "an annotation": ("x: int | None = a", []),
    "a function's annotations": (
        "def f(a: b | c = 0) -> d | e: return",
        ["def f(a: b | c = 1) -> d | e: return"],
    ),
    "a returned value": ("def f(): return a", ["def f(): return None"]),
    "nothing returned": ("def f(): return None", []),
    "letters of many bytes": ("x = 'é', a + b", ["x = 'é', a - b"]),
}


@pytest.mark.parametrize("case", C_LINES)
def test_of_c(tool, case):
    line, expected = C_LINES[case]
    assert changed(tool["changes"].c_changes, f"{{\n    {line}\n}}\n") == sorted(expected)


@pytest.mark.parametrize("case", PYTHON_LINES)
def test_of_python(tool, case):
    line, expected = PYTHON_LINES[case]
    assert changed(tool["changes"].python_changes, line + "\n") == sorted(expected)


SOURCES = {
    "ext/core/a.c": "int f(int a)\n{\n    return a < 2 ? 3 : 4;\n}\n",
    "ext/core/b.c": "int g(int a)\n{\n    a += 1;\n    return a * 2;\n}\n",
    "python/tracer/c.py": "def h(a):\n    return a + 1\n",
}


@pytest.fixture
def tree(tool, tmp_path, monkeypatch):
    """A tree that is not built, all of whose lines are compiled but the last but one."""
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    tree = tool["tree"].Tree(tmp_path)
    monkeypatch.setattr(tree, "compiled_lines", lambda path: {1, 2, 3})
    return tree


def test_the_seed_decides(tool, tree):
    draws = [list(tool["mutants"].drawn(tree, "core", seed)) for seed in [1, 1, *range(2, 12)]]
    assert draws[0] == draws[1]
    assert len({tuple(draw) for draw in draws}) > 3


def test_one_mutant_a_line_of_those_compiled(tool, tree):
    found = [(mutant.path, mutant.line) for mutant in tool["mutants"].drawn(tree, "core", 1)]
    assert sorted(found) == [("ext/core/a.c", 3), ("ext/core/b.c", 3)]


def test_layers_share_by_lines_of_code(tool, tree):
    assert tool["mutants"].shares(tree, 22) == {"core": 18, "recording": 0, "python": 4}
    assert tool["mutants"].shares(tree, 22, ["core", "recording"]) == {"core": 22, "recording": 0}


def test_the_preloaded_library_is_no_part_of_the_extension(tool, tree):
    built = ["cc -c ext/a.c -o build/a.o", "cc -shared build/a.o -o build/_core.so"]
    beside = ["cc -c ext/preload/preload.c -o build/ext/preload/preload.o"]
    beside += ["cc -shared build/ext/preload/preload.o -o build/libtracer_preload.so"]
    tree.log.parent.mkdir()
    tree.log.write_text("\n".join([*built, *beside]) + "\n")
    assert tree.extension_commands() == [line.split() for line in built]


def test_a_change_of_nothing_is_none(tool):
    differs = tool["trial"].differs
    assert differs("x = 1\n", "x = 2\n")
    assert not differs("x = 1\n", "x = (1)\n")
    assert not differs("x = 1\n", "x = = 1\n")


def test_marks_tell_what_was_reached(tool):
    """Each statement sets its byte, also in branches; a docstring stays one."""
    text = '"""Doc."""\nfrom __future__ import annotations\nif 0:\n    a = 1\nelse:\n    b = 2\n'
    marks = tool["reach"].Marks(10)
    names = {"tracer_hits": bytearray(20)}
    module = marks.visit(tool["reach"].ast.parse(text))
    exec(compile(module, "module", "exec"), names)
    reached = [marks.lines[i - 10] for i, byte in enumerate(names["tracer_hits"]) if byte]
    assert sorted(marks.lines) == [3, 4, 6]
    assert sorted(reached) == [3, 6]
    assert names["__doc__"] == "Doc."


def test_what_is_imported_is_there_for_all_that_call(tool, tmp_path):
    text = "ROOM = 1\n\n\ndef f(a=2):\n    return a\n\n\ndef g():\n    return ROOM\n"
    places = {0: ("m.py", 1), 1: ("m.py", 4), 2: ("m.py", 5), 3: ("m.py", 8), 4: ("m.py", 9)}
    places |= {5: ("c.c", 9), 6: ("c.c", 12)}
    (tmp_path / "places.json").write_text(json.dumps(places))
    entries = [("first", [0, 1, 3]), ("calls f", [2]), ("calls g", [4]), ("calls both", [2, 4])]
    entries += [("of c", [5]), ("more of c", [5, 6])]
    lines = [
        json.dumps({"test": name, "seconds": 1, "failed": False, "hits": hits})
        for name, hits in entries
    ]
    (tmp_path / "reached-setprofile.jsonl").write_text("\n".join(lines))
    reach = tool["reach"].Reach(tmp_path)
    found = {line: [name for _, name in reach.of("m.py", line, text)] for line in (1, 4, 5, 9)}
    assert found[1] == found[4] == ["calls both", "calls f", "calls g"]
    assert found[5] == ["calls f", "calls both"]
    assert found[9] == ["calls g", "calls both"]
    in_c = {line: [name for _, name in reach.of("c.c", line, "")] for line in (2, 10, 12)}
    assert in_c == {2: ["of c", "more of c"], 10: ["of c", "more of c"], 12: ["more of c"]}
    assert [name for _, name in reach.of("constants.h", 3, "")] == sorted(dict(entries))
    code = "\n" * 8 + "{\n    a\n    b\n    c\n}\n\nint d;\n"
    widely = [name for _, name in reach.of("c.c", 12, code, widely=True)]
    assert widely == ["more of c", "of c"]
    assert [name for _, name in reach.of("c.c", 15, code, widely=True)] == ["more of c"]


class FakeTrial:
    """Notices mutants of even lines; a change from line 100 on makes no mutant. `start` is
    called when a mutant is put in."""

    def __init__(self, start=lambda: None):
        self.start = start
        self.inside = None

    def put_in(self, mutant):
        assert self.inside is None
        self.inside = mutant
        self.start()
        if mutant.line >= 100:
            self.inside = None
        return mutant.line < 100

    def take_out(self, mutant):
        assert self.inside is mutant
        self.inside = None

    def noticed_by(self, mutant, budget):
        if mutant.line == 13:
            raise OSError("no room")
        return ("a test" if mutant.line % 2 == 0 else ""), budget > 10


@pytest.fixture
def mutants_at(tool):
    change = tool["changes"].Change(0, "a", "b")
    return lambda lines: iter([tool["changes"].Mutant("a.c", line, change) for line in lines])


def test_as_many_are_tried_as_are_wanted(tool, tmp_path, mutants_at):
    """A change that makes no mutant is not counted; a mutant with a verdict is not tried again."""
    tools, path = tool["mutants"], tmp_path / "1.jsonl"
    journal = tools.Journal(path)
    tools.fill([FakeTrial()], journal, "core", 3, mutants_at([1, 100, 2, 101, 3, 4, 5]), 10)
    assert {mutant.line for mutant in journal.verdicts} == {1, 100, 2, 101, 3}
    journal = tools.Journal(path)
    tools.fill([FakeTrial()], journal, "core", 4, mutants_at([1, 100, 2, 101, 3, 4, 5]), 10)
    states = {mutant.line: entry["state"] for mutant, entry in journal.verdicts.items()}
    none, quick, noticed = "none", "quick", "noticed"
    assert states == {1: quick, 100: none, 2: noticed, 101: none, 3: quick, 4: noticed}
    assert len(path.read_text().splitlines()) == 6
    left = [(mutant, "core") for mutant in journal.in_state("quick")]
    tools.try_each([FakeTrial()], journal, left, float("inf"))
    assert {mutant.line for mutant in journal.in_state("survived")} == {1, 3}


def test_each_trial_has_one_mutant_at_a_time(tool, tmp_path, mutants_at):
    both = threading.Barrier(2, timeout=300)  # broken if there are never two at a time
    trials = [FakeTrial(both.wait), FakeTrial(both.wait)]
    journal = tool["mutants"].Journal(tmp_path / "1.jsonl")
    tool["mutants"].fill(trials, journal, "core", 6, mutants_at(range(1, 7)), 10)
    assert len(journal.counted()) == 6


def test_a_trial_that_fails_ends_the_run(tool, tmp_path, mutants_at):
    journal = tool["mutants"].Journal(tmp_path / "1.jsonl")
    with pytest.raises(OSError, match="no room"):
        tool["mutants"].fill([FakeTrial()], journal, "core", 9, mutants_at(range(12, 90)), 10)
    assert len(journal.verdicts) < 9


@pytest.mark.parametrize(
    "now, gone",
    [
        ("int f(int a)\n{\n    return a < 2 ? 3 : 4;\n}\n", False),
        ("int e;\n\nint f(int a)\n{\n    /* ! */\n    return a < 2 ? 3 : 4;\n}\n", False),
        ("int f(int a)\n{\n    return a > 2 ? 4 : 3;\n}\n", True),
        ("int e;\n", True),
        (None, False),
    ],
)
def test_what_stood_in_a_line_that_was_rewritten_is_gone(tool, tree, tmp_path, now, gone):
    (mutant,) = (one for one in tool["mutants"].drawn(tree, "core", 1) if one.path.endswith("a.c"))
    place = tmp_path / "now"
    if now is not None:
        (place / mutant.path).parent.mkdir(parents=True)
        (place / mutant.path).write_text(now)
    assert tool["mutants"].is_gone(mutant, tree.place, place) == gone


def test_a_report_tells_like_lines_apart(tool, tmp_path):
    (tmp_path / "made").write_text("0123abc\n")
    (tmp_path / "a.c").write_text("f();\n\nf();\n")
    report, write = tmp_path / "report.md", tool["survivors"].write_report
    change = {"offset": 0, "old": "f()", "new": "(void)0"}
    entry = {"path": "a.c", "line": 1, "change": change, "layer": "core", "state": "survived"}
    entries = [entry, {**entry, "line": 3, "change": {**change, "offset": 6}}]
    write(report, 1, entries, tmp_path)
    for line, verdict in [(1, "first"), (3, "second")]:
        row = f"| a.c:{line}:1 | `f();` | `f()` to `(void)0` | "
        assert row in report.read_text()
        report.write_text(report.read_text().replace(row, row + verdict))
    write(report, 1, entries, tmp_path)
    rows = [row.split(" | ")[-1] for row in report.read_text().splitlines() if "a.c" in row]
    assert rows == ["first |", "second |"]


def test_a_report_keeps_what_was_written(tool, tree, tmp_path):
    """A verdict stays when the line has moved, not when it is another line."""
    (tmp_path / "made").write_text("0123abc\n")
    report, write = tmp_path / "report.md", tool["survivors"].write_report
    mutants = list(tool["mutants"].drawn(tree, "core", 1))
    asdict = tool["mutants"].asdict
    entries = [{**asdict(one), "layer": "core", "state": "survived"} for one in mutants]
    write(report, 1, entries, tmp_path)
    assert "| all | 2 | 0 (0%) | 0 (0%) | 0 (0%) | 2 (100%) |" in report.read_text()
    assert "as of 0123abc." in report.read_text()
    row = next(row for row in report.read_text().splitlines() if "b.c" in row)
    report.write_text(report.read_text().replace(row, row[:-2] + "equivalent: for a reason |"))
    path = tmp_path / "ext/core/b.c"
    path.write_text("\n" + path.read_text())
    moved = [dict(entry) for entry in entries]
    for entry in moved:
        if entry["path"] == "ext/core/b.c":
            entry["line"] += 1
            entry["change"] = {**entry["change"], "offset": entry["change"]["offset"] + 1}
        else:
            entry["state"] = "noticed"
    write(report, 1, moved, tmp_path)
    rows = [row for row in report.read_text().splitlines() if row.startswith("| ext")]
    assert len(rows) == 1 and rows[0].startswith("| ext/core/b.c:4:")
    assert rows[0].endswith("| equivalent: for a reason |")
    assert "| all | 2 | 1 (50%) | 0 (0%) | 0 (0%) | 1 (50%) |" in report.read_text()
