"""The report: how many mutants the tests noticed, and which lived, with what was made of each.

The last column of a survivor is written by hand, and kept for as long as the same change of the
same line survives.
"""

from __future__ import annotations

import platform
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path

OPENING = """# What the tests do not notice

Made by `make mutants`: one-token changes of the sources, drawn at random, each built and run
against the tests that reach it. What survived is tried again with tests that were written since,
unless its line was rewritten since, so that there is no such change any more. The last column is
written by hand, and kept when the rest is made anew.

{date}, seed {seed}, Python {python}, sources as of {commit}.

| layer | mutants | noticed | by tests written since | line rewritten since | survived |
|---|---:|---:|---:|---:|---:|
"""
HEADING = """
| where | the line | the change | verdict |
|---|---|---|---|
"""


def counts(entries: list[dict]) -> str:
    """A row for each layer and one for all. A mutant that is not yet held against all tests counts
    as a survivor, though it may not be one."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in entries:
        for layer in (entry["layer"], "all"):
            found[layer][entry["state"]] += 1
    rows = []
    for layer in [*sorted(found.keys() - {"all"}), "all"]:
        states, total = found[layer], max(found[layer].total(), 1)
        left = states["survived"] + states["quick"]
        figures = [states["noticed"], states["since"], states["gone"], left]
        shares = " | ".join(f"{figure} ({100 * figure / total:.0f}%)" for figure in figures)
        rows.append(f"| {layer} | {found[layer].total()} | {shares} |\n")
    return "".join(rows)


def row_of(entry: dict, sources: Path) -> tuple[str, str, str]:
    """Where the change is, the line, and the change."""
    change, path = entry["change"], entry["path"]
    line = (sources / path).read_text().splitlines()[entry["line"] - 1]
    new = change["new"] or "nothing"
    column = change["offset"] - start_of((sources / path).read_text(), entry["line"]) + 1
    where = f"{path}:{entry['line']}:{column}"
    return where, f"`{cell(line)}`", f"`{cell(change['old'])}` to `{cell(new)}`"


def start_of(text: str, line: int) -> int:
    return sum(len(part) for part in text.splitlines(keepends=True)[: line - 1])


def cell(text: str) -> str:
    """Text as one cell of a table holds it."""
    return " ".join(text.split()).replace("|", "\\|")


def verdicts(report: str) -> dict[tuple[str, str, str], dict[int, str]]:
    """The verdict that was written of each survivor, by file, line and change, then by the line's
    number. That number may have changed: the reader takes the nearest."""
    found: dict[tuple[str, str, str], dict[int, str]] = defaultdict(dict)
    for row in report.splitlines():
        cells = row.replace("\\|", "\0").strip("|").split("|")
        if len(cells) == 4 and ":" in cells[0]:
            where, line, change, verdict = (one.replace("\0", "\\|").strip() for one in cells)
            name, number, _ = where.split(":")
            found[name, line, change][int(number)] = verdict
    return found


def write_report(path: Path, seed: int, entries: list[dict], sources: Path) -> None:
    """`entries` are those of the journal; `sources` is the tree that was changed."""
    written = verdicts(path.read_text()) if path.exists() else {}
    opening = OPENING.format(
        date=date.today(),
        seed=seed,
        python=platform.python_version(),
        commit=(sources / "made").read_text().strip(),
    )
    parts = [opening, counts(entries), HEADING]
    for entry in sorted(entries, key=lambda entry: (entry["path"], entry["line"])):
        if entry["state"] != "noticed":
            where, line, change = row_of(entry, sources)
            known = written.get((entry["path"], line, change), {0: ""})
            verdict = known[min(known, key=lambda number: abs(number - entry["line"]))]
            parts.append(f"| {where} | {line} | {change} | {verdict} |\n")
    path.write_text("".join(parts))
