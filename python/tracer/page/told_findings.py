"""The findings of the terminal's first screen, for the page: the same words and figures.

All values are as JSON has them. The page's findings.js has rules of its own beside these.
"""

from __future__ import annotations

from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracer.analysis.call_tree import Paths, Row
    from tracer.analysis.finding import Finding
    from tracer.analysis.import_places import Imports
    from tracer.data.profile_set import ProfileSet

NS = 1e9


def findings_of(stats: ProfileSet, paths: Paths) -> list[dict[str, Any]]:
    """The findings, those that could save most first. None where the paths are an estimate, as on
    the first screen. Raises ProfileFormatError for impossible figures."""
    if paths.rule is not None:
        return []
    from tracer.analysis.findings import EVERY, findings
    from tracer.analysis.import_places import Imports
    from tracer.analysis.outline import Outline
    from tracer.analysis.program_texts import ProgramTexts

    texts = ProgramTexts(stats)
    imports = Imports(texts, place_of)
    numbers = {row: number for number, row in enumerate(paths.rows)}
    return [
        {
            "rule": finding.rule,
            "text": text_of(finding, imports) + finding.aside,
            "saves": round(finding.saving * NS),
            "row": None if finding.row is None else numbers.get(finding.row),
            "callee": callee_of(finding, numbers),
        }
        for finding in findings(Outline(paths, texts.of), EVERY, stats)
    ]


def text_of(finding: Finding, imports: Imports) -> str:
    """The text. Of imports, with the line that imports: the page does not look for it."""
    if finding.row is None or not finding.imported:
        return finding.text
    return finding.text.replace("{place}", imports.asked(finding.row, finding.imported))


def place_of(row: Row) -> str:
    return f"{PureWindowsPath(row.file).name}:{row.line}"


def callee_of(finding: Finding, numbers: dict[Row, int]) -> int | None:
    """The other function that a finding is about: that of the program called it."""
    about = finding.about if isinstance(finding.about, tuple) else ()
    others = (one for one in (finding.about, *about) if one != finding.row)
    return next((numbers[one] for one in others if one in numbers), None)
