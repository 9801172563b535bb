"""The line on which a function imports a module, told from the text of its file."""

from __future__ import annotations

import ast
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MODULE = "<module>"
NAMED_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SCOPES = (*NAMED_SCOPES, ast.Lambda)


def import_line(text: str, first_line: int, name: str, module: str) -> int | None:
    """The first line of the function that begins at `first_line`, or of the whole module, on which
    `module` or what is in it is imported; None where there is none. A class body is a function."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the program's own were shown when it ran
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    scope = tree if name == MODULE else scope_at(tree, first_line)
    if scope is None:
        return None
    lines = (node.lineno for node in statements(scope) if imports(node, module))
    return min(lines, default=None)


def scope_at(tree: ast.Module, line: int) -> ast.AST | None:
    """The function or class that begins at a line, its decorators being part of it."""
    for node in ast.walk(tree):
        if isinstance(node, NAMED_SCOPES) and line == min(
            one.lineno for one in (node, *node.decorator_list)
        ):
            return node
    return None


def statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function without those of functions within."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def imports(node: ast.stmt, module: str) -> bool:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    else:
        return False
    return any(name == module or name.startswith(f"{module}.") for name in names)
