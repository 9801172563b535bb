"""Writes tables of the manual anew: those of options, from the lists that make --help, and those of
the columns of results, from the classes of their rows.

A table stands between two comments: `<!-- the options of VERB -->`, or the same of the columns of a
table of results, and `<!-- end -->`. Prints the pages that changed. test_docs_tables.py fails where
a page has another table than its list makes.
"""

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from tracer.cli.main import VERBS
from tracer.cli.suggestions import options_of
from tracer.results.comparison import ChangeRow
from tracer.results.table import columns_of
from tracer.results.tables import kinds
from tracer.results.tree_table import TreeRow

ROOT = Path(__file__).parents[2]
TABLE = re.compile(r"(<!-- the (options|columns) of (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
# The commands beside the verbs. Their options say in another form whether they take a value.
OTHERS = ("kernprof", "line_profiler", "memory_profiler")


def pages() -> list[Path]:
    """The pages that have such tables."""
    return [path for path in sorted(ROOT.glob("docs/**/*.md")) if TABLE.search(path.read_text())]


def rewritten(text: str) -> str:
    """The text of a page, its tables made anew."""
    return TABLE.sub(lambda found: f"{found[1]}{TABLES[found[2]](found[3])}{found[4]}", text)


def table(name: str) -> str:
    """The table of the options of a verb, or of a command beside them. KeyError for others."""
    rows = "".join(f"| {flags} | {meaning} |\n" for flags, meaning in rows_of(name))
    return f"\n| option | meaning |\n|---|---|\n{rows}\n"


def column_table(name: str) -> str:
    """The table of the columns of a table of results. KeyError for others."""
    rows: dict[str, type[Any]] = {key: row for key, (row, *_) in kinds().items()}
    rows |= {"tree": TreeRow, "changes": ChangeRow}
    lines = "".join(
        f"| `{it.key}` | {escaped(it.type)} | {UNITS.get(it.kind, '')} | {escaped(it.about)} |\n"
        for it in columns_of(rows[name])
    )
    return f"\n| column | type | unit | what it is |\n|---|---|---|---|\n{lines}\n"


def rows_of(name: str) -> Iterator[tuple[str, str]]:
    if name not in (*VERBS, *OTHERS):
        raise KeyError(name)
    is_verb = name in VERBS
    for option in options_of(name) if is_verb else import_module(f"tracer.compat.{name}").OPTIONS:
        flags = [f"`{flag}`" for flag in option.flags[:-1]]
        flags.append(f"`{option.flags[-1]}{value_of(option)}`")
        yield escaped(", ".join(flags)), escaped(" ".join(option.meaning.split()))


def value_of(option: Any) -> str:
    if getattr(option, "optional", False):
        return f"[={option.value}]"
    return f" {option.value}" if option.value else ""


def escaped(text: str) -> str:
    """As a cell of a table: a bar would end it, and an angle would begin a tag."""
    return text.replace("|", "\\|").replace("<program>", "PROGRAM")


UNITS = {"seconds": "s", "moment": "s since recording began", "percent": "%", "bytes": "bytes"}
TABLES = {"options": table, "columns": column_table}


def main() -> None:
    for path in pages():
        text = path.read_text()
        if (new := rewritten(text)) != text:
            path.write_text(new)
            print(f"wrote {path.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
