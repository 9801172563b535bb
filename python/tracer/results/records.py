"""The records of what is shown: every output draws these, none works out its own.

Values are raw: seconds, bytes, percent, counts. An output chooses units, digits, colours and the
width, and escapes control characters.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

# grave: the figures are at fault, not the program. hint: for those who look closer; no first screen
# has it.
Rank = Literal["grave", "memory", "time", "hint"]


class Function(NamedTuple):
    """A function, or a place in one. line: where it is defined, or the place; 0: all of the file.
    kind: "own", "library", "site", "builtin" or "native"."""

    file: str
    line: int
    name: str
    module: str = ""
    kind: str = ""

    @property
    def place(self) -> str:
        """Its file without folders, and its line."""
        file = self.file.rpartition("/")[2]
        return f"{file}:{self.line}" if self.line else file


class Finding(NamedTuple):
    """What stands out in a run.

    rule: its name. parts: one line; a Function in it stands for its place, "FILE:LINE". aside: what
    follows the line where there is room. advice: sentences: what more is known, and what may be
    done. saves: the seconds that a mend could save at most. function: the one to look at. line: the
    line of its file to look at, where that is known.
    """

    rule: str
    parts: tuple[str | Function, ...]
    aside: str = ""
    advice: str = ""
    saves: float = 0.0
    function: Function | None = None
    line: int | None = None
    rank: Rank = "time"

    def __str__(self) -> str:
        """The line, as the first screen has it, and what follows."""
        parts = (part if isinstance(part, str) else part.place for part in self.parts)
        return "".join((*parts, self.aside))
