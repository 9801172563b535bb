"""Maps of statements, in a form that tests can spell out: of the codes of a file, which line is the
first of its statement.
"""

from types import CodeType

from tracer.source.statements import first_lines


def codes_in(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def compiled(tmp_path, text, encoding="utf-8"):
    """{name: code} of all code objects of a file; of those that share a name, one."""
    file = tmp_path / "program.py"
    file.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    code = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    return {one.co_name: one for one in codes_in(code)}


def first_lines_of(code):
    """{line: first line of its statement} of the lines that are not the first."""
    data = first_lines(code)
    if data is None:
        return {}
    firsts = memoryview(data).cast("i")
    pairs = enumerate(firsts, code.co_firstlineno)
    found = {line: first for line, first in pairs if first != line}
    assert found, "None says it shorter"
    return found
