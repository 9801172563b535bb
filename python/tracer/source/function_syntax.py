"""The statements of one function, told from the text of its file."""

from __future__ import annotations

import ast
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MODULE = "<module>"
NAMED_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SCOPES = (*NAMED_SCOPES, ast.Lambda)


def scope_of(text: str, first_line: int, name: str) -> ast.AST | None:
    """The function that begins at `first_line`, or the whole module; None where there is none, or
    the text is no Python. A class body is a function."""
    tree = parsed(text)
    return tree if tree is None or name == MODULE else scope_at(tree, first_line)


def parsed(text: str | bytes) -> ast.Module | None:
    """None for a text that is no Python. Any program may have written it: it is never run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the program's own were shown when it ran
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def scope_at(tree: ast.Module, line: int) -> ast.AST | None:
    """The function or class that begins at a line, its decorators being part of it."""
    for node in ast.walk(tree):
        if isinstance(node, NAMED_SCOPES) and line == first_line_of(node):
            return node
    return None


def first_line_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return min(one.lineno for one in (node, *node.decorator_list))


def statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function without those of functions within."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def has_with(text: str, first_line: int, name: str) -> bool | None:
    """Whether the function has a `with` statement, which may take a lock without a call; None where
    the function is not found."""
    scope = scope_of(text, first_line, name)
    return None if scope is None else any(isinstance(it, ast.With) for it in statements(scope))
