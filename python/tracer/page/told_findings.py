"""The findings of the terminal's first screen, for the page: the same words and figures.

All values are as JSON has them. The page's findings.js has rules of its own beside these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracer.analysis.call_tree import Paths, Row
    from tracer.analysis.finding import Finding

NS = 1e9


def findings_of(paths: Paths) -> list[dict[str, Any]]:
    """The findings, those that could save most first. None where the paths are an estimate, as on
    the first screen. Raises ProfileFormatError for impossible figures."""
    if paths.rule is not None:
        return []
    from tracer.analysis.findings import RULES, findings
    from tracer.analysis.outline import Outline

    numbers = {row: number for number, row in enumerate(paths.rows)}
    return [
        {
            "rule": finding.rule,
            "text": finding.text + finding.aside,
            "saves": round(finding.saving * NS),
            "row": None if finding.row is None else numbers.get(finding.row),
            "callee": callee_of(finding, numbers),
        }
        for finding in findings(Outline(paths), len(RULES))
    ]


def callee_of(finding: Finding, numbers: dict[Row, int]) -> int | None:
    """The other function that a finding is about: that of the program called it."""
    about = finding.about if isinstance(finding.about, tuple) else ()
    others = (one for one in (finding.about, *about) if one != finding.row)
    return next((numbers[one] for one in others if one in numbers), None)
