"""Where the source is from that tells the first lines of statements: files, cells, archives and
loaders; what is no source; and what it costs to ask. The maps themselves have test_statements.py.
"""

import gc
import linecache
import os
import subprocess
import sys
import sysconfig
import threading
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

from firstlines import codes_in, compiled, first_lines_of
from launch import environment
from tracer.source import statements
from tracer.source.statements import first_lines

pytestmark = [pytest.mark.programs, pytest.mark.lines]

TEXT = "def f():\n  return (a,\n    b)\n"
MAP = {3: 2}


def f_of(text, name):
    """The code of f() in a text, said to be of the file `name`."""
    code = compile(text, name, "exec", dont_inherit=True)
    return next(one for one in codes_in(code) if one.co_name == "f")


def test_a_source_that_linecache_holds(monkeypatch):
    name = "<cell 1>"
    assert first_lines(f_of(TEXT, name)) is None
    entry = len(TEXT), None, TEXT.splitlines(keepends=True), name
    monkeypatch.setitem(linecache.cache, name, entry)
    assert first_lines_of(f_of(TEXT, name)) == MAP
    # Another cell of that name: what was known is not believed.
    longer = "\n\n" + TEXT
    entry = len(longer), None, longer.splitlines(keepends=True), name
    monkeypatch.setitem(linecache.cache, name, entry)
    assert first_lines_of(f_of(longer, name)) == {5: 4}
    monkeypatch.setitem(linecache.cache, "/no/such/cell.py", entry)  # as Jupyter names them
    assert first_lines_of(f_of(longer, "/no/such/cell.py")) == {5: 4}
    monkeypatch.setattr(linecache, "cache", None)
    assert first_lines(f_of(longer, "<cell 2>")) is None


def test_a_source_of_doctest(tmp_path):
    test = tmp_path / "told.py"
    text = "    ".join(("", ">>> def f():\n", "...   return (a,\n", "...     b)\n", ">>> see(f)\n"))
    test.write_text(f"def documented():\n    '''\n{text}    '''\n")
    program = (
        "import doctest, sys; from tracer.source.statements import first_lines\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import told\n"
        "def see(f):\n"
        "    print(memoryview(first_lines(f.__code__)).cast('i').tolist(), file=sys.stderr)\n"
        "doctest.testmod(told, extraglobs={'see': see})\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert (done.stderr, done.returncode) == ("[1, 2, 2]\n", 0)


def test_a_module_of_an_archive(tmp_path, monkeypatch):
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("of_an_archive.py", TEXT)
    monkeypatch.syspath_prepend(archive)
    import of_an_archive

    assert first_lines_of(of_an_archive.f.__code__) == MAP
    monkeypatch.delitem(sys.modules, "of_an_archive")


def module_with(loader, name):
    module = ModuleType("of_a_loader")
    module.__file__, module.__loader__ = name, loader
    return module


class Giver:
    def get_source(self, name):
        return TEXT if name == "of_a_loader" else None


class Thrower:
    def get_data(self, path):
        raise KeyError(path)

    def get_source(self, name):
        raise SystemError(name)


class Sleeper(ModuleType):
    def __getattribute__(self, name):
        raise AssertionError("it is woken")


def test_the_source_that_a_loader_has(monkeypatch):
    monkeypatch.setitem(sys.modules, "asleep", Sleeper("asleep"))
    monkeypatch.setitem(sys.modules, "no_module", object())
    for name, loader, expected in (
        ("/no/giver.py", Giver(), MAP),
        ("/no/thrower.py", Thrower(), {}),
        ("/no/none.py", None, {}),
    ):
        monkeypatch.setitem(sys.modules, "of_a_loader", module_with(loader, name))
        assert first_lines_of(f_of(TEXT, name)) == expected


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param("", id="empty"),
        pytest.param("x = 1\n", id="shorter"),
        pytest.param("\n" + TEXT, id="moved"),
        pytest.param(TEXT.replace("f", "g", 2), id="renamed"),
        pytest.param("def f():\n\n  return (a,\n    b)\n", id="without-a-line"),
        pytest.param("def f(:\n", id="wrong"),
        pytest.param("x = '\0'\n", id="null"),
        pytest.param("# coding: no-such\n" + TEXT, id="unknown-encoding"),
        pytest.param("(" * 5000 + ")" * 5000, id="deep-brackets"),
        pytest.param("-" * 100_000 + "1", id="deep-tree"),
        pytest.param("x = " + "+".join(["1"] * 100_000), id="long-sum"),
    ],
)
def test_a_source_that_changed_has_no_statements(tmp_path, changed):
    code = compiled(tmp_path, TEXT)["f"]
    assert first_lines_of(code) == MAP
    (tmp_path / "program.py").write_text(changed)
    assert first_lines(code) is None
    (tmp_path / "program.py").unlink()
    assert first_lines(code) is None
    (tmp_path / "program.py").write_text(TEXT)
    assert first_lines_of(code) == MAP


