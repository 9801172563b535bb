"""The lines of calls in a function, as far as the source that a profile keeps tells them.

A profile records calls without their lines. But where a function names a callee on one line alone,
the call is on that line. Any program may have written a source: it is parsed, never run.
"""

from __future__ import annotations

import ast

from tracer.source.function_syntax import NAMED_SCOPES, first_line_of, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.tree.call_tree import Row
    from tracer.data.profile_set import ProfileSet

    # The lines of the calls in a piece of code, by the name that is called.
    Lines = dict[str, set[int]]

# Expressions that have a code object of their own, and the name of that code object.
NAMES: dict[type[ast.AST], str] = {
    ast.Lambda: "<lambda>",
    ast.GeneratorExp: "<genexpr>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
}
INLINED = (ast.ListComp, ast.SetComp, ast.DictComp)  # by Python 3.12 and later


class CallSites:
    """Looks up the lines of calls in the sources of a Stats."""

    def __init__(self, stats: ProfileSet) -> None:
        self.texts: dict[str, bytes] = {}
        for capture in stats.captures:
            for file, source in capture.sources.items():
                if not source.changed:
                    self.texts.setdefault(file, source.data)
        self.codes: dict[str, dict[tuple[int, str], Lines]] = {}  # by file; by line and name

    def line(self, caller: Row, callee: Row) -> int:
        """The line of the call in the caller, which has a source; the caller's first line when the
        line of the call is not known."""
        if caller.file not in self.codes:
            self.codes[caller.file] = codes_of(self.texts[caller.file])
        bare = caller.name.rpartition(".")[2]
        lines = self.codes[caller.file].get((caller.line, bare), {}).get(called_name(callee), set())
        return next(iter(lines)) if len(lines) == 1 else caller.line


def called_name(callee: Row) -> str:
    """The name by which callers call a function: for `__init__` and `__new__`, their class's."""
    names = callee.name.strip("<>").split(".") if callee.file == "~" else callee.name.split(".")
    if names[-1] in ("__init__", "__new__") and len(names) > 1:
        return names[-2]
    return names[-1]


def codes_of(text: bytes) -> dict[tuple[int, str], Lines]:
    """{(first line, name) of each code object: its calls}. Empty for a source that is no Python."""
    tree = parsed(text)
    if tree is None:
        return {}
    codes: dict[tuple[int, str], Lines] = {(1, "<module>"): {}}
    waiting: list[tuple[ast.AST, list[Lines]]] = [(tree, [codes[1, "<module>"]])]
    while waiting:
        node, holders = waiting.pop()
        key = key_of(node)
        if key is None:
            for name, line in called_in(node):
                for lines in holders:
                    lines.setdefault(name, set()).add(line)
            waiting += [(child, holders) for child in ast.iter_child_nodes(node)]
        else:
            inside, outside = parts(node)
            own = [codes.setdefault(key, {}), *(holders if isinstance(node, INLINED) else ())]
            waiting += [(child, own) for child in inside]
            waiting += [(child, holders) for child in outside]
    return codes


def key_of(node: ast.AST) -> tuple[int, str] | None:
    """(first line, name) of the code object that a node makes; None for a node that makes none."""
    if isinstance(node, NAMED_SCOPES):
        return first_line_of(node), node.name
    name = NAMES.get(type(node))
    return (node.lineno, name) if name is not None and isinstance(node, ast.expr) else None


def parts(node: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """(children that run in the code object that a node makes, children that run around it)"""
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, (ast.GeneratorExp, *INLINED)):
        first = node.generators[0]
        rest = [child for child in children if child is not first]
        return [*rest, first.target, *first.ifs], [first.iter]
    body = getattr(node, "body", [])
    inside = body if isinstance(body, list) else [body]
    own = set(map(id, inside))
    return inside, [child for child in children if id(child) not in own]


def called_in(node: ast.AST) -> Iterator[tuple[str, int]]:
    """(name that a node calls, line of the name), if the node calls a name."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Name):
        yield function.id, function.lineno
    elif isinstance(function, ast.Attribute):
        yield function.attr, function.end_lineno or function.lineno
