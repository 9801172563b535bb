"""Paths: the calling contexts of a profile, thread by thread or merged, for pictures and exports.

Paths that tracer recorded are exact. A file of another tool holds edges only, and
estimated.py makes paths from them. api/stats.py has functions and callers without paths.
"""

from __future__ import annotations

from array import array
from functools import cached_property, partial
from pstats import func_strip_path  # type: ignore[attr-defined]
from typing import NamedTuple

from tracer._core import ProfileFormatError, add_below, call_paths, merge_paths
from tracer.analysis.tree.collected import Collected, Collections, by_function
from tracer.analysis.tree.edges import Edge, unkept_calls
from tracer.analysis.tree.made_of_text import with_makers
from tracer.analysis.tree.waiting import idle_of
from tracer.data.figures import Figures, merged
from tracer.data.records import NO_ROW
from tracer.data.totals import added_up
from tracer.data.types import Totals
from tracer.runtime.unrecorded import all_aside
from tracer.source.file_kinds import BUILTIN
from tracer.source.modules import IN_NO_FILE, Module, extension_module, modules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tracer.data.part import Part
    from tracer.data.profile_set import ProfileSet
    from tracer.data.sampled_set import SampledSet
    from tracer.data.types import Label, Thread

NANOSECONDS = 1e9
UNKEPT = "<paths not kept>"


class Row(NamedTuple):
    """A function, named as paths_of() says; in files of other tools, as in pstats."""

    file: str
    line: int
    name: str


@all_aside
class Tree:
    """The calling contexts of a thread, or of several, in preorder. Node 0 is the root: its depth
    is 0 and its row is NO_ROW.

    depth, row: array("I"). calls, resumes: array("Q"). time, waited: array("q"), own time in
    nanoseconds, and the part of it in which the thread did not run.
    idle: nanoseconds in which the thread was recorded and no function of it ran. run: the number of
    the run that the thread is of. collections: of garbage, of each thread; Paths.collected() adds
    them up.
    edges: those of calls whose path was not kept, or all edges where paths are estimated. figures:
    by row; they are added up when somebody asks.
    """

    depth: array[int]
    row: array[int]
    calls: array[int]
    resumes: array[int]
    time: array[int]
    waited: array[int]

    def __init__(
        self,
        columns: Iterable[bytes],
        name: str = "",
        ident: int = 0,
        native_id: int = 0,
        edges: Iterable[Edge] = (),
        figures: Callable[[], dict[int, Figures]] = dict,
        idle: int = 0,
        run: int = 0,
        collections: Iterable[Collections] = (),
    ) -> None:
        self.depth, self.row, self.calls, self.resumes, self.time, self.waited = (
            array_of(code, column) for code, column in zip("IIQQqq", columns, strict=True)
        )
        self.name: str = name
        self.ident: int = ident
        self.native_id: int = native_id
        self.edges: list[Edge] = list(edges)
        self.add_up: Callable[[], dict[int, Figures]] = figures
        self.idle: int = idle
        self.run: int = run
        self.collections: tuple[Collections, ...] = tuple(collections)

    def __len__(self) -> int:
        return len(self.depth)

    def __repr__(self) -> str:
        return f"<tracer Tree: {len(self)} nodes of {self.name or 'several threads'}>"

    @cached_property
    def figures(self) -> dict[int, Figures]:
        return self.add_up()

    @cached_property
    def whole(self) -> int:
        """The nanoseconds for which the thread, or the threads, were recorded."""
        return sum(self.time)

    @property
    def in_functions(self) -> int:
        """The nanoseconds of all nodes but the root."""
        return self.whole - self.time[0]

    @cached_property
    def span(self) -> tuple[int, int]:
        """When the thread was there, in nanoseconds of the run: from when its outermost functions
        had their longest call, for as long as it was recorded."""
        tops = {row for depth, row in zip(self.depth, self.row, strict=True) if depth == 1}
        starts = (self.figures[row].longest_at for row in tops if row in self.figures)
        begin = min(starts, default=0)
        return begin, begin + self.whole

    @property
    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]:
        """The columns as tracer._core.merge_paths() takes them."""
        return (
            self.depth.tobytes(),
            self.row.tobytes(),
            self.calls.tobytes(),
            self.resumes.tobytes(),
            self.time.tobytes(),
            self.waited.tobytes(),
        )

    def totals(self, own: array[int] | None = None) -> array[int]:
        """The cumulative time of each node, in nanoseconds: its own and that of all nodes below.
        own: another column to add up, such as `waited`."""
        return array_of("q", add_below(self.depth, self.time if own is None else own))


def array_of(code: str, column: bytes) -> array[int]:
    values = array(code)
    values.frombytes(column)
    return values


