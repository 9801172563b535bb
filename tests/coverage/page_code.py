"""The page's modules, counted by V8: in node by tests/page, in Chromium by tests/browser.

In Chromium the modules are one script: it has their lines without comments and indents. loader.js
is a script of its own. A branch is a block that V8 counts apart.
"""

from __future__ import annotations

import bisect
import json
import re
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote, urlparse

from report import File, Line

# Punctuation alone is no code of its own.
CLOSING = set("(){}[];, ")


def files(root: Path, in_node: Path, in_browser: Path) -> list[File]:
    """The page's files, with what the counts in these folders say of their lines."""
    pages = root / "python/tracer/page"
    modules = {path: Module(path, pages) for path in sorted(pages.rglob("*.js"))}
    for found in in_node.glob("*.json"):
        for script in json.loads(found.read_text())["result"]:
            path = Path(unquote(urlparse(script["url"]).path))
            if path in modules:
                modules[path].add(script["functions"], modules[path].starts)
    for found in in_browser.glob("*.json"):
        kept = json.loads(found.read_text())
        for module in modules.values():
            module.add(kept["functions"], module.starts_in(kept["source"]))
    return [
        File(str(path.relative_to(root)), module.lines())
        for path, module in modules.items()
        if module.code
    ]


class Module:
    """A module's lines of code, by their numbers from 0 on, and which were reached."""

    def __init__(self, path: Path, pages: Path) -> None:
        lines = path.read_text().splitlines(keepends=True)
        begins = [0, *accumulate(map(len, lines))]
        texts = [line.strip().removeprefix("export ") for line in lines]
        # The line that the module begins with in the page: bundle.py names each module so.
        variable = re.sub(r"\W", "_", path.relative_to(pages).with_suffix("").as_posix())
        self.opening = f"const m_{variable} = (() => {{\n"
        if path.name == "loader.js":
            self.opening = "(async () => {\nconst early = [];\n"
        self.code = {number: text for number, text in enumerate(texts) if is_code(text)}
        # Where the text of each line of code begins.
        self.starts = {
            number: begins[number] + lines[number].index(text) for number, text in self.code.items()
        }
        self.reached: set[int] = set()
        self.blocks: dict[int, set[int]] = {}  # by line: the columns at which a block begins
        self.taken: dict[int, set[int]] = {}

    def starts_in(self, script: str) -> dict[int, int]:
        """Where each line of code begins in a script of the page; no line that the script lacks."""
        found: dict[int, int] = {}
        at = script.find(self.opening)
        if at < 0:
            return found
        for number, text in self.code.items():
            place = at if script.startswith(text, at) else script.find("\n" + text, at) + 1
            if place > 0 or script.startswith(text):
                found[number] = place
                at = place + len(text)
        return found

    def add(self, functions: list[dict], starts: dict[int, int]) -> None:
        """Adds V8's counts of a script in which the lines of code begin at `starts`."""
        if not starts:
            return
        numbers, places = list(starts), list(starts.values())
        first, last = places[0], places[-1] + len(self.code[numbers[-1]])
        counts: list[int | None] = [None] * len(places)
        ranges = [r for function in functions for r in function["ranges"]]
        # An outer range comes before the ranges in it, whose counts replace its own.
        for one in sorted(ranges, key=lambda r: (r["startOffset"], -r["endOffset"])):
            if one["endOffset"] <= first or one["startOffset"] >= last:
                continue
            low = bisect.bisect_left(places, one["startOffset"])
            high = bisect.bisect_left(places, one["endOffset"])
            counts[low:high] = [one["count"]] * (high - low)
            line = bisect.bisect_right(places, one["startOffset"]) - 1
            if line >= 0:
                # The text between two lines of code is not as long in every script.
                text = self.code[numbers[line]]
                column = min(one["startOffset"] - places[line], len(text))
                self.blocks.setdefault(numbers[line], set()).add(column)
                if one["count"]:
                    self.taken.setdefault(numbers[line], set()).add(column)
        self.reached |= {number for number, count in zip(numbers, counts, strict=True) if count}

    def lines(self) -> dict[int, Line]:
        return {
            number + 1: Line(
                number in self.reached,
                [
                    column in self.taken.get(number, ())
                    for column in sorted(self.blocks.get(number, ()))
                ],
            )
            for number in self.code
        }


def is_code(text: str) -> bool:
    if text.startswith(("//", "/*", "*", "import ", "export {")):
        return False
    return bool(set(text) - CLOSING)
