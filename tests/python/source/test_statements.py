"""Which line is the first of its statement: exact maps of all that the language has.
test_statements_sources.py tests where the source is from, and whether there is one.
"""

import sys
import sysconfig
import tokenize
import warnings
from pathlib import Path

import pytest

import shapes
from firstlines import codes_in, compiled, first_lines_of
from tracer.source.statements import first_lines

pytestmark = [pytest.mark.programs, pytest.mark.lines]

NEW = pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is of Python 3.12")


def map_of(tmp_path, text, name="<module>"):
    return first_lines_of(compiled(tmp_path, text)[name])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\ny = 2\n", {}),
        ("x = (\n  a\n)\ny = 2\n", {2: 1, 3: 1}),
        ("x = 1 + \\\n  2\n", {2: 1}),
        ("a = 1; b = (\n2); c = (\n3)\nd = 4\n", {2: 1, 3: 1}),
        ("f = print(\n 'a',\n\n # remark\n 'b',\n)\n", {2: 1, 3: 1, 4: 1, 5: 1, 6: 1}),
        ("x = '''\n\n'''\ny = 1\n", {2: 1, 3: 1}),
        ("x = 1\nif (x\n   and x\n):\n  y = 1\n", {3: 2}),
        ("x = 0\nif x:\n  y = 1\nelif (\n  x\n):\n  y = 2\nelse:\n  y = 3\n", {5: 4}),
        ("x = 1\nif (x or\n    x): y = [\n 1]\nz = 1\n", {3: 2, 4: 2}),
        ("while (0 or\n  0):\n  pass\nelse:\n  x = (1,\n  2)\n", {2: 1, 6: 5}),
        ("while (\n  f()\n): pass\n", {2: 1}),
        ("for x in f(\n  1,\n  2,\n):\n  y = x\n", {2: 1, 3: 1, 4: 1}),
        ("import io\nwith (\n  io.StringIO() as a,\n  io.StringIO(),\n):\n  y = a\n",
         {3: 2, 4: 2}),
        ("try:\n  x = f(\n  1)\nexcept (A,\n  B):\n  y = 1\nfinally:\n  z = (1,\n  2)\n",
         {3: 2, 5: 4, 9: 8}),
        ("match [\n 1]:\n case (1 |\n  2) if (\n  x):\n  y = 1\n case _:\n  z = (1,\n  2)\n",
         {2: 1, 4: 3, 5: 3, 9: 8}),
        ("def f(a=1,\n   b=2,\n):\n  return 1\nx = 1\n", {2: 1}),
        ("@a\n@b(\n  1,\n)\ndef f(\n  a=1):\n  x = (1,\n    2)\nx = 1\n",
         {3: 2, 4: 2, 6: 5, 8: 7}),
        ("@a(1,\n  2)\nclass A(\n  B,\n):\n  x = (1,\n  2)\n", {2: 1, 4: 3, 7: 6}),
        ("async def f():\n  async with (\n    a):\n    await b(\n      1)\n", {}),
        ("\x0cx = (1,\n\x0c 2)\n\x0c\ny = 1\n", {2: 1}),
        ("x = (1,\r\n 2)\r\ny = 1\r\n", {2: 1}),
    ],
)  # fmt: skip
def test_exact_maps(tmp_path, text, expected):
    found = map_of(tmp_path, text)
    last = max((line for _, _, line in compiled(tmp_path, text)["<module>"].co_lines() if line))
    assert found == {line: first for line, first in expected.items() if line <= last}


def test_the_maps_of_the_codes_of_a_function_begin_where_it_begins(tmp_path):
    text = (
        "@decorate(\n  1)\n@decorate\n"
        "def outer(a=1,\n          b=2):\n"
        "    '''of\n    two lines'''\n"
        "    found = call(a,\n"
        "      lambda x: [\n"
        "        x,\n"
        "        x],\n"
        "      b)\n"
        "    return (n\n"
        "            for n\n"
        "            in found if (\n"
        "             n))\n"
    )
    codes = compiled(tmp_path, text)
    assert codes["outer"].co_firstlineno == 1
    assert first_lines_of(codes["outer"]) == {
        2: 1, 5: 4, 7: 6, 9: 8, 10: 8, 11: 8, 12: 8, 14: 13, 15: 13
    }  # fmt: skip
    # The statement begins on 8, the lambda on 9.
    assert first_lines_of(codes["<lambda>"]) == {10: 9, 11: 9}
    assert first_lines_of(codes["<genexpr>"]) == {14: 13, 15: 13, 16: 13}
    # The first line's entry comes first, whatever was before it.
    assert memoryview(first_lines(codes["<lambda>"])).cast("i").tolist() == [9, 9, 9]


