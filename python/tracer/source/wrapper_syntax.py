"""Whether a function passes its calls on to another, told from the text of its file.

Texts are read a function at a time: a profile may have functions of thousands of files.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

    AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef

DEFINITION = re.compile(r"([ \t]*)(?:async\s+)?def\s+(\w+)")
ENDS = re.compile(r":\s*(?:#.*)?$")  # the head of a function, but in a default or an annotation
LONGEST = 100  # lines of decorators, or of a head
LOCALS = ".<locals>."
WRAPS = "wraps("  # functools.wraps() and its like, in a decorator of the wrapper


class Definition(NamedTuple):
    """decorators: the text of them. at: the index of the line with `def`."""

    decorators: str
    at: int
    name: str


def definition_at(lines: Sequence[str], line: int) -> Definition | None:
    """The function that begins at a line, its decorators being part of it."""
    start = line - 1
    for at in range(start, min(start + LONGEST, len(lines))):
        if found := DEFINITION.match(lines[at]):
            return Definition("".join(lines[start:at]), at, found[2])
        if at == start and not lines[at].lstrip().startswith("@"):
            break
    return None


def passes_on(lines: Sequence[str], line: int, name: str) -> bool | None:
    """Whether the function of this qualified name that begins at a line is a wrapper; None where it
    is not found there.

    Its decorator says so, or it takes any arguments and hands on what it takes: to a name of the
    function that it is in, which returns it; or, where it is the method __call__, to an attribute
    of its own.
    """
    found = definition_at(lines, line)
    if found is None or found.name != name.rpartition(".")[2]:
        return None
    if WRAPS in found.decorators:
        return True
    if "*" not in head(lines, found.at):
        return False
    levels = name.count(LOCALS)
    start = outer_start(lines, line - 1, levels)
    if start is None:
        return None
    functions = functions_around(lines, start, line)
    if len(functions) <= levels:
        return None
    return hands_on(functions[-1], functions[-1 - levels : -1])


def head(lines: Sequence[str], at: int) -> str:
    """The head of a function, or more."""
    end = at + 1
    while end < min(at + LONGEST, len(lines)) and not ENDS.search(lines[end - 1]):
        end += 1
    return "".join(lines[at:end])


def outer_start(lines: Sequence[str], at: int, levels: int) -> int | None:
    """The index of the line with the `def` that is so many levels further out than the line of an
    index."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    while levels and at:
        at -= 1
        found = DEFINITION.match(lines[at])
        if found and len(found[1]) < indent:
            indent, levels = len(found[1]), levels - 1
    return None if levels else at


def functions_around(lines: Sequence[str], start: int, line: int) -> list[AnyFunction]:
    """The functions that the one at a line is in, of that at an index on, the outermost first, with
    itself; none for a text that is no Python."""
    import ast

    from tracer.source.function_syntax import first_line_of, parsed
    from tracer.source.functions import block_at

    block = block_at(lines, start + 1)
    # Indented code is that of a statement; texts of several lines stay what they are.
    module = parsed("".join(["if 1:\n" if lines[start][:1].isspace() else "\n", *block]))
    waiting: list[tuple[ast.AST, list[AnyFunction]]] = [] if module is None else [(module, [])]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            around = [*around, node]
            if first_line_of(node) == line - start + 1:
                return around
        waiting += ((child, around) for child in ast.iter_child_nodes(node))
    return []


def hands_on(function: AnyFunction, around: Sequence[AnyFunction]) -> bool:
    """Whether a function hands on what it takes. One that calls itself recurses."""
    import ast

    if function.args.vararg is None:
        return False
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    if any(isinstance(it.func, ast.Name) and it.func.id == function.name for it in calls):
        return False
    handing = [it for it in calls if any(isinstance(one, ast.Starred) for one in it.args)]
    if not around:
        itself = next((it.arg for it in function.args.posonlyargs + function.args.args), None)
        return any(
            isinstance(it.func, ast.Attribute)
            and isinstance(it.func.value, ast.Name)
            and it.func.value.id == itself
            for it in handing
        )
    if not returns(around[-1], function.name):
        return False
    free = {name for it in around for name in bound(it)}.difference(bound(function))
    return any(
        isinstance(node, ast.Name) and node.id in free
        for it in handing
        for called in (it.func, *it.args[:1])
        for node in ast.walk(called)
    )


def returns(function: AnyFunction, name: str) -> bool:
    """Whether a function returns what has this name, maybe as a part of something."""
    import ast

    from tracer.source.function_syntax import statements

    return any(
        isinstance(node, ast.Name) and node.id == name
        for it in statements(function)
        if isinstance(it, ast.Return)
        for node in ast.walk(it)
    )


def bound(function: AnyFunction) -> Iterator[str]:
    """The names of a function's parameters and variables."""
    import ast

    from tracer.source.function_syntax import SCOPES

    waiting: list[ast.AST] = [function.args, *function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)
