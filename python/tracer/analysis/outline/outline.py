"""The outline of a run: its folded call tree as linked nodes, a root for each thread that matters.

tree/folding.py says what one row is. This module merges threads of a kind, opens the package in
which a program spends its time, and joins rows that only lead to another. report/outline.py prints
it.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from functools import cached_property
from operator import add

from tracer.analysis.outline.awaiting_nodes import awaited_each, generators_of
from tracer.analysis.outline.awaits_by_caller import (
    IDLE_LOOP,
    SHORTEST,
    awaits_by_caller,
    idle_loops,
    worked_elsewhere,
)
from tracer.analysis.outline.loop_steps import LoopSteps, loop_steps
from tracer.analysis.outline.nodes import Node, join, joined_to_thread, take_in_what_starts
from tracer.analysis.outline.real_time import RealTime
from tracer.analysis.outline.sampled_collections import sampled_collections
from tracer.analysis.outline.serial_awaits import serial_awaits
from tracer.analysis.outline.sums import Sums
from tracer.analysis.outline.threads import grouped
from tracer.analysis.outline.wrappers import with_wrappers
from tracer.analysis.tree.call_tree import NANOSECONDS
from tracer.analysis.tree.folding import (
    FINDING,
    IMPORTED,
    Folding,
    own_rows,
    program_of,
)
from tracer.analysis.tree.kinds import BUILT_IN, IMPORT, OPENED, OWN, PACKAGE, THREAD
from tracer.analysis.tree.waiting import Waits
from tracer.source import file_kinds
from tracer.source.file_kinds import SITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.outline.awaits_by_caller import Awaiting
    from tracer.analysis.outline.serial_awaits import Serial
    from tracer.analysis.outline.threads import Group, Idlers
    from tracer.analysis.tree.call_tree import Paths, Row, Tree
    from tracer.analysis.tree.collected import Collected
    from tracer.analysis.tree.folding import Folded

LEAST = 0.0005  # of the time: a node with less is in no outline
MATTERS = 0.01  # of the time: a row with less is none of the few
OPENS = 0.4  # of the time: a package with so much is opened ...
FEW = 12  # ... while there are fewer nodes than that of MATTERS


class Outline:
    """The outline of a profile's paths. real: of each node's time, what is the runs' real time.
    length: nanoseconds that are 100%, the runs' real time. whole: of all threads. waited: those in
    which the threads did not run. program: installed packages that count as the program's own.
    rows, kinds: the functions, by Node.row. sums: what these took in all places, also in those that
    are no node. idlers: the threads that only wait for work; they have no root. wrappers: as in
    wrappers.py."""

    def __init__(
        self, paths: Paths, text_of: Callable[[str], str | None] = lambda file: None
    ) -> None:
        found = with_wrappers(paths, text_of)
        self.paths: Paths = found.paths
        self.wrappers: dict[int, int] = found.wrappers
        self.text_of: Callable[[str], str | None] = text_of
        self.whole: int = sum(tree.in_functions for tree in self.paths.trees)
        self.waited: int = sum(sum(tree.waited) for tree in self.paths.trees)
        self.program: tuple[str, ...] = program_of(self.paths)
        self.owns: list[bool] = own_rows(self.paths)
        self.real: RealTime = RealTime(self.paths, self.owns)
        self.length: int = self.real.length
        groups, idlers = grouped(self.paths, self.real)
        self.idlers: Idlers | None = idlers
        self.opened: list[str] = list(self.program)
        self.roots: list[Node] = self.outlined(groups)
        while package := self.package_to_open():
            self.opened.append(package)
            self.roots = self.outlined(groups)
        pairs = zip(self.folded, self.reals, strict=True)
        self.sums: Sums = Sums(pairs, self.rows, self.kinds, self.wrappers)
        self.collected: list[Collected] = self.collections()
        self.sums.leave_out(self.collected, self.package_row)

    def outlined(self, groups: list[Group]) -> list[Node]:
        folding = Folding(self.paths, opened=self.opened, recursion=True)
        self.folded: list[Folded] = [folding.fold(group.tree) for group in groups]
        # The same, whose time is real, and what of it is waited is with nothing to do.
        self.reals: list[Folded | None] = [
            None if group.real is None else folding.fold(group.real) for group in groups
        ]
        self.rows: tuple[Row, ...] = tuple(folding.rows)
        self.kinds: list[str] = [self.kind_of(row) for row in range(len(self.rows))]
        threads = zip(self.folded, self.reals, groups, strict=True)
        roots = [self.linked(folded, real, group) for folded, real, group in threads]
        for root in roots:
            join(root)
        started = [take_in_what_starts(root) for root in roots]
        if len(roots) == 1 and not any(started):
            for child in roots[0].children:
                child.parent = None
            return roots[0].children
        roots = [joined_to_thread(root) for root in roots]
        return sorted(roots, key=lambda root: (not root.has_own, -root.real))

    def linked(self, folded: Folded, of_real: Folded | None, group: Group) -> Node:
        """The nodes of a folded tree below a root for its threads. of_real: the same by real
        time."""
        tree = folded.tree
        totals, waited = tree.totals(), tree.totals(tree.waited)
        real = totals if of_real is None else real_totals(of_real.tree)
        awaits = self.awaits_in(folded, group.tree)
        worth = worth_of(tree, real, awaits)
        least = LEAST * self.length
        root = Node(THREAD, -1, group.name, None)
        root.total, root.waited = tree.in_functions, waited[0] - tree.waited[0]
        root.real = real[0] - tree.time[0] if of_real is None else real[0]
        root.worth = max(root.real, worth[0]) if awaits else root.real
        path = [root]
        for at in range(1, len(tree)):
            depth = tree.depth[at]
            if depth > len(path):
                continue  # below a node that has too little
            del path[depth:]
            if worth[at] < least:
                continue
            row = tree.row[at]
            node = Node(self.kinds[row], row, self.rows[row].name, path[-1])
            node.total, node.own, node.waited = totals[at], tree.time[at], waited[at]
            node.own_waited, node.real = tree.waited[at], real[at]
            node.awaits, node.worth = awaits.get(at, 0), worth[at]
            node.calls, node.resumes = tree.calls[at], tree.resumes[at]
            node.entries = folded.entries[at]
            node.members = folded.members.get(at, {})
            node.is_wrapper = self.is_wrapper(row)
            path[-1].children.append(node)
            path.append(node)
        for node in root.walk():
            node.children.sort(key=lambda child: (-max(child.real, least), -child.worth))
        return root

    def awaits_in(self, folded: Folded, tree: Tree) -> dict[int, int]:
        """By node of a folded tree, for how long a call awaited, where the event loop was idle."""
        number = next((at for at, one in enumerate(self.paths.trees) if one is tree), None)
        if number is None or self.idle[number] < IDLE_LOOP * self.paths.length:
            return {}
        return awaited_each(self.paths, self.owns, self.text_of, folded.tree, tree)

    def kind_of(self, row: int) -> str:
        if row < len(self.paths.rows):
            if self.is_own(row):
                return OWN
            if self.paths.is_builtin(row):
                return BUILT_IN
            return OWN if self.is_generated(row) else OPENED
        name = self.rows[row].name
        return IMPORT if name.startswith(IMPORTED) or name == FINDING else PACKAGE

    def own_of(self, row: int) -> int:
        """What a function of the paths took itself, of the run's real time and not idle."""
        figures = self.paths.figures[row]
        unreal = self.real.unreal.get(row, 0)
        return figures.tottime - unreal

    def is_own(self, row: int) -> bool:
        """Whether a row of the paths is a function of the program."""
        return self.owns[row]

    def is_generated(self, row: int) -> bool:
        """Whether a library made the function of a text for a class or a module of the program."""
        return self.paths.modules[row].kind == file_kinds.OWN and not self.owns[row]

    def collections(self) -> list[Collected]:
        """The garbage collections, whose times are the clock's: without their part of what the run
        waited for a processor."""
        if self.paths.sampled is not None:
            return sampled_collections(self.paths, self.is_own)
        found = self.paths.collected(self.is_own)
        if not self.real.starved:
            return found
        part = self.length / (self.length + self.real.starved)
        times = ((round(part * it.time), round(part * it.longest)) for it in found)
        return [
            it._replace(time=time, longest=longest)
            for it, (time, longest) in zip(found, times, strict=True)
        ]

    def package_row(self, row: int) -> int:
        """The row that stands for the package of a function where it is folded; else the row."""
        return self.folded_rows.get(self.paths.modules[row].package, row)

    @cached_property
    def folded_rows(self) -> dict[str, int]:
        made = range(len(self.paths.rows), len(self.rows))
        return {self.rows[row].name: row for row in made if self.kinds[row] == PACKAGE}

    def is_wrapper(self, row: int) -> bool:
        """Whether a row is a wrapper, which only passes calls on."""
        return row in self.wrappers

    def as_recorded(self, row: Row) -> Row:
        """The function of a row, which has other names where it is a wrapper."""
        return self.functions.get(row, row)

    @cached_property
    def functions(self) -> dict[Row, Row]:
        rows = self.paths.rows
        return {rows[row]: rows[of] for row, of in self.wrappers.items()}

    @cached_property
    def idle(self) -> list[int]:
        """By tree of the paths, for how long its event loop was idle, in nanoseconds."""
        return idle_loops(self.paths)

    @cached_property
    def elsewhere(self) -> list[int]:
        """By tree of the paths, for how long other threads worked."""
        return worked_elsewhere(self.paths, self.real.kinds)

    @cached_property
    def generators(self) -> set[int]:
        """The rows that do not wait while they are suspended, of those that were for long."""
        figures = self.paths.figures if any(self.idle) else {}
        rows = (row for row, of in figures.items() if of.suspended >= SHORTEST)
        return generators_of(self.paths, self.text_of, rows)

    @cached_property
    def awaits(self) -> list[Awaiting]:
        idle = [idle - worked for idle, worked in zip(self.idle, self.elsewhere, strict=True)]
        return list(awaits_by_caller(self.paths, self.owns, idle, self.generators))

    @cached_property
    def serial(self) -> list[Serial]:
        loops = list(zip(self.idle, self.elsewhere, strict=True))
        return list(serial_awaits(self.paths, self.owns, loops, self.generators))

    @cached_property
    def loop_steps(self) -> LoopSteps:
        return loop_steps(self.paths, self.real, self.owns, self.idle)

    @property
    def waits(self) -> Waits:
        return Waits(self.whole / NANOSECONDS, self.waited / NANOSECONDS)

    def walk(self) -> Iterator[Node]:
        for root in self.roots:
            yield from root.walk()

    def package_to_open(self) -> str | None:
        """The installed package that holds most of a program whose own code is few rows, if there
        is one."""
        installed = {module.package for module in self.paths.modules if module.kind == SITE}
        times: dict[str, int] = defaultdict(int)
        rows = 0
        for node in self.walk():
            rows += node.real >= MATTERS * self.length
            if node.kind == PACKAGE and node.name in installed:
                times[node.name] += node.real - sum(child.real for child in node.children)
        if rows >= FEW or not times:
            return None
        package = max(times, key=lambda name: times[name])
        return package if times[package] > OPENS * self.length else None


def real_totals(tree: Tree) -> array[int]:
    """The real time of each node with all below, of a tree of real time."""
    own = array("q", map(add, tree.time, tree.waited))
    own[0] = 0  # in no function
    return tree.totals(own)


def worth_of(tree: Tree, real: array[int], awaits: dict[int, int]) -> array[int]:
    """Of each node, the longest of its real time, and of what it or a node below awaits."""
    worth = array("q", real)
    path: list[int] = []
    for node in range(len(tree)) if awaits else ():
        del path[tree.depth[node] :]
        path.append(node)
        if node in awaits:
            for above in path:
                worth[above] = max(worth[above], awaits[node])
    return worth
