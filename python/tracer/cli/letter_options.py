"""Options of one letter, as magics of IPython have them, in the notation of getopt: "s:q" means -s
VALUE and -q."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracer.cli.options import Option, take_options


class Letter(Option):
    """Its value is the list of all values that were given, an empty one for a flag."""

    has_default = False

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        found = values.setdefault(self.name, [])
        if self.value:
            found.append(self.read(self.text_given(flag, text, rest)))


def take_letters(
    rest: list[str], letters: str, read: Callable[[str], str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Of each letter that was given, the values in their order; and the words up to the statement,
    which are none or one. The words behind are left in `rest`. Raises UsageError."""
    options = [
        Letter(f"-{letter}", meaning="", value="VALUE" if after == ":" else "", read=read)
        for letter, after in zip(letters, f"{letters[1:]} ", strict=True)
        if letter != ":"
    ]
    return take_options(rest, options, stop_at_program=True, flags_join=True)