@all_aside
class Paths:
    """All paths of a profile.

    rows: the functions. modules: the module of each row's file. owners: of each row, too; but a
    builtin has the extension module that it is of, if that is known: `extensions`, by row.
    trees: one for each thread. rule: None
    where the paths are exact, else the rule by which they were estimated, in a sentence. figures:
    by row, of all threads; they are added up when somebody asks. length: the nanoseconds that the
    runs took, each as long as its longest thread; of samples, as all threads together. natives: the
    rows that are native functions. preemptions: by the number of a run, how often another process
    got the processor of one of its threads, where that is known. sampled: what is known of the
    samples that times come from; None where each call was recorded.
    """

    preemptions: Mapping[int, int] = {}
    sampled: SampledSet | None = None

    def __init__(
        self,
        rows: Iterable[Row],
        trees: Iterable[Tree],
        rule: str | None = None,
        figures: Callable[[], dict[int, Figures]] | None = None,
        natives: frozenset[int] = frozenset(),
        extensions: Mapping[int, Module] | None = None,
    ) -> None:
        self.add_up: Callable[[], dict[int, Figures]] = figures or self._sum_of_threads
        self.rows: tuple[Row, ...] = tuple(rows)
        self.trees: tuple[Tree, ...] = tuple(trees)
        self.rule = rule
        self.natives: frozenset[int] = natives
        self.extensions: Mapping[int, Module] = extensions or {}
        # A library is no module, and has no say in which folder the names of modules start.
        files = ["~" if number in natives else row.file for number, row in enumerate(self.rows)]
        modules = modules_of(files)
        owners = [modules[file] for file in files]
        for number, module in self.extensions.items():
            owners[number] = module
        nodes = ((tree.depth, tree.row, tree.calls) for tree in self.trees)
        self.owners: tuple[Module, ...] = tuple(with_makers(self.rows, owners, nodes))
        self.modules: tuple[Module, ...] = self.owners
        if self.extensions:
            self.modules = tuple(
                IN_NO_FILE if number in self.extensions else module
                for number, module in enumerate(self.owners)
            )

    def __repr__(self) -> str:
        nodes = sum(map(len, self.trees))
        return (
            f"<tracer Paths: {len(self.rows)} functions, {nodes} nodes, {len(self.trees)} threads>"
        )

    def is_builtin(self, row: int) -> bool:
        return self.modules[row].kind == BUILTIN

    def of_thread(self, number: int) -> Paths:
        """The paths of one thread, with the same rows."""
        alone = Paths((), self.trees[number : number + 1], self.rule, None, self.natives)
        alone.rows, alone.modules, alone.owners = self.rows, self.modules, self.owners
        alone.sampled = self.sampled
        return alone

    @cached_property
    def figures(self) -> dict[int, Figures]:
        return self.add_up()

    def _sum_of_threads(self) -> dict[int, Figures]:
        total: dict[int, Figures] = {}
        for tree in self.trees:
            for row, figures in tree.figures.items():
                known = total.get(row)
                total[row] = figures if known is None else merged([known, figures])
        return total

    @cached_property
    def length(self) -> int:
        if self.sampled is not None:  # of all threads: shares are those of the samples
            return sum(tree.whole for tree in self.trees)
        longest: dict[int, int] = {}
        for tree in self.trees:
            longest[tree.run] = max(longest.get(tree.run, 0), tree.whole)
        return sum(longest.values())

    def collected(self, is_wanted: Callable[[int], bool]) -> list[Collected]:
        """The garbage collections of all threads, by the function in which they began and the
        latest one that is wanted on the path of calls to it: see collected.py."""
        threads = (one for tree in self.trees for one in tree.collections)
        return by_function(threads, is_wanted)

    def merged(self) -> Tree:
        """The trees of all threads as one. Of several trees, edges and figures are left out."""
        return merged_trees(self.trees)


def merged_trees(trees: Sequence[Tree]) -> Tree:
    if len(trees) == 1:
        return trees[0]
    collections = (one for tree in trees for one in tree.collections)
    return Tree(merge_paths(tuple(it.columns for it in trees)), collections=collections)


class _Rows:
    """Numbers for labels, in the order in which labels are first seen. natives: the numbers of
    native functions. extensions: by number, the extension module of a builtin."""

    def __init__(self) -> None:
        self.numbers: dict[Label, int] = {}
        self.natives: set[int] = set()
        self.extensions: dict[int, Module] = {}

    def of(self, label: Label) -> int:
        return self.numbers.setdefault(label, len(self.numbers))

    def rows(self) -> Iterator[Row]:
        return (Row(*label) for label in self.numbers)


