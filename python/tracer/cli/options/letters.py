"""Options of one letter, as IPython's magics have them. The notation is getopt's: "s:q" means
-s VALUE and -q. The parser is that of option.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracer.cli.options.option import Option, take_options
from tracer.launch.errors import UsageError


class MissingValue(UsageError):
    """The letter `flag` takes a value, and none follows."""

    def __init__(self, text: str, flag: str) -> None:
        super().__init__(text)
        self.flag = flag


class Letter(Option):
    """An option whose value is the list of all values given; for a flag the list is empty."""

    has_default = False

    def __init__(self, letter: str, value: str, read: Callable[[str], str]) -> None:
        super().__init__(f"-{letter}{value}", "", read=read)
        self.name = letter

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        found = values.setdefault(self.name, [])
        if self.value and text is None and not rest:
            raise MissingValue(f"{flag} needs a value behind it", flag)
        if self.value:
            found.append(self.read(self.text_given(flag, text, rest)))


def take_letters(
    rest: list[str], letters: str, read: Callable[[str], str]
) -> tuple[dict[str, list[str]], list[str]]:
    """The values of each letter given, in their order; and the first word of the statement, in a
    list, which may be empty. The words behind it stay in `rest`. Raises UsageError."""
    options = [
        Letter(letter, " VALUE" if after == ":" else "", read)
        for letter, after in zip(letters, f"{letters[1:]} ", strict=True)
        if letter != ":"
    ]
    return take_options(rest, options, stop_at_program=True, flags_join=True)
