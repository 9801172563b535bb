"""The line on which a function imports a module, told from the text of its file."""

from __future__ import annotations

import ast

from tracer.source.function_syntax import scope_of, statements


def import_line(text: str, first_line: int, name: str, module: str) -> int | None:
    """The first line of the function that begins at `first_line`, or of the whole module, on which
    `module` or what is in it is imported; None where there is none. A class body is a function."""
    scope = scope_of(text, first_line, name)
    if scope is None:
        return None
    lines = (node.lineno for node in statements(scope) if imports(node, module))
    return min(lines, default=None)


def imports(node: ast.stmt, module: str) -> bool:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    else:
        return False
    return any(name == module or name.startswith(f"{module}.") for name in names)