def paths_of(stats: ProfileSet, names: str = "qualname") -> Paths:
    """The paths of a Stats. Functions are named by `names`, whatever `stats.names` is: "qualname"
    where qualified names are known, "label" as pstats does.

    Raises ProfileFormatError for impossible figures, as in a damaged file.
    """
    rows = _Rows()
    if not stats.is_whole:
        try:
            return _estimate(stats, rows)
        except (OverflowError, ValueError):  # infinite, not a number, or negative
            raise ProfileFormatError(
                "its figures are not those of a profile", remedy="make the profile again"
            ) from None
    runs = {part.capture: number for number, part in enumerate(stats.parts)}
    trees = [
        tree
        for part in stats.parts
        for tree in _trees_of(part, rows, names, stats.raw, runs[part.capture])
    ]

    def figures() -> dict[int, Figures]:
        parts = [
            part.capture.figures(names, part.thread, part.stripped, raw=stats.raw, callers=False)
            for part in stats.parts
        ]
        return figures_of(parts[0] if len(parts) == 1 else added_up(parts), rows)

    added = None if len(trees) == 1 else figures
    natives = frozenset(rows.natives)
    found = Paths(rows.rows(), trees, None, added, natives, rows.extensions)
    found.sampled = stats.sampled_by(names)
    captured = ((number, capture.run) for capture, number in runs.items())
    found.preemptions = {number: run.preemptions for number, run in captured if run is not None}
    return found


def _estimate(stats: ProfileSet, rows: _Rows) -> Paths:
    """Estimate paths from the rows of the file, not from those that strip_dirs() merged.

    A merged row does not tell who called whom: every __init__.py:1(<module>) is one row then.
    """
    from tracer.analysis.tree.estimated import RULE, estimated

    labels = list(stats.unstripped)
    columns = estimated(stats.unstripped, len(labels))
    shown = [label if label in stats.stats else func_strip_path(label) for label in labels]
    numbers = [rows.of(label) for label in (*shown, ("~", 0, UNKEPT))]
    if stats.unstripped is not stats.stats:
        depth, row, calls, resumes, times, waited = columns
        numbered = array("I", [NO_ROW, *(numbers[at] for at in array_of("I", row)[1:])])
        columns = merge_paths(((depth, numbered.tobytes(), calls, resumes, times, waited),))
    totals = Totals(stats.stats, {}, {}, (0.0, 0.0))
    edges = edges_of(totals, rows)
    figures = figures_of(totals, rows)
    tree = Tree(columns, "", 0, 0, edges, lambda: figures)
    return Paths(rows.rows(), [tree], RULE)


def _trees_of(part: Part, rows: _Rows, names: str, raw: bool, run: int) -> Iterator[Tree]:
    capture = part.capture
    costs = None if raw else capture.costs_here
    labels = [function.label(names, part.stripped) for function in capture.functions]
    compensation = None
    if costs is not None:
        from tracer.data.overhead import compensation_of

        bare = ((function.filename, function.name) for function in capture.functions)
        compensation = compensation_of(costs, bare)
    shown = (
        NO_ROW if it in capture.left_out else rows.of(label) for it, label in enumerate(labels)
    )
    numbers = array("I", shown)
    rows.natives.update(numbers[function] for function in capture.native_functions)
    rows.natives.discard(NO_ROW)
    for function, name, file in capture.extensions:
        rows.extensions.setdefault(numbers[function], extension_module(name, file))

    def figures(thread: Thread) -> dict[int, Figures]:
        return figures_of(
            capture.figures(names, thread, part.stripped, raw=raw, callers=False), rows
        )

    overflowed = any(thread.records["folds"] for thread in part.threads)
    unkept = rows.of(("~", 0, UNKEPT)) if overflowed else 0
    tick = capture.seconds_per_tick
    for thread in part.threads:
        records = tuple(thread.records.values())
        columns, left = call_paths((records,), numbers.tobytes(), unkept, tick, compensation)
        yield Tree(
            columns,
            thread.name,
            thread.ident,
            thread.native_id,
            unkept_calls(thread.records["folds"], numbers, tick, left),
            partial(figures, thread),
            _ns(idle_of(capture, thread)),
            run,
            (Collections(thread.records, numbers, tick),),
        )


def figures_of(totals: Totals, rows: _Rows) -> dict[int, Figures]:
    found = {}
    for label, (primitive, ncalls, tottime, cumtime, _) in totals.stats.items():
        again = totals.resumes.get(label)
        found[rows.of(label)] = Figures(
            ncalls,
            primitive,
            _ns(tottime),
            _ns(cumtime),
            0 if again is None else again.total,
            **{name: _ns(by.get(label, 0.0)) for name, by in totals.extras.items()},
        )
    return found


def edges_of(totals: Totals, rows: _Rows) -> Iterator[Edge]:
    for label, (_, _, _, _, callers) in totals.stats.items():
        callee = rows.of(label)
        waits = totals.resumes.get(label)
        for caller, (ncalls, primitive, tottime, cumtime) in callers.items():
            again = waits.callers.get(caller) if waits else None
            total = 0 if again is None else again.total
            yield Edge(
                rows.of(caller), callee, ncalls, primitive, total, _ns(tottime), _ns(cumtime)
            )


def _ns(seconds: float) -> int:
    return round(seconds * NANOSECONDS)
