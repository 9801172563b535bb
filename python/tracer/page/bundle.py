"""Joins the page's ES modules into one script, because a page that is a file can import none.

Each module becomes a function that is called once, after those that it imports. Comments and
indents are left out.
This file knows only the forms that the page uses, each at the beginning of a line:
`import { a, b as c } from "./x.js";`, `export function`, `export async function`, `export const`
and `export class`.
"""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) ([A-Za-z_]\w*))", re.MULTILINE)
ANY_FORM = re.compile(r"^(?:import|export)\b.*|^.*\bimport\s*\(", re.MULTILINE)
# Comments on lines of their own: they would be a third of the page.
SCRIPT_COMMENT = re.compile(
    r"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL
)
STYLE_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
INDENT = re.compile(r"^\s+", re.MULTILINE)
TEMPLATE_MARK = re.compile(r"(?<!\\)`")


class JoiningError(Exception):
    """A module that cannot be joined, because of its form or its imports."""


def join(entry: str, root: Path) -> str:
    """The script that does what a module of this text would do in the folder `root`. Raises
    JoiningError."""
    modules: dict[Path, str] = {}
    root = root.resolve()
    _add(root / "entry.js", entry, root, modules, ())
    return '"use strict";\n' + "".join(modules.values())


def script(text: str) -> str:
    """A script that is no module, without comments and indents."""
    return INDENT.sub("", SCRIPT_COMMENT.sub("", text))


def without_comments(style: str) -> str:
    """A style sheet without comments and indents."""
    return INDENT.sub("", STYLE_COMMENT.sub("", style))


def _add(
    path: Path, text: str, root: Path, modules: dict[Path, str], importers: tuple[Path, ...]
) -> None:
    if path in modules:
        return
    here = path.relative_to(root).as_posix()
    if path in importers:
        raise JoiningError(f"{here} imports itself, by way of {importers[-1].name}")
    source = SCRIPT_COMMENT.sub("", text)
    heads = []
    for names, target in IMPORT.findall(source):
        imported = (path.parent / target).resolve()
        if not imported.is_file() or not imported.is_relative_to(root):
            raise JoiningError(f"{here} imports {target}, which is not there")
        _add(imported, imported.read_text(encoding="utf-8"), root, modules, (*importers, path))
        heads.append(f"const {{{_bindings(names)}}} = {_variable(imported, root)};\n")
    body = IMPORT.sub("", source)
    exported = EXPORT.findall(body)
    body = EXPORT.sub("", body)
    unknown = ANY_FORM.search(body)
    if unknown is not None:
        raise JoiningError(f"{here}: this form is not known: {unknown[0]}")
    for line in body.splitlines():
        if len(TEMPLATE_MARK.findall(line)) % 2:
            raise JoiningError(f"{here}: a template goes on after the end of its line: {line}")
    body = INDENT.sub("", body)
    modules[path] = (
        f"const {_variable(path, root)} = (() => {{\n{''.join(heads)}{body}"
        f"return {{ {', '.join(exported)} }};\n}})();\n"
    )


def _bindings(names: str) -> str:
    listed = [name.strip() for name in names.split(",") if name.strip()]
    return ", ".join(re.sub(r" as ", ": ", name) for name in listed)


def _variable(path: Path, root: Path) -> str:
    return "m_" + re.sub(r"\W", "_", path.relative_to(root).with_suffix("").as_posix())
