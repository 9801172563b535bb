"""The findings as the page has them: their words, and which row of the data they are about."""

from __future__ import annotations

from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Any

from tracer.analysis.tree.call_tree import Row
from tracer.analysis.tree.called_names import bare

if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet
    from tracer.results.records import Finding, Function


def findings_of(
    stats: ProfileSet, paths: Paths, *, is_running: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """By "all", and by the number of each thread that matters where there are several: its
    findings, as JSON has them. Raises ProfileFormatError for impossible figures."""
    from tracer.results.all_findings import findings_of, findings_of_threads

    rows = {row: number for number, row in enumerate(paths.rows)}
    found = {"all": findings_of(stats, paths, is_running=is_running)}
    found |= {str(number): of for number, of in findings_of_threads(stats, paths)}
    return {threads: [_json(it, rows) for it in of] for threads, of in found.items()}


def _json(it: Finding, rows: dict[Row, int]) -> dict[str, Any]:
    title = "".join(part if isinstance(part, str) else _place(part) for part in it.parts)
    function = it.function
    text, place = it.advice, None
    aside = "" if it.aside.startswith("; --") else it.aside  # an option of show
    if function is not None and it.line is not None:
        place = {"file": function.file, "line": it.line}
        if it.rule != "one_line":
            text = f"Most at line {it.line} of {bare(function.name)}. {text}".rstrip()
    return {
        "rule": it.rule,
        "rank": it.rank,
        "title": f"{title[:1].upper()}{title[1:]}{aside}",
        "text": text,
        "row": None if function is None else rows.get(Row(*function[:3])),
        "place": place,
    }


def _place(function: Function) -> str:
    file = PureWindowsPath(function.file).name
    return f"{file}:{function.line}" if function.line else file
