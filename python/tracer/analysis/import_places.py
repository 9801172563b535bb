"""Where the program imports a module: of a finding about imports. Nothing is printed here."""

from __future__ import annotations

from tracer.analysis.finding import bare
from tracer.analysis.folding import MODULE
from tracer.source.texts import LARGEST, decoded, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.call_tree import Row
    from tracer.data.profile_set import ProfileSet


class Imports:
    """Where modules are imported. The profile has the texts of its files; others are read, unless
    it was recorded without."""

    def __init__(self, profiles: ProfileSet, place: Callable[[Row], str]) -> None:
        self.profiles = profiles
        self.place = place

    def asked(self, row: Row, module: str) -> str:
        """Where a function imports a module: at which line, if that is known."""
        from tracer.source.import_lines import import_line  # not for each run: it imports ast

        text = self.text_of(row.file)
        line = text and import_line(text, row.line, row.name, module)
        if line:
            return f"at {self.place(row._replace(line=line))}"
        if row.name == MODULE:
            return f"in {self.place(row).rpartition(':')[0]}"
        return f"in {bare(row.name)}, {self.place(row)}"

    def text_of(self, file: str) -> str | None:
        captures = self.profiles.captures
        kept = [capture.sources[file].data for capture in captures if file in capture.sources]
        if kept:
            return decoded(kept[0])
        if not file.endswith(".py") or not all(capture.keeps_source for capture in captures):
            return None
        found = text_of(file, LARGEST)
        return found and decoded(found[0])
