"""Kinds of options for line_profiler's commands: flags that can be switched off, options that
count, abbreviated names.

kernprof.py and line_profiler.py have the options and their defaults. cli/options/option.py has the
parser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tracer.cli.options import option as parent
from tracer.cli.options.option import any_text
from tracer.cli.usage import Row, Usage, usage_of
from tracer.launch.errors import UsageError

BOOLEANS = {
    **dict.fromkeys(("1", "on", "true", "t", "yes", "y"), True),
    **dict.fromkeys(("0", "off", "false", "f", "no", "n"), False),
}


class Option(parent.Option):
    """An option with a value, or a flag, whose value is True. Its name is `name`, or else its last
    flag without dashes."""

    has_default = False

    def __init__(
        self, told: str, meaning: str, *, read: Callable[[str], Any] = any_text, name: str = ""
    ) -> None:
        super().__init__(told, meaning, read=read)
        self.name: str = name or self.flags[-1].lstrip("-")


class Flag(Option):
    """A flag that can be switched off: --NAME, --NAME=no, --no-NAME."""

    def forms(self) -> tuple[str, ...]:
        return (*self.flags, f"--no-{self.name}")

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        is_long = flag.startswith("--") and flag in self.flags
        values[self.name] = (
            yes_or_no(flag, text or "", rest) if is_long else flag != f"--no-{self.name}"
        )


class Count(Option):
    """An option whose value is how often it was given, times `step`."""

    def __init__(self, told: str, meaning: str, *, name: str, step: int) -> None:
        super().__init__(told, meaning, name=name)
        self.step = step

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        before = values.get(self.name, 0)
        super().take(flag, text, rest, values)
        values[self.name] = before + self.step


class Many(Option):
    """An option that may be given several times: its value is a list."""

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        text = self.text_given(flag, text, rest)
        values.setdefault(self.name, []).append(self.read(text))


class Maybe(Option):
    """An option whose value is a number: 1 if no number follows."""

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        if text is None and rest and rest[0].lstrip("-").isdigit():
            text = rest.pop(0)
        values[self.name] = self.read(text) if text else 1


class ProgramOption(Option):
    """An option whose value is the program. All words behind it belong to the program."""

    ends_options = True

    def text_given(self, flag: str, text: str | None, rest: list[str]) -> str:
        return super().text_given(flag, text, [] if rest[:1] == ["--"] else rest)


def parse(
    argv: Sequence[str], options: Sequence[Option], *, stop_at_program: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """The values that were given, by the options' names, and the other words. Raises UsageError.
    With `stop_at_program`, the first word that is no option ends the options."""
    rest = list(argv)
    values, words = parent.take_options(
        rest, options, stop_at_program=stop_at_program, flags_join=True, full_flag=completed
    )
    if stop_at_program and words and rest[:1] == ["--"]:
        del rest[0]
    return values, words + rest


def completed(flag: str, by_flag: Mapping[str, Option]) -> str:
    """The long flag that `flag` abbreviates, or `flag` itself. Raises UsageError if several do."""
    if flag in by_flag or not flag.startswith("--"):
        return flag
    found = {by_flag[full].name: full for full in by_flag if full.startswith(flag)}
    if len(found) > 1:
        raise UsageError(f"{flag} is short for several: {', '.join(sorted(found.values()))}")
    return next(iter(found.values()), flag)


def yes_or_no(flag: str, text: str, rest: list[str]) -> bool:
    """The value of a long flag: its text, or the next word if that is yes or no; else True. Raises
    UsageError."""
    if text and text.lower() not in BOOLEANS:
        raise UsageError(f"{flag}={text}: give yes or no, or nothing")
    if not text and rest and rest[0].lower() in BOOLEANS:
        text = rest.pop(0)
    return BOOLEANS[text.lower()] if text else True


HELP = (Option("--version", "print the version"), Option("-h, --help", "print this text"))


def usage_for(line: str, about: str, options: Sequence[Option]) -> Usage:
    """What --help prints. `line`: the words behind `python -m tracer.compat.`."""
    return usage_of(f"python -m tracer.compat.{line}", about, rows_of(options))


def rows_of(options: Sequence[Option]) -> list[Row]:
    """The options, with their meanings beside them: below, where an option is long."""
    rows = []
    for option in options:
        left = option.told + (f", --no-{option.name}" if isinstance(option, Flag) else "")
        is_long = len(left) > 22
        rows += [(f"  {left}", "")] if is_long else []
        rows.append((" " * 26 if is_long else f"  {left:<24}", option.meaning))
    return rows
