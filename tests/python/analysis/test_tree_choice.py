"""--tree with --root, --only and --fold: which part of the call tree is printed, and its shares."""

import json
import re

import pytest

import tracer
from launch import good, refused, traced, write
from pictures import profile_of

HEAD = "    share  cumtime  tottime    ncalls  filename:lineno(function)\n"
ORDER = "   Ordered by: cumulative time along each path of calls\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("choice")
    profile_of("top").dump_stats(folder / "top.out")
    write(folder / "own" / "__init__.py", "import json\n")  # which json has, too
    program = "import own, json\n\ndef load():\n    return json.loads('[1]')\n\nload()\n"
    write(folder / "main.py", program)
    traced("--timer=cpu", "-o", "json.out", "main.py", cwd=folder)  # without a column of waits
    return folder


def tree(folder, *options, file="top.out"):
    words = ("--tree", "--no-header", "--strip-dirs", "--min=0", *options, file)
    return good("show", *words, cwd=folder)


def test_root(folder):
    assert tree(folder, "--root", "leaf") == (
        f"{ORDER}   Below all calls of 'leaf': 3.000 s, 37.5% of the time\n\n{HEAD}"
        "   100.0%    3.000    3.000         3  work.py:2(leaf)\n\n"
    )
    assert tree(folder, "--root", "Shop.middle") == (
        f"{ORDER}   Below all calls of 'Shop.middle': 4.000 s, 50.0% of the time\n\n{HEAD}"
        "   100.0%    4.000    2.000         1  work.py:6(Shop.middle)\n"
        "    50.0%    2.000    2.000         2  └─ work.py:2(leaf)\n\n"
    )
    assert "leaf" not in tree(folder, "--root=middle", "--depth=1").partition(HEAD)[2]


def test_only(folder):
    assert tree(folder, "--only", "work.py:6(Shop.middle)") == (
        f"{ORDER}   Only paths through 'work.py:6(Shop.middle)': 4.000 s, 50.0% of the time\n\n"
        f"{HEAD}"
        "    50.0%    4.000    0.000         1  work.py:11(top)\n"
        "    50.0%    4.000    2.000         1  └─ work.py:6(Shop.middle)\n"
        "    25.0%    2.000    2.000         2     └─ work.py:2(leaf)\n\n"
    )
    assert tree(folder, "--only", "l[e]af").count("leaf") == 2
    both = tree(folder, "--only", "leaf", "--root", "middle")
    assert "   Below all calls of 'middle': 4.000 s, 50.0% of the time\n" in both
    assert "    25.0%    2.000    2.000         2  └─ work.py:2(leaf)\n" in both
    assert tree(folder, "--include", "work").count("(") == tree(folder).count("(")


def test_fold_a_function_or_a_module(folder):
    assert tree(folder, "--fold=middle") == (
        f"{ORDER}   Folded: 'middle'\n\n{HEAD}"
        "   100.0%    8.000    3.000         1  work.py:11(top)\n"
        "    50.0%    4.000    4.000         1  ├─ work.py:6(Shop.middle)\n"
        "    12.5%    1.000    1.000         1  └─ work.py:2(leaf)\n\n"
    )
    assert tree(folder, "--fold=work") == (
        f"{ORDER}   Folded: 'work'\n\n{HEAD}   100.0%    8.000    8.000         1  work\n\n"
    )


def test_fold_libraries(folder):
    text = tree(folder, "--fold", file="json.out")
    rows = [row for row in text.split(HEAD)[1].splitlines() if row]
    words = ("--tree", "--no-header", "--min=0", "--fold", "json.out")
    whole = good("show", *words, cwd=folder)  # with folders, by which libraries are known
    names = [re.sub(r".*[├└]─ |.*  ", "", row) for row in rows]
    assert {"main.py:1(<module>)", "import json", "main.py:3(load)", "json"} <= set(names)
    assert not any("decoder" in name for name in names)
    bare = whole.split(HEAD)[1].replace(f"{folder}/", "").replace("own/__init__", "__init__")
    assert rows == [row for row in bare.splitlines() if row]
    opened = tree(folder, "--fold", "--root=json.loads", file="json.out")
    assert "(loads)" in opened and "(JSONDecoder.raw_decode)" in opened
    alone = tree(folder, "--fold=json", file="json.out")
    assert "   Folded: 'json'\n" in alone and "_find_and_load" in alone
    both = tree(folder, "--fold", "--fold=load", file="json.out")
    assert "Folded: libraries and imports, 'load'\n" in both
    # A row of the folded tree names functions, as other rows do.
    for name in names:
        found = tree(folder, "--root", name, file="json.out")
        assert "   Below all calls of " in found, name


