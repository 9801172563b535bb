"""Two profiles side by side: the functions that are new, gone or changed.

Functions are matched by module (source/modules.py) and qualified name, so another checkout or moved
lines make no difference. cli/commands/diff.py prints a comparison.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import zip_longest
from typing import Annotated, NamedTuple

from tracer.analysis.memory.memory import has_memory
from tracer.analysis.tree.call_tree import Row
from tracer.analysis.tree.folding import MODULE, is_own
from tracer.analysis.tree.function_names import FunctionNames, Named
from tracer.data.profile_set import ProfileSet
from tracer.results import columns
from tracer.results.function_tables import RECORD
from tracer.results.metrics import BYTES, METRICS, NONE, Metrics, check_metric, metrics_of, total_of
from tracer.results.table import About, Omitted, Table
from tracer.results.tables import check_limit, sorted_table
from tracer.runtime.unrecorded import all_aside, aside
from tracer.source.file_kinds import OWN, place_of
from tracer.source.modules import Module, modules_of, places_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tracer.data.types import Label

TOTAL = ("~", 0, "(total)")
# Percent of the total time: a function's time that grew by less has not grown.
NOISE = 1.0
AS_MUCH = 0.8  # of the largest change: a function that changed by so much explains the change


@all_aside
class Change(NamedTuple):
    """A function in two profiles. label: (file, line, qualified name), of the second profile unless
    the function is gone. before: None for a new function. after: None for one that is gone."""

    module: str
    label: Label
    before: Metrics | None
    after: Metrics | None

    @property
    def name(self) -> str:
        """`module.qualified name`; a builtin has no module."""
        return f"{self.module}.{self.label[2]}" if self.module else self.label[2]

    @property
    def is_builtin(self) -> bool:
        """Whether the function is written in C."""
        return self.label[0] in ("~", "")

    @property
    def is_own(self) -> bool:
        """Whether the function is of the program's own code."""
        kind, parts = place_of(self.label[0])
        return is_own(Row(*self.label), Module(self.module, "/".join(parts), kind))

    @property
    def state(self) -> str:
        """ "new", "gone", "changed" or "same"."""
        if self.before is None or self.after is None:
            return "new" if self.before is None else "gone"
        return "changed" if any(map(self.has_changed, METRICS)) else "same"

    def delta(self, metric: str) -> float:
        """By how much the metric has grown; negative where it has shrunk. Times are seconds. Calls
        that are not known exactly have not grown."""
        then, now = self.before or NONE, self.after or NONE
        if metric == "calls" and not (then.is_counted and now.is_counted):
            return 0
        return now.of(metric) - then.of(metric)

    def error(self, metric: str) -> float:
        """Two standard errors of that; 0 of what was measured, and no sample."""
        errors = {"tottime": "own_error", "busy": "own_error", "cumtime": "error"}
        if metric not in errors:
            return 0.0
        one, other = (getattr(it or NONE, errors[metric]) for it in (self.before, self.after))
        return math.hypot(one, other)

    def has_changed(self, metric: str) -> bool:
        """Whether the metric changed, by more than the error of samples."""
        return abs(self.delta(metric)) > self.error(metric)

    def ratio(self, metric: str) -> float | None:
        """The metric after, divided by the metric before; None where it was 0 before."""
        before = (self.before or NONE).of(metric)
        return (self.after or NONE).of(metric) / before if before else None


class ChangeRow(NamedTuple):
    """A function in two profiles. What is not in one has 0 there."""

    name: columns.Name
    module: columns.Module
    file: columns.File
    line: columns.Line
    kind: columns.Origin
    state: Annotated[str, About("text", "new, gone, changed or same")]
    ncalls_before: Annotated[int, About("count", "calls")]
    ncalls_after: Annotated[int, About("count", "calls")]
    tottime_before: Annotated[float, About("seconds", "in the function itself")]
    tottime_after: Annotated[float, About("seconds", "in the function itself")]
    cumtime_before: Annotated[float, About("seconds", "with all that it called")]
    cumtime_after: Annotated[float, About("seconds", "with all that it called")]
    waited_before: Annotated[float | None, About("seconds", "of its own time, not run")]
    waited_after: Annotated[float | None, About("seconds", "of its own time, not run")]
    change: Annotated[
        float, About("seconds", "of the metric, after less before; or calls, or bytes")
    ]
    matters: Annotated[bool, About("text", "whether the change is more than noise")]


