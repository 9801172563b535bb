"""The source of a function for the table of its lines, or why there is none to show.

The source comes from the text that the profile keeps or, without one, from the file as it is now.
checksums.py notices edits since the lines were timed; texts.py collects the texts for a profile.
"""

from __future__ import annotations

import inspect
import io
import linecache
import os
import tempfile
import tokenize
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tracer.source.checksums import LARGEST_SOURCE
from tracer.source.statements import Statements, open_regular, parsed
from tracer.source.texts import decoded

# Without source, all lines of a range up to this long are listed; of a longer, those with figures.
LONGEST_GAP = 10_000

NO_FILE = "{} is no file: there is no source to show\n"


class Source(NamedTuple):
    """The source of a function: its lines from the first one on, or why there are none."""

    first_line: int
    contents: list[str]
    problem: list[str]  # lines of text; empty when there is source
    # Whether only lines with figures are printed: for a module, whose other lines are in functions,
    # and for code that never was in a file.
    has_figures_only: bool = False

    @classmethod
    def of(
        cls,
        filename: str,
        first_line: int,
        name: str,
        last_line: int,
        kept: bytes | None = None,
    ) -> Source:
        """`last_line`: the last line that was timed. `kept`: the file's text in the profile."""
        try:
            found = _lines_of(filename) if kept is None else _lines_in(kept)
        except OSError as error:
            problem = [f"Could not read file {filename}: {error.strerror or error}\n"]
        else:
            if found is not None:
                # A source that is in no file is the one that ran: notebooks and doctests keep it.
                can_differ = kept is not None or os.path.isfile(filename)
                found_of = (filename, found, first_line, name, last_line)
                problem = _mismatch(*found_of) if can_differ else []
                if not problem:
                    return cls._found(found, first_line, name, last_line)
            elif has_no_file(filename):
                return cls(first_line, [], [NO_FILE.format(filename)], has_figures_only=True)
            else:
                problem = [
                    f"Could not find file {filename}\n",
                    "Are you sure you are running this program from the same directory\n",
                    "that you ran the profiler from?\n",
                ]
        return cls(first_line, [], problem)

    @classmethod
    def _found(cls, found: list[str], first_line: int, name: str, last_line: int) -> Source:
        """The source, cut out of the lines `found` of its file."""
        is_module = name == "<module>"
        if is_module:
            first_line, block = 1, found
        elif name.rpartition(".")[2].startswith("<"):  # "<genexpr>", say: a part of a statement
            block = found[first_line - 1 : max(first_line, last_line)]
        else:
            block = block_at(found, first_line)
        return cls(first_line, [line.rstrip("\r\n") for line in block], [], is_module)

    def lines(self, timed: Iterable[int]) -> Iterable[tuple[int, str]]:
        """The lines to print: (number, text) of the function's lines and of all lines with figures.

        A line with figures may lie outside the function, where the source has changed since.
        """
        if self.has_figures_only:
            for line in sorted(set(timed)):
                known = 0 < line <= len(self.contents)
                yield line, self.contents[line - 1] if known else ""
            return
        last = self.first_line + len(self.contents) - 1
        rest = sorted({line for line in timed if not self.first_line <= line <= last})
        if self.problem and rest and rest[-1] - min(rest[0], self.first_line) <= LONGEST_GAP:
            rest = list(range(min(rest[0], self.first_line), rest[-1] + 1))
        for line in (line for line in rest if line < self.first_line):
            yield line, ""
        for place, contents in enumerate(self.contents):
            yield self.first_line + place, contents
        for line in (line for line in rest if line > last):
            yield line, ""


def has_no_file(filename: str) -> bool:
    """Whether compile() was given a placeholder in place of a file's name: "<string>", say."""
    return filename.startswith("<") and filename.endswith(">")


def is_generated(filename: str) -> bool:
    """Whether the source never was in a file: a notebook's cell, or made by a program."""
    folder = os.path.join(tempfile.gettempdir(), "")
    return filename.startswith(
        ("<generated", "<ipython-input-", f"{folder}ipykernel_", f"{folder}xpython_")
    )


def _lines_of(filename: str) -> list[str] | None:
    """The lines of a source; None when there is none. Raises OSError for a file that should not be
    read: a device, a pipe, a file too large to be source."""
    if "\0" in filename:
        return None
    try:
        status = os.stat(filename)
    except OSError:
        # Notebooks and doctests keep source that is in no file in linecache.
        # What is not there is not sought along sys.path: the profile may come from anywhere.
        lines = linecache.getlines(filename) if filename in linecache.cache else []
        return lines or ([] if is_generated(filename) else None)
    except UnicodeEncodeError:
        return None
    if status.st_size > LARGEST_SOURCE:
        raise OSError(None, "it is too large for source")
    with open(open_regular(filename), "rb") as file:
        source = file.read(LARGEST_SOURCE)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(encoding)
    except (SyntaxError, UnicodeDecodeError):
        text = source.decode("utf-8", "backslashreplace")
    return io.StringIO(text, newline=None).readlines()  # splitlines() would split at form feeds


def _lines_in(source: bytes) -> list[str]:
    """The lines of a source that the profile holds."""
    return io.StringIO(decoded(source), newline=None).readlines()


def _mismatch(
    filename: str, found: Sequence[str], first_line: int, name: str, last_line: int
) -> list[str]:
    """Why the text of a file cannot be the source of code that names the file; empty if it can.

    A program may make code from a template and name the template as its file. The lines of such
    code are not the template's lines.
    """
    too_short = last_line > max(len(found), 1)
    if filename.endswith(".py") and not too_short:
        return []
    bare = name.rpartition(".")[2]
    try:
        statements = _statements("".join(found))
    except (RecursionError, MemoryError):
        return []  # not known
    # A function that still begins on its line is shown, even where the file has become shorter.
    is_there = statements is not None and statements.has(first_line, bare)
    if is_there and (bare.isidentifier() or not too_short):
        return []
    why = f"no line {last_line}" if too_short else "no such Python"
    made = "this code may have been made from it, as from a template"
    return [f"There is {why} in {filename}: {made}\n"]


@lru_cache(maxsize=1)
def _statements(source: str) -> Statements | None:
    return parsed(source)


def block_at(lines: Sequence[str], first_line: int) -> list[str]:
    """The lines of the function that begins at a line."""
    tail = lines[max(first_line - 1, 0) :]
    try:
        block = list(inspect.getblock(tail))
    except (SyntaxError, IndentationError, tokenize.TokenError, RecursionError):
        block = list(tail[:1])
    return block
