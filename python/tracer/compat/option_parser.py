"""Command lines as line_profiler's commands take them: flags that can be switched off, short ones
in one word, options that count, beginnings of long names.

What an option does is its command's affair; so are defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tracer.cli.option_values import any_text, split
from tracer.launch.errors import UsageError

BOOLEANS = {
    **dict.fromkeys(("1", "on", "true", "t", "yes", "y"), True),
    **dict.fromkeys(("0", "off", "false", "f", "no", "n"), False),
}

WITHOUT_VALUE = ("flag", "switch", "more", "less")  # of the kinds of options


class Option(NamedTuple):
    """An option. `kind`: "flag" (--NAME, --NAME=no, --no-NAME); "switch" (no value); "value";
    "many" (given again and again, a list); "maybe" (a number, 1 where none follows); "more" and
    "less" (they count); "program" (its value, and all that follows is the program's)."""

    flags: tuple[str, ...]
    kind: str
    meaning: str
    value: str = ""
    read: Callable[[str], Any] = any_text
    name: str = ""  # of its value, where it is not that of the long form

    @property
    def key(self) -> str:
        return self.name or self.flags[-1].lstrip("-")


def parse(argv: Sequence[str], options: Sequence[Option]) -> tuple[dict[str, Any], list[str]]:
    """The values that were given, by the options' names, and the other words. Where an option is
    of the kind "program", the first word that is none ends the options."""
    known = {flag: option for option in options for flag in option.flags}
    known |= {f"--no-{option.key}": option for option in options if option.kind == "flag"}
    runs_program = any(option.kind == "program" for option in options)
    values: dict[str, Any] = {}
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return values, words + rest
        if word == "-" or not word.startswith("-"):
            words.append(word)
            if runs_program:
                return values, words + (rest[1:] if rest[:1] == ["--"] else rest)
            continue
        flag, text = split(word)
        if flag.startswith("--"):
            flag = _completed(flag, known)
        option = known.get(flag)
        if option is None:
            raise UsageError(f"unknown option {flag!r}; --help lists them")
        take = _take_flag if option.kind in WITHOUT_VALUE else _take_value
        take(option, flag, text, rest, values)
        if option.kind == "program":
            return values, rest
    return values, words


def _completed(flag: str, known: dict[str, Option]) -> str:
    if flag in known:
        return flag
    options = {known[full].key: full for full in known if full.startswith(flag)}
    if len(options) > 1:
        raise UsageError(f"{flag} is short for several: {', '.join(sorted(options.values()))}")
    return next(iter(options.values()), flag)


def _take_value(
    option: Option, flag: str, text: str | None, rest: list[str], values: dict[str, Any]
) -> None:
    """`text` is None where none was given with the flag: then it is the next of the words."""
    if option.kind == "maybe":
        if text is None and rest and rest[0].lstrip("-").isdigit():
            text = rest.pop(0)
        values[option.key] = option.read(text) if text else 1
        return
    if text is None:
        if not rest or (option.kind == "program" and rest[0] == "--"):
            raise UsageError(f"{flag} needs a value: {flag} {option.value}")
        text = rest.pop(0)
    if option.kind == "many":
        values.setdefault(option.key, []).append(option.read(text))
    else:
        values[option.key] = option.read(text)


def _take_flag(
    option: Option, flag: str, text: str | None, rest: list[str], values: dict[str, Any]
) -> None:
    """`text` is what was given with the flag, None where that is nothing."""
    if text is not None and not flag.startswith("--"):
        rest.insert(0, f"-{text}")  # -lv is -l -v
    elif text is not None and option.kind != "flag":
        raise UsageError(f"{flag} takes no value, {text!r} was given")
    if option.kind in ("more", "less"):
        step = 1 if option.kind == "more" else -1
        values[option.key] = values.get(option.key, 0) + step
    elif option.kind == "flag" and flag in option.flags and flag.startswith("--"):
        values[option.key] = _yes_or_no(flag, text or "", rest)
    else:
        values[option.key] = not (option.kind == "flag" and flag == f"--no-{option.key}")


def _yes_or_no(flag: str, text: str, rest: list[str]) -> bool:
    """What a long flag says: its text, or the next of the words if that is yes or no."""
    if text and text.lower() not in BOOLEANS:
        raise UsageError(f"{flag}={text}: give yes or no, or nothing")
    if not text and rest and rest[0].lower() in BOOLEANS:
        text = rest.pop(0)
    return BOOLEANS[text.lower()] if text else True


def describe(options: Sequence[Option]) -> str:
    """The options as lines of a usage text."""
    lines = []
    for option in options:
        left = ", ".join(option.flags) + (f" {option.value}" if option.value else "")
        if option.kind == "flag":
            left += f", --no-{option.key}"
        gap = "\n" + " " * 26 if len(left) > 22 else " " * (24 - len(left))
        lines.append(f"  {left}{gap}{option.meaning}\n")
    return "".join(lines)