@all_aside
class Comparison(NamedTuple):
    """total: all functions as one; its cumtime is its tottime. changes: the functions, unsorted.
    unknown: the metrics that one of the profiles has not, which are 0 there. sampled: how many of
    the functions have times by samples."""

    total: Change
    changes: tuple[Change, ...]
    unknown: frozenset[str] = frozenset()
    sampled: int = 0

    def __repr__(self) -> str:
        states = [change.state for change in self.changes]
        counts = ", ".join(f"{states.count(it):,} {it}" for it in ("new", "gone", "changed"))
        return f"<tracer.Comparison of {len(states):,} functions: {counts}>"

    def __str__(self) -> str:
        """The largest changes of own time, as text."""
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def biggest(self, metric: str) -> list[Change]:
        """The functions whose metric changed, the largest change first. Raises ValueError for a
        metric that there is not."""
        check_metric(metric)
        changed = [change for change in self.changes if self._is_beyond_chance(change, metric)]
        return sorted(changed, key=lambda change: -abs(change.delta(metric)))

    def _is_beyond_chance(self, change: Change, metric: str) -> bool:
        """Whether a metric changed by more than the error of samples. Of many functions without a
        change one in twenty is beyond its error: so all of them together are asked to be within
        theirs in nineteen of twenty comparisons (Bonferroni's correction)."""
        return abs(change.delta(metric)) > change.error(metric) * rise(self.sampled)

    def noise(self, metric: str) -> float:
        """The seconds, or bytes, from which on a change matters: NOISE percent of the larger
        total."""
        of = metric if metric in BYTES else "tottime"
        return NOISE / 100 * max((it or NONE).of(of) for it in self.total[2:])

    def matters(self, change: Change, metric: str) -> bool:
        """Whether a change of a time, or of bytes, is more than noise."""
        is_beyond = self._is_beyond_chance(change, metric)
        return is_beyond and abs(change.delta(metric)) >= self.noise(metric) > 0

    def is_mostly_waits(self) -> bool:
        """Whether waits changed more than work did, and mostly in Python functions, which wanted a
        processor, the GIL or a lock. What builtins wait is sleep, I/O and locks."""
        if abs(self.total.delta("waited")) <= abs(self.total.delta("busy")):
            return False
        in_c = sum(abs(it.delta("waited")) for it in self.changes if it.is_builtin)
        return in_c < sum(abs(it.delta("waited")) for it in self.changes if not it.is_builtin)

    def of_own_code(self, metric: str = "cumtime") -> Change | None:
        """The function of the program's own whose time or bytes changed most. The callers of a
        function changed in cumtime about as much: of these the innermost is meant, which has the
        least."""
        own = [it for it in self.biggest(metric) if it.is_own and it.label[2] != MODULE]
        if not own or not self.matters(own[0], metric):
            return None
        if metric != "cumtime":
            return own[0]
        most = own[0].delta("cumtime")
        alike = (it for it in own if it.delta("cumtime") / most >= AS_MUCH)
        return min(alike, key=lambda it: max((f or NONE).cumtime for f in (it.before, it.after)))

    def most_own_time(self, metric: str = "tottime") -> Change | None:
        """The function whose own time, or what was busy of it, grew most."""
        change = max(self.changes, key=lambda it: it.delta(metric), default=None)
        grew = change is not None and change.delta(metric) > 0
        return change if change is not None and grew and self.matters(change, metric) else None

    def only(self, pattern: str) -> Comparison:
        """A comparison of the functions that a table, a tree or the page prints as `pattern`.

        Without such a function, of those that `pattern` matches as a regular expression. Raises
        ValueError for a pattern that is neither a regular expression nor a label.
        """
        chosen = self.names().choose(pattern).labels
        return comparison_of((it for it in self.changes if it.label in chosen), self.unknown)

    def table(self, by: str = "tottime", limit: int | None = None) -> Table[ChangeRow]:
        """The functions as data, the largest change of a metric first. Raises ValueError for a
        metric that there is not."""
        check_metric(by)
        if by in self.unknown:
            why = f"{by} is not known of both profiles"
            return Table("changes", ChangeRow, (), omitted=[Omitted(0, 0, why, RECORD)])
        rows = [row_of(self, change, by) for change in self.changes]
        rows.sort(key=lambda row: -abs(row.change))
        check_limit(limit)
        return sorted_table("changes", ChangeRow, rows, "", limit, ())

    def names(self) -> FunctionNames:
        """The names of the functions."""
        return FunctionNames(
            Named(it.label, it.label, it.label[0], Module(it.module, "", "")) for it in self.changes
        )

    def grown(self, metric: str, percent: float) -> list[Change]:
        """The total and the functions whose metric grew by more than so many percent.

        A function must have had some before. A time that grew by less than NOISE percent of the
        total has not grown, and neither have such bytes.
        """
        total = self.total.before or NONE
        whole = total.of(metric) if metric in BYTES else total.tottime
        noise = 0.0 if metric == "calls" else NOISE * whole
        found = []
        total_too = (self.total,) if self.total.has_changed(metric) else ()
        for change in (*total_too, *self.biggest(metric)):
            before, delta = (change.before or NONE).of(metric), change.delta(metric)
            if before and 100 * delta > percent * before and 100 * delta >= noise:
                found.append(change)
        return found

    def grown_by_bytes(self, metric: str, size: int) -> list[Change]:
        """The total, and the functions of both profiles, whose bytes of the metric grew by more
        than `size`. Raises ValueError for a metric that is not of memory."""
        if metric not in BYTES:
            names = ", ".join(BYTES)
            raise ValueError(f"{metric!r} has no bytes; choose from {names}, or give a percentage")
        return [
            change
            for change in (self.total, *self.biggest(metric))
            if change.before is not None and change.delta(metric) > size
        ]


