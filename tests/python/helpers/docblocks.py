"""The pages of the documentation, and the blocks of a page: what a reader would type, and what the
page says is printed then.

A block is indented by four spaces, or fenced. What runs them is in docworld.py.
"""

import re
import textwrap
from pathlib import Path
from typing import NamedTuple

from places import ROOT

README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
DOCS = ROOT / "docs"
# The pages that a user reads; then these and the page that a contributor reads.
MANUAL = [README, *sorted(DOCS.glob("**/*.md"))]
PAGES = [*MANUAL, CONTRIBUTING]
TUTORIAL = DOCS / "first-profile.md"
MESSAGES = DOCS / "reference" / "messages.md"

FENCE = re.compile(r"^ *```(\w*)$")
QUOTED = re.compile(r"^\|[^|]*")  # the first cell of a row
SPAN = re.compile(r"`([^`\n]+)`")


class Block(NamedTuple):
    """`kind`: the language of a fence; "indented" where there is none. `line`: its first."""

    file: str
    line: int
    kind: str
    text: str

    @property
    def first(self) -> str:
        return self.text.partition("\n")[0]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def split(path: Path) -> tuple[list[Block], list[str]]:
    """The blocks of a file, and its other lines."""
    blocks, prose, taken = [], [], []
    kind, start = "", 0
    lines = path.read_text().splitlines()
    for number, line in enumerate([*lines, "the end"], 1):
        fence = FENCE.match(line)
        if kind and kind != "indented":
            if fence is None:
                taken.append(line)
                continue
        elif line.startswith("    ") and (kind or (number > 1 and not lines[number - 2])):
            kind, start = "indented", start if kind else number
            taken.append(line)
            continue
        elif kind and not line:
            taken.append(line)
            continue
        if kind:
            text = textwrap.dedent("\n".join(taken)).strip("\n")
            blocks.append(Block(name_of(path), start, kind, text))
        closes, kind, taken = kind and kind != "indented", "", []
        if fence and not closes:
            kind, start = fence[1] or "fenced", number + 1
        elif not fence:
            prose.append(line)
    return blocks, prose[:-1]


def prose_of(pages: list[Path]) -> list[str]:
    """The lines of these pages that are in no block, without the messages that a page quotes."""
    lines = [(page, line) for page in pages for line in split(page)[1]]
    return [QUOTED.sub("", line) if page == MESSAGES else line for page, line in lines]


def spans(prose: list[str]) -> list[str]:
    """The texts in backticks, in order. In a table a bar is written with a backslash."""
    return [span.replace("\\|", "|") for span in SPAN.findall("\n".join(prose))]


def anchors(path: Path) -> set[str]:
    """What a link to the page may have behind its `#`: the headings, as GitHub names them."""
    headings = [line.lstrip("# ") for line in split(path)[1] if line.startswith("#")]
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}


def table_rows(lines: list[str]) -> list[list[str]]:
    """The cells of the rows of all tables among these lines, heads left out."""
    rows = [line for line in lines if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
    heads = {at - 1 for at, row in enumerate(cells) if set("".join(row)) <= set("-: ")}
    return [row for at, row in enumerate(cells) if at not in heads and at - 1 not in heads]
