"""compile_program(): its code and its errors are those of compile(), which takes longer."""

import ast
import codecs
import warnings

import pytest

from launch import environment, plain, traced, write
from tracer._core import compile_program
from tracer.launch import program
from tracer.source import statements

SOURCES = [
    b"",
    b'"""What it is."""\nx = 1\n',
    b"async def f(): return [await g() async for g in h]\n",
    b"from __future__ import annotations\ndef f(x: no_such_name): pass\n",
    "name = 'grün'\n".encode(),
    codecs.BOM_UTF8 + "name = 'grün'\n".encode(),
    "# -*- coding: latin-1 -*-\nname = 'grün'\n".encode("latin-1"),
    b"x = 1\r\ny = 2\r\n",
    b"if True:\n    x = 1",
    b"x = 1\n\x0c\ny = 2\n",
]
WRONG = [
    b"x = (\n",
    b"\tif x:\n        y\n",
    b"# coding: none-such\nx = 1\n",
    "name = 'grün'\n".encode("latin-1"),
    b"return 1\n",
    b"x = 1 +\n",
    b"'\\N{none such}'\n",
]


@pytest.mark.parametrize("source", SOURCES)
def test_code(source):
    expected = compile(source, "a name.py", "exec", dont_inherit=True)
    found = compile_program(source, "a name.py")
    assert found == expected
    assert found.co_filename == "a name.py"
    assert list(found.co_positions()) == list(expected.co_positions())
    assert (found.co_consts, found.co_flags) == (expected.co_consts, expected.co_flags)


@pytest.mark.parametrize("source", WRONG)
def test_errors(source):
    told = []
    for make in (compile, compile_program):
        words = (source, "a name.py", *(["exec"] if make is compile else []))
        with pytest.raises(SyntaxError) as raised:
            make(*words)
        told.append((type(raised.value), raised.value.args))
    assert told[0] == told[1]


def test_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compile_program(b"\nx = 1 is 1\n", "a name.py")
    assert [(it.category, it.filename, it.lineno) for it in caught] == [
        (SyntaxWarning, "a name.py", 2)
    ]


def test_what_it_takes():
    for words in ((), (b"",), ("", "x"), (b"", b"x"), (b"", "x", "exec")):
        with pytest.raises(TypeError, match=r"^compile_program\(\) takes bytes and a file name$"):
            compile_program(*words)
    with pytest.raises(ValueError, match=r"^the source holds a null byte$"):
        compile_program(b"x\0", "x")


ZEROS = (
    b"x = 1\0\n",
    b"print(1)\n\0\nprint(2)\n1 / 0\n",
    b"# a \0 b\nprint(1)\nprint(2)\n",
    b"x = '''a\0b\nc'''\nprint(x)",
    b"x = 1 \0 b\n1 / 0\n",
    b"print(1)\n\0abc",
)


@pytest.mark.parametrize("source", ZEROS)
@pytest.mark.parametrize("word", ["program.py", "-"])
def test_a_program_with_a_zero_byte_is_read_as_by_the_interpreter(tmp_path, source, word):
    (tmp_path / "program.py").write_bytes(source)
    given = source if word == "-" else b""
    expected = plain(word, stdin=given, cwd=tmp_path)
    found = traced("-o", "profile.out", word, stdin=given, cwd=tmp_path)
    assert (found.stdout, found.returncode) == (expected.stdout, expected.returncode)
    error = expected.stderr.splitlines()[-1:]
    if error and b"null byte" in error[0]:  # its text depends on who compiles
        error = [found.stderr.splitlines()[-1]]
        assert b"null byte" in error[0]
    assert found.stderr.splitlines()[-1:] == error


def test_the_first_versions_of_3_11_read_a_line_as_far_as_its_zero_byte(monkeypatch):
    def refuse(*_, **__):
        raise ValueError("source code string cannot contain null bytes")

    monkeypatch.setattr(program, "compile", refuse, raising=False)
    ran = {}
    exec(program.code_of(b"x = 1 + \0 nothing\n2\ny = '''a\0b\nc'''\n", "a.py"), ran)
    assert (ran["x"], ran["y"]) == (3, "ac")


def test_no_class_of_a_syntax_tree_is_made_for_a_program(tmp_path):
    """Making such classes would take a fifth of the command's start."""
    shows = "print(sum(it.__module__ == 'ast' for it in object.__subclasses__()))\n"
    write(tmp_path / "program.py", shows)
    # Modules are compiled by compile(), but for those whose code is kept.
    keeping = environment(PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX=str(tmp_path / "kept"))
    words = ("-o", "profile.out", "program.py")
    for _ in range(2):
        found = traced(*words, cwd=tmp_path, env=keeping)
    assert found.stdout == b"0\n"
    made = plain("-c", f"compile('', '', 'exec')\n{shows}", env=keeping)
    assert made.stdout != b"0\n"  # such a class would be seen


def test_the_flag_of_a_syntax_tree():
    assert statements.PyCF_ONLY_AST == ast.PyCF_ONLY_AST
