"""On a terminal, files have short names: own files from the folder where one stands."""

import pytest

from launch import environment, good, on_terminal

pytestmark = pytest.mark.results

PROGRAM = """
import sys
def deep(n):
    return deep(n - 1) if n else []
deep(int(sys.argv[1]))
"""
TABLES = (
    ["--table"],
    ["--tree", "--min", "0"],
    ["--callers", "deep"],
    ["--longest"],
    ["-s", "name"],
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("folder")
    (made / "program.py").write_text(PROGRAM)
    good("-o", "before.out", "program.py", "30", cwd=made)
    good("-o", "after.out", "program.py", "50", cwd=made)
    return made


def shown(folder, *words):
    env = environment(TERM="dumb")
    text, status = on_terminal("stdout", "-m", "tracer", *words, cwd=folder, env=env)
    assert status == 0
    return text.decode()


@pytest.mark.parametrize("table", TABLES, ids=" ".join)
def test_a_table_names_files_from_here(folder, table):
    """In the row of a recursion, too: its calls have a slash, `4/1`."""
    text = shown(folder, "show", "before.out", *table)
    assert "program.py:3(deep)" in text
    assert str(folder) not in text


def test_so_does_a_diff(folder):
    words = ["diff", "before.out", "after.out", "--metric=calls"]
    assert f"{folder}/program.py:3(deep)" in good(*words, cwd=folder)
    assert " program.py:3(deep)" in shown(folder, *words)
    assert '/program.py"' in shown(folder, *words, "--json")