def test_what_can_be_read_but_is_no_source(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long.py").write_bytes(TEXT.encode() + b"#" * statements.LONGEST)
    for name in ("", "\udcff", "/dev/zero", str(tmp_path), str(tmp_path / "pipe"),
                 str(tmp_path / "long.py"), "<string>", "<frozen os>", "x" * 5000):  # fmt: skip
        assert first_lines(f_of(TEXT, name)) is None
    assert first_lines(f_of(TEXT, "").replace(co_filename="\0")) is None


def test_what_is_no_code():
    for wrong in (None, 1, "code", first_lines, object(), ModuleType("m")):
        assert first_lines(wrong) is None


@pytest.mark.parametrize(
    "change",
    [{"co_firstlineno": 0}, {"co_firstlineno": 4}, {"co_firstlineno": 2**31 - 1}, {"co_name": "h"}],
    ids=str,
)
def test_a_code_object_made_by_hand(tmp_path, change):
    assert first_lines(compiled(tmp_path, TEXT)["f"].replace(**change)) is None


# -- Who asks, and what it costs -----------------------------------------------------------------


def test_in_the_depth_of_a_program_it_gives_up_and_tries_again_later(tmp_path):
    code = compiled(tmp_path, TEXT)["f"]
    found = []

    def down():
        with suppress(RecursionError):
            down()
        try:  # where there is not even room for the call, that is all it raises
            found.append(first_lines(code))
        except RecursionError:
            found.append(None)

    down()
    assert found[0] is None
    assert first_lines_of(code) == MAP


def test_threads_ask_at_once(tmp_path):
    codes = list(compiled(tmp_path, TEXT * 200).values())
    found = []

    def ask():
        found.append([first_lines_of(code) for code in codes])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(one == found[0] for one in found)


def test_a_file_is_parsed_once(tmp_path, monkeypatch):
    codes = compiled(tmp_path, TEXT + TEXT.replace("f(", "g("))
    parsed = []
    monkeypatch.setattr(statements, "Statements", lambda tree: parsed.append(tree))
    for code in (*codes.values(), *codes.values()):
        first_lines(code)
    assert len(parsed) == 1


@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizers slow the interpreter down"
)
def test_ten_thousand_lines_take_at_most_three_times_as_long_as_to_compile_them(tmp_path):
    """The code is as people write it: modules of the standard library, one after the other."""
    folder = Path(sysconfig.get_path("stdlib"))
    names = ("argparse", "difflib", "optparse", "smtplib", "tarfile")
    text = "".join((folder / f"{name}.py").read_text() for name in names)
    while text.count("\n") < 10_000:
        text += (folder / "textwrap.py").read_text()
    code = compiled(tmp_path, text)["<module>"]

    def taken(work):
        gc.collect()
        began = time.process_time()
        assert work() is not None
        return time.process_time() - began

    asking, compiling = [], []
    for _ in range(7):
        statements.known.clear()
        asking.append(taken(lambda: first_lines(code)))
        compiling.append(taken(lambda: compile(text, "text.py", "exec")))
    assert min(asking) < 3 * min(compiling)


def test_nothing_is_imported_that_the_interpreter_has_not_loaded(tmp_path):
    program = (
        "import sys; before = set(sys.modules)\n"
        "import tracer.source.statements as s\n"
        "at_import = set(sys.modules) - before\n"
        "import zipimport; before = set(sys.modules)\n"
        "assert s.first_lines(compile('x = (a,\\nb)', sys.argv[1], 'exec')) is not None\n"
        "s.first_lines(compile('x = (1,\\n2)', '/none/such', 'exec'))\n"
        "print(sorted(at_import), sorted(set(sys.modules) - before))\n"
    )
    command = [sys.executable, "-c", program]
    (tmp_path / "two.py").write_text("x = (a,\nb)")
    command += [str(tmp_path / "two.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    ours = ["tracer", "tracer._core", "tracer.source"]
    ours.append("tracer.source.statements")
    assert done.stdout == f"{['__future__', *ours]} []\n", done