def test_no_statement_of_a_comprehension_begins_before_its_own_first_line(tmp_path):
    codes = compiled(tmp_path, "x = sum(\n  [\n  a\n  for a in\n  range(3)])\n")
    if sys.version_info < (3, 12):
        assert first_lines_of(codes["<listcomp>"]) == {3: 2, 4: 2}
    else:
        assert "<listcomp>" not in codes
    assert first_lines_of(codes["<module>"]) == {2: 1, 3: 1, 4: 1, 5: 1}


def test_methods_and_the_bodies_of_classes(tmp_path):
    text = (
        "class A:\n  '''Two\n  lines.'''\n  x = (1,\n    2)\n\n"
        "  @property\n  def p(self):\n    return (self.\n      x)\n"
    )
    codes = compiled(tmp_path, text)
    assert first_lines_of(codes["A"]) == {3: 2, 5: 4}
    assert first_lines_of(codes["p"]) == {10: 9}


@NEW
def test_type_parameters_and_aliases_are_known(tmp_path):
    text = (
        "type Pair[T: (\n  int,\n  str)] = tuple[\n  T,\n  T]\n"
        "def f[A,\n  B](a: A,\n  b: B):\n  return (a,\n    b)\n"
    )
    codes = compiled(tmp_path, text)
    assert first_lines_of(codes["Pair"]) == {2: 1, 3: 1, 4: 1, 5: 1}
    assert first_lines_of(codes["f"]) == {7: 6, 8: 6, 10: 9}
    assert first_lines_of(codes["T"]) == {2: 1, 3: 1}


def logical_lines(file):
    """{line: first line of the logical line that it is in}, by the tokenizer. A lone `case (` is
    left out: there is no code on it, and the tree does not tell where it is."""
    firsts, first = {}, None
    with tokenize.open(file) as source:
        for token in tokenize.generate_tokens(source.readline):
            if token.type == tokenize.NL and token.line.strip() == "case (":
                first = None
            elif token.type == tokenize.NEWLINE:
                firsts |= dict.fromkeys(range(first, token.end[0] + 1), first)
                first = None
            elif token.type not in BETWEEN and first is None:
                first = token.start[0]
    return firsts


BETWEEN = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def assert_statements_are_logical_lines(file):
    """Assert that each line has the first line of its logical line; how many lines were seen."""
    code = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    logical = logical_lines(file)
    checked = 0
    for one in codes_in(code):
        begin = one.co_firstlineno
        lines = {line for _, _, line in one.co_lines() if line}
        expected = {line: max(logical[line], begin) for line in lines if line > begin}
        data = first_lines(one)
        firsts = memoryview(data).cast("i").tolist() if data else []
        assert not data or len(firsts) == max(lines) + 1 - begin
        found = {line: firsts[line - begin] if data else line for line in expected}
        assert found == expected, (file, one.co_qualname)
        checked += len(found)
    return checked


@pytest.mark.parametrize("files", ["[a-d]*.py", "[e-o]*.py", "[p-z]*.py", "asyncio/*.py"])
def test_statements_of_the_standard_library_are_logical_lines(files):
    folder = Path(sysconfig.get_path("stdlib"))
    assert sum(map(assert_statements_are_logical_lines, folder.glob(files))) > 3000


def test_statements_of_every_kind_are_logical_lines():
    assert assert_statements_are_logical_lines(Path(shapes.__file__)) > 200


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "cp1251", "shift_jis"])
def test_encodings(tmp_path, encoding):
    word = {"latin-1": "é", "utf-8-sig": "é€", "cp1251": "я", "shift_jis": "ソ表"}[encoding]
    cookie = "" if encoding == "utf-8-sig" else f"# coding: {encoding}\n"
    text = f"{cookie}x = ('{word}', '\\\\', r'\\{word}',\n  a)\ny = (a,\n b)\n"
    codes = compiled(tmp_path, text, encoding)
    lines = len(cookie.splitlines())
    assert first_lines_of(codes["<module>"]) == {lines + 2: lines + 1, lines + 4: lines + 3}


ESCAPES = r"""
a = '\d', b'\u1', '\400', f'\{0}', '\\', '\\\d', '\N{DASH}', '''
\d''', r'\'', "\"", '\
\'\d'
b = (a,
  a) # \
c = a + \
  a
"""


def test_nothing_is_warned_of_twice(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compiled(tmp_path, ESCAPES.replace("DASH", "EM DASH"))["<module>"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert first_lines_of(code) == {3: 2, 4: 2, 6: 5, 8: 7}


@NEW
def test_names_of_characters_in_strings_with_fields(tmp_path):
    text = "x = f'\\N{EM DASH}{\n  1}' + f'''{'\\n'.join(\n 'a')}'''\n"
    assert map_of(tmp_path, text) == {2: 1, 3: 1}