def row_of(comparison: Comparison, change: Change, metric: str) -> ChangeRow:
    file, line, name = change.label
    kind = place_of(file)[0]
    one, other = change.before or NONE, change.after or NONE
    delta = change.delta(metric)
    is_known = "waited" not in comparison.unknown
    return ChangeRow(
        *(name, change.module, file, line, kind, change.state),
        *(one.calls, other.calls),
        *(one.tottime, other.tottime, one.cumtime, other.cumtime),
        one.waited if is_known else None,
        other.waited if is_known else None,
        delta,
        delta != 0 and (metric == "calls" or comparison.matters(change, metric)),
    )


@aside
def compare(before: ProfileSet, after: ProfileSet) -> Comparison:
    """Compare two profiles. Make both with names="qualname", or neither where one is another tool's
    file. Raises ValueError for one of each kind, and TypeError for what is no Stats."""
    for which, stats in (("before", before), ("after", after)):
        if not isinstance(stats, ProfileSet):
            raise TypeError(
                f"{which} must be a tracer.Stats, not {stats!r}: make one by tracer.Stats(FILE)"
            )
    if before.names != after.names:
        raise ValueError(
            f"before has names={before.names!r} and after names={after.names!r}, and such names do "
            "not match: make both with names='qualname', or neither where one is of another "
            "profiler's file"
        )
    old, new = metrics_of(before), metrics_of(after)
    changes = []
    for module, then, now in matched(before.stats, after.stats):
        one, other = (
            [found[label] for label in those] for found, those in ((old, then), (new, now))
        )
        label = now[0] if now else then[0]
        sums = (total_of(those) if those else None for those in (one, other))
        changes.append(Change(module, label, *sums))
    whole = comparison_of(changes, unknown_in(before, after))
    if (before.sampled is None) == (after.sampled is None):
        return whole
    # Samples know of no function in C: its time is its caller's.
    kept = (it for it in changes if not it.is_builtin or (it.before and it.after))
    return whole._replace(changes=tuple(kept))


def unknown_in(*pair: ProfileSet) -> frozenset[str]:
    """The metrics that one of the profiles has not."""
    waits = ("waited", "busy") if not all(it.knows_calls for it in pair) else ()
    return frozenset((*waits, *(() if all(map(has_memory, pair)) else BYTES)))


def matched(
    before: Iterable[Label], after: Iterable[Label]
) -> Iterator[tuple[str, list[Label], list[Label]]]:
    """(module, labels before, labels after) of each function of either side: the one place where
    functions of two profiles are matched. Of several with the same module and name (lambdas, say)
    the first by line is matched with the first; where there are not as many of them, they cannot be
    matched singly, and are one."""
    labels = sorted(before), sorted(after)
    modules = _modules(*labels)
    old, new = (_by_name(*pair) for pair in zip(labels, modules, strict=True))
    for key in {**new, **old}:
        then, now = old.get(key, []), new.get(key, [])
        if then and now and len(then) != len(now):
            yield key[0], then, now
        else:
            for one, other in zip_longest(then, now):
                yield key[0], [one] * (one is not None), [other] * (other is not None)


def _modules(
    before: Sequence[Label], after: Sequence[Label]
) -> tuple[dict[str, Module], dict[str, Module]]:
    """The modules of the files of each profile.

    Where both profiles are of one checkout, its files are named from the same folder, even if one
    run saw fewer of them.
    """
    files, others = ({label[0] for label in labels} for labels in (before, after))
    places = places_of(files | others)
    own = (places[file] for file in files & others)
    if any(kind == OWN and len(parts) > 1 for kind, parts in own):
        modules = modules_of(files | others)
        return modules, modules
    return modules_of(files), modules_of(others)


def _by_name(
    labels: Sequence[Label], modules: dict[str, Module]
) -> dict[tuple[str, str], list[Label]]:
    """The functions by module and name, in their order."""
    functions: dict[tuple[str, str], list[Label]] = {}
    for label in labels:
        functions.setdefault((modules[label[0]].name, label[2]), []).append(label)
    return functions


@cache
def rise(among: int) -> float:
    """How many times two standard errors are as wide as the bounds that so many figures are within,
    all of them, in 19 of 20 cases."""
    if among <= 1:
        return 1.0
    from statistics import NormalDist  # takes a while to import

    return NormalDist().inv_cdf(1 - 0.025 / among) / 2


def comparison_of(changes: Iterable[Change], unknown: frozenset[str] = frozenset()) -> Comparison:
    """These functions, and the total that they add up to. unknown: see Comparison."""
    changes = tuple(changes)
    totals = (total_of(it.before for it in changes), total_of(it.after for it in changes))
    before, after = (it._replace(cumtime=it.tottime) for it in totals)
    sampled = sum(it.error("cumtime") > 0 for it in changes)
    return Comparison(Change("", TOTAL, before, after), changes, unknown, sampled)