def test_what_is_below_an_import(folder):
    """The modules of what is imported stand open; other imports stay rows."""
    write(folder / "away" / "use.py", "import json.tool\n")
    traced("--timer=cpu", "-o", "use.out", "away/use.py", cwd=folder)
    words = ("show", "--tree", "--no-header", "--min=0", "--root=import json", "use.out")
    text = good(*words, "--fold", cwd=folder)
    names = [re.sub(r".*[├└]─ |.*%.* {2}", "", row) for row in text.split(HEAD)[1].splitlines()]
    modules = [name for name in names if name.endswith("(<module>)")]
    for module in ("__init__", "tool", "decoder"):
        assert any(name.endswith(f"/json/{module}.py:1(<module>)") for name in modules)
    assert all("/json/" in name for name in modules)
    assert "import json" not in names
    assert "import argparse" in names
    assert "importlib._bootstrap" not in text
    assert "   Below all calls of 'import json': " in text
    unfolded = good(*words, cwd=folder)
    assert unfolded.endswith("\n--fold prints each import, and each library, as one row\n")
    assert "as one row" not in text


def test_names_of_folded_rows(folder):
    from tracer.analysis.tree.function_names import names_of

    names = names_of(tracer.Stats(folder / "json.out"))
    imported = {it.label[0] for it in names.choose("import json").functions}
    assert all("/json/" in file for file in imported) and len(imported) >= 4
    assert {it.name for it in names.choose("import json").functions} == {"<module>"}
    found = names.choose("json").functions
    assert {it.module.package for it in found} == {"json"}
    finders = names.choose("imports (finding and loading)").functions
    assert finders and {it.module.package for it in finders} <= {"importlib", "zipimport"}


def test_the_sums_stay(folder):
    whole = json.loads(good("export", "json.out", "--to=json", "-o", "-", cwd=folder))
    time = sum(sum(thread["nodes"]["time_ns"]) for thread in whole["threads"]) / 1e9
    for options in ([], ["--fold"], ["--fold=json"], ["--fold=load"]):
        rows = (
            tree(folder, *options, file="json.out").split(HEAD)[1].partition("\n\n")[0].splitlines()
        )
        total = sum(float(row.split()[1]) for row in rows if row and " ─" not in row[39:42])
        tops = [float(row.split()[1]) for row in rows if row and row[39] not in "├└│ "]
        assert sum(tops) == pytest.approx(time, abs=0.002), (options, total)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--root=midle", "no function matches 'midle'; the nearest: Shop.middle"),
        ("--only=midle", "no function matches 'midle'; the nearest: Shop.middle"),
        ("--fold=midle", "no function matches 'midle'; the nearest: Shop.middle"),
        ("--root=import midle", "no import of 'midle' ran; --tree --fold prints those that did"),
    ],
)
def test_what_names_nothing(folder, option, said):
    found = traced("show", "--tree", "--no-header", option, "top.out", cwd=folder)
    assert (found.stdout, found.stderr.decode()) == (b"", f"tracer: {said}\n")
    assert found.returncode == 0


@pytest.mark.parametrize("option", ["--root=f", "--fold", "--fold=f"])
def test_without_the_tree(folder, option):
    flag = option.partition("=")[0]
    besides = " or --callers" if flag == "--fold" else ""
    said = f"{flag} is of no use without the call tree{besides}; give --tree, too"
    assert refused("show", option, "top.out", cwd=folder) == said
    assert refused(option, "main.py", cwd=folder) == said


def test_a_run_has_them_too(folder):
    text = good("--tree", "--fold", "--root=load", "--strip-dirs", "main.py", cwd=folder)
    assert "main.py:3(load)" in text and "decoder" not in text and "<module>" not in text
    text = good("--include", "json", "-s", "name", "main.py", cwd=folder)
    assert "due to restriction" not in text  # of a run: what is recorded


def test_values_that_cannot_be(folder):
    twice = "{} is given twice; a regular expression names several: 'a|b'"
    for option in ("--root", "--only", "--callers", "--callees"):
        words = (option, "a", option, "b", "top.out")
        assert refused("show", *words, cwd=folder) == twice.format(option)
        empty = "no function has an empty name; give one, or leave the option out"
        assert refused("show", option, "", "top.out", cwd=folder) == empty
    assert refused("diff", "--only=a", "--only=b", "top.out", "top.out", cwd=folder) == (
        twice.format("--only")
    )
    said = "no file 'json'; to fold what has this name, write --fold=json"
    assert refused("show", "--tree", "--fold", "json", "top.out", cwd=folder) == said
    assert refused("--tree", "--fold", "json", "main.py", cwd=folder) == said
