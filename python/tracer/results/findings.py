"""What stands out in a profile, as records: for the first screen, and the parts of all_findings.py.

The rules are in tracer.analysis. Here is said which line a finding means.
"""

from __future__ import annotations

from tracer.analysis.findings.findings import findings
from tracer.analysis.outline.finding import NANOSECONDS
from tracer.results.records import Finding, Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tracer.analysis.outline import finding as found
    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Row
    from tracer.data.profile_set import ProfileSet
    from tracer.results.records import Rank
    from tracer.source.modules import Module


def first_findings(outline: Outline, most: int, profiles: ProfileSet | None) -> list[Finding]:
    """Those that could save most, at most `most`, of paths that are exact."""
    recorder = Recorder(outline, profiles)
    return [recorder.of(it) for it in findings(outline, most, profiles)]


class Recorder:
    """Makes records of what rules found in an outline. profiles: where their lines are known."""

    def __init__(self, outline: Outline, profiles: ProfileSet | None) -> None:
        self.profiles = profiles
        self.outline = outline
        paths = outline.paths
        self.modules: dict[str, Module] = {
            row.file: module for row, module in zip(paths.rows, paths.modules, strict=True)
        }

    def ranked(self, those: Iterable[found.Finding], rank: Rank) -> Iterator[Finding]:
        """Those of one rank, the largest saving first."""
        return (self.of(it, rank) for it in sorted(those, key=lambda it: -it.saving))

    def of(self, it: found.Finding, rank: Rank | None = None) -> Finding:
        return Finding(
            it.rule,
            tuple(part if isinstance(part, str) else self.function(part) for part in it.parts),
            it.aside,
            it.advice,
            it.saving / NANOSECONDS,
            None if it.row is None else self.function(it.row),
            it.line or self.line_of(it),
            rank or ("memory" if it.figure == "live" else "time"),
        )

    def function(self, row: Row) -> Function:
        row = self.outline.as_recorded(row)
        module = self.modules.get(row.file)
        return Function(*row) if module is None else Function(*row, module.name, module.kind)

    def line_of(self, it: found.Finding) -> int | None:
        if it.row is None or self.profiles is None or not it.figure:
            return None
        from tracer.results.spots import most_line, most_live_line

        row = self.outline.as_recorded(it.row)
        if it.figure == "live":
            return most_live_line(self.profiles, row)
        text = self.outline.text_of(row.file)
        return most_line(self.profiles, row, it.figure, it.callee, text)
