"""Where the program imports a module: of a finding about imports."""

from __future__ import annotations

from tracer.analysis.finding import bare
from tracer.analysis.folding import MODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.call_tree import Row


def import_place(row: Row, module: str, text: str | None) -> tuple[str | Row, ...]:
    """Where a function imports a module, as parts of a finding: at which line, if that is known.
    text: of the file."""
    from tracer.source.import_lines import import_line  # not for each run: it imports ast

    line = text and import_line(text, row.line, row.name, module)
    if line:
        return "at ", row._replace(line=line)
    if row.name == MODULE:
        return "in ", row._replace(line=0)
    return f"in {bare(row.name)}, ", row
