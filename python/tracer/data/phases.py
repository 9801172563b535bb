"""The phases of a step that a user names: {category: names of functions}, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# What is told beside phases, by the names that it has there.
TAKEN = {"step": "a step", "others": "what is in no phase"}
REMEDY = "give {'load': ['mypkg.io.read']}: a category, and the names of its functions"


def checked(phases: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """The same with the names as tuples. A name is that of a module and of a function in it, by
    its qualified name, such as `mypkg.io.Reader.read`; `*` stands for any characters.

    Raises TypeError for what is no such mapping, and ValueError for an empty name and for a
    category that means something else.
    """
    if not isinstance(phases, Mapping):
        raise TypeError(f"phases must be a mapping, not {phases!r}; {REMEDY}")
    return {_category(category): _names(category, names) for category, names in phases.items()}


def _category(category: object) -> str:
    word = _word(category)
    if word in TAKEN:
        raise ValueError(f"no phase can have the name {word!r}, which means {TAKEN[word]}")
    return word


def _names(category: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"phases[{category!r}] must be a list of names, not {names!r}; {REMEDY}")
    return tuple(map(_word, names))


def _word(word: object) -> str:
    if not isinstance(word, str):
        raise TypeError(f"phases need names that are text, not {word!r}; {REMEDY}")
    if not word.strip():
        raise ValueError(f"phases need names that are not empty; {REMEDY}")
    return word.strip()
