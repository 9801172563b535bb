"""The names of functions as sentences have them: those of builtins as one writes them."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Row

OUTER = re.compile(r"[\w.]*\.<locals>\.(?!<)")
BEFORE_LAMBDA = re.compile(r"\.<locals>\.(?=<)")
# As ext/interp/ names what has no row: classes, other objects, and functions that are objects.
TYPE = re.compile(r"type '(.*)'")
OBJECT = re.compile(r".* object")
FUNCTION = re.compile(r"\S+ '(.*)' of (.*)")
METHOD = re.compile(r"method '(.*)' of '(.*)' objects")  # as other profilers name it


def bare(name: str) -> str:
    """The name of a function without those of the functions that it is defined in; of a lambda or
    a generator expression, with the last of them."""
    *outer, last = name.split(".<locals>.")
    return f"{outer[-1]}.{last}" if outer and last.startswith("<") else last


def without_outer(text: str) -> str:
    """A text with names, of which each is without the functions that it is defined in; that of a
    lambda or a generator expression has the last of these."""
    return BEFORE_LAMBDA.sub(".", OUTER.sub("", text))


def called(row: Row) -> str:
    """The name of a function as one calls it."""
    return plain_name(row.name) if row.file == "~" else bare(row.name)


def plain_name(name: str) -> str:
    """The name of a builtin as one writes it."""
    return unbracketed(name).removeprefix("builtins.")


def unbracketed(name: str) -> str:
    """The name of a builtin as qualified names have it, from any of its forms."""
    name = name[1:-1] if name[:1] + name[-1:] in ("<>", "{}") else name
    if found := METHOD.fullmatch(name):
        return f"{found[2]}.{found[1]}"
    return name.removeprefix("built-in method ")


def called_object(row: Row) -> str:
    """The name of an object as a sentence has it: a class by its name, others by that of theirs,
    and a function with the package that made an object of it."""
    name = called(row)
    if found := TYPE.fullmatch(name):
        return found[1].removeprefix("builtins.")
    if found := FUNCTION.fullmatch(name):
        is_theirs = name.startswith(("ufunc ", "function "))
        return f"{found[2]}.{found[1]}" if is_theirs else f"{found[2]}'s {found[1]}"
    return f"{name}s" if OBJECT.fullmatch(name) else name
