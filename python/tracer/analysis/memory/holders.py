"""Who holds objects of a type: paths to a sample of them, grouped by the place that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tracer.analysis.memory.object_path import Step, start_of, steps_of
from tracer.analysis.tree.called_names import bare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tracer._core import _Found, _Start

ANY = "[…]"  # some place in a container
ANY_KEY = ".<key>"
ALIKE = 0.9  # so much of a group is in one place of a container: that place is named
PATH, OWN, NONE = "path", "tracer", "none"  # the kinds of groups


class Group(NamedTuple):
    """Objects that one holder keeps alive, or tracer, or nobody who is known."""

    kind: str  # PATH, OWN or NONE
    holder: str | None  # the part of their paths that they share, of PATH
    members: tuple[int, ...]  # their places in the sample


class Parted(NamedTuple):
    """A path in pieces: texts, and behind each but the last a place in a container."""

    number: int  # of the object in the sample
    texts: tuple[str, ...]
    places: tuple[str, ...]


def groups_of(paths: Sequence[_Found | None]) -> list[Group]:
    """The groups of a sample, of which each object has its path or None: the largest first; the
    objects that tracer itself holds, and those without a path, come last."""
    parted: list[Parted] = []
    own: list[int] = []
    pathless: list[int] = []
    for number, path in enumerate(paths):
        if path is None:
            pathless.append(number)
            continue
        steps = steps_of(path[1])
        if is_tracers(path[0], steps):
            own.append(number)
        else:
            parted.append(Parted(number, *parts_of(owner_of(path[0]), steps)))
    found = [Group(PATH, *group) for group in split(parted, 0, "")]
    found.sort(key=lambda group: (-len(group.members), group.members))
    found += [Group(OWN, None, tuple(own))] if own else []
    found += [Group(NONE, None, tuple(pathless))] if pathless else []
    return found


def owner_of(start: _Start) -> str:
    """Where a path begins; a variable with the function whose it is."""
    expression, _ = start_of(start)
    *_, function, variable = start
    is_variable = start[0] == "variable" and variable is not None
    return f"{bare(function or '')}: {expression}" if is_variable else expression


def is_tracers(start: _Start, steps: Sequence[Step]) -> bool:
    """Whether a path leads through a module of tracer, or an object of its own that a module has,
    as the profiler that the command puts into builtins."""
    if start[0] != "module":
        return False
    first = steps[0][1] if steps else ""
    return f"{start[1]}.".startswith("tracer.") or first.startswith("tracer.")


def is_place(text: str) -> bool:
    """Whether a step leads to an item of a container."""
    return text.startswith(("[", ".<element>", ".<key "))


def is_nameless(place: str) -> bool:
    """Whether several items of a container may have this place: of a key of a class of the
    program's, or a tuple of such, only the class is known."""
    return place in (ANY, ".<element>") or place.startswith(("[<", ".<key <"))


def any_of(place: str) -> str:
    """What stands for this place and others of the container."""
    if place.startswith("["):
        return ANY
    return ANY_KEY if place.startswith(".<key ") else place


def parts_of(start: str, steps: Sequence[Step]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts and places of a path. Of a chain, as .next.next.next, each step of which leads to
    an object of the same type, the first step is told."""
    texts, places, before = [start], [], ""
    for text, kind in steps:
        if is_place(text):
            places.append(text)
            texts.append("")
            before = ""
        elif kind != before:
            texts[-1] += text
            before = kind
        elif not texts[-1].endswith("…"):
            texts[-1] += "…"
    return tuple(texts), tuple(places)


def split(members: Sequence[Parted], at: int, before: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Holders, and who is held. The members have the same path up to the text with the number `at`;
    before: that path."""
    by_text: dict[tuple[str, bool], list[Parted]] = {}
    for member in members:
        goes_on = at < len(member.places)
        by_text.setdefault((member.texts[at], goes_on), []).append(member)
    for (text, goes_on), alike in by_text.items():
        holder = before + text
        if not goes_on:
            yield holder, tuple(member.number for member in alike)
            continue
        by_place: dict[str, list[Parted]] = {}
        for member in alike:
            by_place.setdefault(member.places[at], []).append(member)
        place, most = max(by_place.items(), key=lambda it: len(it[1]))
        if is_nameless(place) or len(most) < ALIKE * len(alike):
            yield holder + any_of(place), tuple(member.number for member in alike)
            continue
        yield from split(most, at + 1, holder + place)
        rest = tuple(member.number for member in alike if member.places[at] != place)
        if rest:
            yield holder + any_of(place), rest
