"""Reads the options of %tprun, %tlprun and %ttime, and their values.

A bad option raises IPython's UsageError, which prints one line. ipython.py applies the options, and
has their help.
"""

from __future__ import annotations

import math
import os
import re
from copy import copy
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from tracer.api.stats import Stats
from tracer.cli.options.letters import take_letters
from tracer.cli.options.option import take_options
from tracer.launch import errors
from tracer.launch.errors import UnknownOption
from tracer.report.figure_tables import FIGURE_KEYS
from tracer.source.labels import PATTERN_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tracer.cli.options.option import Option

    # By letter, the values given, in their order; for a flag, an empty list.
    Options = dict[str, list[str]]
    Files = tuple[str | None, str | None]  # the files of -D and of -T

WORD = re.compile(r"""\s*("[^"]*"(?!\S)|'[^']*'(?!\S)|\S+)""")


def parse_line(magic: str, line: str, letters: str) -> tuple[Options, str]:
    """The options of a line, and the statement behind them exactly as written: IPython's own parser
    splits the statement, too. `letters` are in getopt's notation. Raises UsageError."""
    return parsed(magic, line, lambda rest: take_letters(rest, letters, unquoted))


def parse_options(magic: str, line: str, options: Sequence[Option]) -> tuple[dict[str, Any], str]:
    """The values of a verb's options by name, and the statement, as parse_line() has it. Raises
    UsageError."""
    here = [of_magic(option) for option in options if not option.ends_options]
    return parsed(
        magic,
        line,
        lambda rest: take_options(rest, here, stop_at_program=True, flags_join=True),
    )


def of_magic(option: Option) -> Option:
    """The same option, whose value may stand in quotes."""
    found = copy(option)
    found.read = lambda text: option.read(unquoted(text))
    return found


def parsed(
    magic: str, line: str, take: Callable[[list[str]], tuple[dict[str, Any], list[str]]]
) -> tuple[dict[str, Any], str]:
    """What `take` finds in the words of a line; and the text from the first word that it left."""
    found = list(WORD.finditer(line))
    rest = [word[1] for word in found]
    try:
        options, words = take(rest)
    except UnknownOption as error:
        raise UsageError(
            f"%{magic}: {error.flag} is none of its options: see %{magic}?, "
            "and write -- before a statement that begins with -"
        ) from None
    except errors.UsageError as error:
        raise UsageError(f"%{magic}: {error}") from None
    left = len(words) + len(rest)
    return options, line[found[-left].start() :].strip() if left else ""


def unquoted(value: str) -> str:
    return value[1:-1] if value[:1] in ("'", '"') and value[-1:] == value[:1] else value


def sort_keys(options: Options) -> list[str]:
    keys = options.get("s", ["time"])
    if len(keys) == 1 and keys[0] in FIGURE_KEYS:
        return keys
    known = Stats().get_sort_arg_defs()
    for key in keys:
        if key in FIGURE_KEYS:
            raise UsageError(f"-s {key}: this key stands alone; leave the others out")
        if key not in known:
            raise UsageError(f"-s {key}: there is no such key; try time, cumulative or calls")
    return keys


def row_limit(text: str) -> int | float | str:
    """A number of rows, a share of them, or a regular expression, as pstats takes them. Raises
    UsageError."""
    if re.fullmatch(r"\d+", text, re.ASCII):
        return int(text)
    if re.fullmatch(r"-?\d*\.?\d+", text, re.ASCII):
        if not 0 <= (share := float(text)) <= 1:
            raise UsageError(f"-l {text}: give a number of rows, a share from 0 to 1, or a name")
        return share
    try:
        re.compile(text)
    except PATTERN_ERRORS as error:
        raise UsageError(f"-l {text}: no regular expression: {error}") from None
    return text


def unit_of(options: Options) -> float | None:
    if "u" not in options:
        return None
    text = options["u"][-1]
    try:
        unit = float(text)
    except ValueError:
        unit = 0.0
    if not 0 < unit < math.inf:
        raise UsageError(f"-u {text}: give a positive number of seconds, 1e-3 for milliseconds")
    return unit


def files_of(options: Options) -> Files:
    """The files of -D and -T. Raises UsageError, before anything runs, if there is no folder for
    one, or if it is a folder."""
    found = []
    for letter in "DT":
        path = os.path.expanduser(options[letter][-1]) if letter in options else None
        if path is not None and not os.path.isdir(os.path.dirname(path) or "."):
            raise UsageError(f"-{letter} {path}: there is no folder {os.path.dirname(path)}")
        if path is not None and os.path.isdir(path):
            raise UsageError(f"-{letter} {path}: it is a folder: name a file")
        found.append(path)
    return found[0], found[1]
