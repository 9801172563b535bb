"""Lines that are reached and lines that are not, as a table; and the report that is kept."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from pathlib import Path

NO_REASON = "not looked at yet"
ENTRY = re.compile(r"^\| `([^`]+)` \| [^|]* \| ([^|]+) \|$", re.MULTILINE)


ABOUT = [
    "Lines are those of the sources that were counted; a reason speaks of them, and of what was",
    "done about them since. C is counted when a process exits: what only one runs that ends by",
    "`os._exit` or of a signal is listed here, though tests run it. So it is with much of what",
    "happens where memory runs out, as tests take the memory away in children that end so.",
]


@dataclass
class Line:
    reached: bool
    branches: list[bool]


@dataclass
class File:
    name: str
    lines: dict[int, Line]

    def missed(self) -> list[int]:
        return sorted(number for number, line in self.lines.items() if not line.reached)


@dataclass
class Layer:
    name: str
    files: list[File]

    @property
    def counted(self) -> tuple[int, int, int, int]:
        """Lines, those reached, branches, those taken."""
        lines = [line for file in self.files for line in file.lines.values()]
        branches = [taken for line in lines for taken in line.branches]
        return len(lines), sum(line.reached for line in lines), len(branches), sum(branches)

    @property
    def share(self) -> float:
        lines, reached, _, _ = self.counted
        return 100 * reached / max(lines, 1)


def written(layers: list[Layer], least: dict[str, int], about: str, old: Path | None) -> str:
    """The report. Reasons that stand in an old one are kept, by file."""
    reasons = dict(ENTRY.findall(old.read_text())) if old is not None and old.exists() else {}
    today = datetime.date.today().isoformat()
    text = [
        "# What the tests reach",
        "",
        f"`make coverage`, {today}, {about}.",
        "Branches: of C as gcov counts them, of Python and the page the blocks of code.",
        "",
        "| layer | lines | reached | at least | branches | taken |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for layer in layers:
        lines, _, branches, taken = layer.counted
        share = f"{layer.share:.1f}% | {least[layer.name]}%"
        text.append(
            f"| {layer.name} | {lines:,} | {share} | {branches:,} "
            f"| {100 * taken / max(branches, 1):.1f}% |"
        )
    text += ["", "## Not reached", "", *ABOUT, "", "| file | lines | why |", "|---|---|---|"]
    for layer in layers:
        for file in layer.files:
            if missed := file.missed():
                reason = reasons.get(file.name, NO_REASON)
                text.append(f"| `{file.name}` | {runs(missed, sorted(file.lines))} | {reason} |")
    return "\n".join(text) + "\n"


def runs(missed: list[int], lines: list[int]) -> str:
    """Line numbers as runs: 3, 5-9. Between the ends of a run is no line that was reached."""
    parts: list[list[int]] = []
    wanted = set(missed)
    for number in lines:
        if number not in wanted:
            parts.append([])
        elif parts and parts[-1]:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(
        str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts if part
    )
