"""Where the program imports a module: of a finding about imports. Nothing is printed here."""

from __future__ import annotations

from tracer.analysis.finding import bare
from tracer.analysis.folding import MODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.call_tree import Row
    from tracer.analysis.program_texts import ProgramTexts


class Imports:
    """Where modules are imported, by the texts of the files."""

    def __init__(self, texts: ProgramTexts, place: Callable[[Row], str]) -> None:
        self.texts = texts
        self.place = place

    def asked(self, row: Row, module: str) -> str:
        """Where a function imports a module: at which line, if that is known."""
        from tracer.source.import_lines import import_line  # not for each run: it imports ast

        text = self.texts.of(row.file)
        line = text and import_line(text, row.line, row.name, module)
        if line:
            return f"at {self.place(row._replace(line=line))}"
        if row.name == MODULE:
            return f"in {self.place(row).rpartition(':')[0]}"
        return f"in {bare(row.name)}, {self.place(row)}"
