"""Which members of a class or module are profiled with it, and which are only borrowed.

wrapping.py finds the functions that a member is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import ModuleType
from typing import Any, TypeAlias


class ScopingPolicy(StrEnum):
    """The members that a LineProfiler adds along with a class or module.

    EXACT: the functions defined in it, but no class or module. CHILDREN: the members defined
    directly in it. DESCENDANTS: those defined at any depth in it. SIBLINGS: these, and those
    defined beside it: in the module of a class, in the package of a module. NONE: all members of
    its namespace.
    """

    EXACT = "exact"
    CHILDREN = "children"
    DESCENDANTS = "descendants"
    SIBLINGS = "siblings"
    NONE = "none"

    @classmethod
    def _missing_(cls, value: object) -> ScopingPolicy | None:
        members = {member.value: member for member in cls}
        return members.get(value.lower()) if isinstance(value, str) else None


Policies: TypeAlias = ScopingPolicy | str | Mapping[str, "ScopingPolicy | str"] | None
Filter: TypeAlias = Callable[[Any], bool]

KINDS = ("func", "class", "module")
DEFAULTS = {
    "func": ScopingPolicy.SIBLINGS,
    "class": ScopingPolicy.SIBLINGS,
    "module": ScopingPolicy.EXACT,
}


def filters_of(namespace: type | ModuleType, policies: Policies) -> dict[str, Filter]:
    """By kind, a function that tells whether a member is added. Raises ValueError for an unknown
    policy, KeyError for a mapping that lacks a kind."""
    if policies is None:
        policies = DEFAULTS
    if isinstance(policies, str):
        policies = dict.fromkeys(KINDS, policies)
    chosen = {kind: ScopingPolicy(policies[kind]) for kind in KINDS}
    in_what = _in_class if isinstance(namespace, type) else _in_module
    return {kind: in_what(namespace, kind, policy) for kind, policy in chosen.items()}


def _always(value: bool) -> Filter:
    return lambda member: value


def _in_class(owner: Any, kind: str, policy: ScopingPolicy) -> Filter:
    if kind == "module":
        return _always(False)
    prefix = f"{owner.__qualname__}."

    def is_sibling(member: Any) -> bool:
        same: bool = member.__module__ == owner.__module__
        return same

    def is_child(member: Any) -> bool:
        return is_sibling(member) and member.__qualname__ == prefix + member.__name__

    def is_descendant(member: Any) -> bool:
        return is_sibling(member) and member.__qualname__.startswith(prefix)

    return {
        ScopingPolicy.EXACT: _always(False) if kind == "class" else is_child,
        ScopingPolicy.CHILDREN: is_child,
        ScopingPolicy.DESCENDANTS: is_descendant,
        ScopingPolicy.SIBLINGS: is_sibling,
        ScopingPolicy.NONE: _always(True),
    }[policy]


def _in_module(owner: Any, kind: str, policy: ScopingPolicy) -> Filter:
    name: str = owner.__name__
    package = name.rpartition(".")[0]
    is_module = kind == "module"

    def home(member: Any) -> str:
        of: str = (member.__name__ if is_module else member.__module__) or ""
        return of

    def is_child(member: Any) -> bool:
        return (home(member).rpartition(".")[0] if is_module else home(member)) == name

    def is_descendant(member: Any) -> bool:
        return home(member).startswith(f"{name}.") or (not is_module and home(member) == name)

    def is_sibling(member: Any) -> bool:
        return is_descendant(member) or (
            bool(package) and f"{home(member)}.".startswith(f"{package}.")
        )

    return {
        ScopingPolicy.EXACT: is_child if kind == "func" else _always(False),
        ScopingPolicy.CHILDREN: is_child,
        ScopingPolicy.DESCENDANTS: is_descendant,
        ScopingPolicy.SIBLINGS: is_sibling,
        ScopingPolicy.NONE: _always(True),
    }[policy]
