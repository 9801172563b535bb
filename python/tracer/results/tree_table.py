"""The call tree as a table: a row for each path of calls, its callers above it."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Annotated, NamedTuple

from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.choice import TreeChoice
from tracer.analysis.tree.function_names import names_of
from tracer.analysis.tree.nodes import Selection
from tracer.results import columns
from tracer.results.function_tables import check_name
from tracer.results.table import NOTHING, About, Omitted, Table
from tracer.source.modules import modules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.data.profile_set import ProfileSet

NS = 1e9


class TreeRow(NamedTuple):
    """A path of calls. The row above with a depth less by one is its caller."""

    depth: Annotated[int, About("number", "1 of what no recorded function called")]
    name: columns.Name
    module: columns.Module
    file: columns.File
    line: columns.Line
    kind: columns.Origin
    share: Annotated[float, About("percent", "of the time of all")]
    cumtime: columns.Cumulative
    tottime: columns.Own
    waited: Annotated[
        float | None, About("seconds", "not run, in the function and all that it called")
    ]
    ncalls: columns.Calls


def tree_of(
    profiles: ProfileSet,
    depth: int | None,
    percent: float,
    limit: int | None,
    root: str | None,
    fold: bool | Iterable[str],
) -> Table[TreeRow]:
    """See Stats.tree()."""
    check_choice(depth, percent, limit)
    if root is not None:
        check_name("root", root)
    names = names_of(profiles)
    below = None if root is None else names.choose(root)
    if below is not None and not below:
        return Table("tree", TreeRow, (), omitted=[Omitted(0, 0, names.unmatched(str(root)))])
    packages = () if isinstance(fold, bool) else (fold,) if isinstance(fold, str) else tuple(fold)
    choice = TreeChoice(root=below, libraries=fold is True, packages=packages)
    paths = paths_of(profiles)
    tree, rows, whole, _ = choice.part(paths, lambda amount, of: "")
    totals, waited = tree.totals(), tree.totals(tree.waited)
    chosen = Selection(tree, totals, whole, depth, percent, limit)
    modules = modules_of({row.file for row in rows})
    found = []
    for node, level in chosen.levels():
        row = rows[tree.row[node]]
        module = modules[row.file]
        place = row.name, module.name, row.file, row.line, module.kind
        share = 100 * totals[node] / (whole or 1)
        times = totals[node] / NS, tree.time[node] / NS
        waits = waited[node] / NS if profiles.knows_calls else None
        calls = tree.calls[node] if profiles.sampled is None else None
        found.append(TreeRow(level, *place, share, *times, waits, calls))
    omitted = []
    number = len(found) + chosen.too_small + chosen.too_deep + chosen.too_many
    for count, why, remedy in (
        (chosen.too_small, f"less than {percent:g}% of the time", "give percent=0"),
        (chosen.too_deep, f"deeper than {depth} calls", "give depth=None"),
        (chosen.too_many, f"the limit is {limit}", "give limit=None"),
    ):
        if count:
            omitted.append(Omitted(count, number, why, remedy))
    if not profiles.stats:
        omitted.append(NOTHING)
    if paths.rule is not None:
        omitted.append(Omitted(0, 0, f"the paths are an estimate: {paths.rule}"))
    return Table("tree", TreeRow, found, whole=number, omitted=omitted)


def check_choice(depth: object, percent: object, limit: object) -> None:
    """Raise TypeError for what is no number, and ValueError for one out of its range."""
    for name, value in (("depth", depth), ("limit", limit)):
        if value is not None and not isinstance(value, Integral):
            raise TypeError(f"{name} must be a whole number or None, not {value!r}")
        if value is not None and value < 1:
            raise ValueError(f"{name} must be 1 or more, not {value!r}")
    if not isinstance(percent, Real):
        raise TypeError(f"percent must be a number, not {percent!r}")
    if not 0 <= float(percent) <= 100:
        raise ValueError(f"percent must be from 0 to 100, not {percent!r}")
