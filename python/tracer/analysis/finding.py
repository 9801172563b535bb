"""A finding, and the words of which they are made. findings.py and wait_findings.py find them."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.call_tree import Paths, Row

NANOSECONDS = 1e9
NOBODY = -1  # in the place of a row


class Finding(NamedTuple):
    """text: one line, with `{place}` where the place of `row` is to stand, if there is a row.
    saving: the seconds that it could save at most. about: what it is about; of two findings about
    the same, only the first is told. aside: what follows the text where there is room. imported:
    the module, if the place is where `row` imports it; `{place}` then stands for "at FILE:LINE".
    also: what else it is about. rule: the name of the function that found it."""

    text: str
    saving: float
    about: object
    row: Row | None = None
    aside: str = ""
    imported: str = ""
    also: tuple[object, ...] = ()
    rule: str = ""


def bare(name: str) -> str:
    """The name of a function without those of the functions that it is defined in; of a lambda or
    a generator expression, with the last of them."""
    *outer, last = name.split(".<locals>.")
    return f"{outer[-1]}.{last}" if outer and last.startswith("<") else last


def share(time: int, whole: int) -> str:
    return f"{100 * time / whole:.0f}%"


def seconds(time: int) -> str:
    return f"{time / NANOSECONDS:.2f} s" if time >= NANOSECONDS / 10 else short(time)


def short(time: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if time >= 0.9995 * size:  # which is 1 in three digits
            return f"{time / size:.3g} {unit}"
    return f"{time:.0f} ns"


def counted(number: int) -> str:
    return f"{number:,} call{'s' * (number != 1)}"


def called(row: Row) -> str:
    """The name of a function as one calls it."""
    return row.name.strip("<>").removeprefix("builtins.") if row.file == "~" else bare(row.name)


def names(paths: Paths, row: int) -> tuple[str, str]:
    return paths.modules[row].name, paths.rows[row].name
