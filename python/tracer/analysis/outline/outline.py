"""The outline of a run: its folded call tree as linked nodes, a root for each thread that matters.

tree/folding.py says what one row is. This module merges threads of a kind, opens the package in
which a program spends its time, and joins rows that only lead to another. report/outline.py prints
it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

from tracer.analysis.outline.awaits_by_caller import awaits_by_caller
from tracer.analysis.outline.sums import Sums
from tracer.analysis.outline.waits_by_caller import waits_by_caller
from tracer.analysis.tree.call_tree import NANOSECONDS, merged_trees
from tracer.analysis.tree.folding import (
    FINDING,
    IMPORTED,
    LEADERS,
    MODULE,
    Folding,
    own_rows,
    program_of,
)
from tracer.analysis.tree.kinds import BUILT_IN, FUNCTIONS, IMPORT, OPENED, OWN, PACKAGE, THREAD
from tracer.analysis.tree.waiting import Waits
from tracer.source.file_kinds import SITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.outline.awaits_by_caller import Awaiting
    from tracer.analysis.outline.waits_by_caller import WaitsByCaller
    from tracer.analysis.tree.call_tree import Paths, Row, Tree
    from tracer.analysis.tree.folding import Folded, Member

LEAST = 0.0005  # of the time: a node with less is in no outline
MATTERS = 0.01  # of the time: threads with less share a root
LEADS = 0.01  # of its time: a node with less of its own only leads to the nodes below
SOLE = 0.95  # of its time: a node that has so much is the only one that matters below another
CHAIN = 3  # functions of the program at most that lead to another
OPENS = 0.4  # of the time: a package with so much is opened ...
FEW = 12  # ... while there are fewer nodes than that of MATTERS
DIGITS = re.compile(r"\d+")


class Node:
    """A row of the outline. Times are nanoseconds.

    kind: one of tree/kinds.py. row: the number in Outline.rows; of a thread -1. total, own:
    cumulative and own time. waited, own_waited: the parts of these in which the thread did not run.
    leads: the nodes that only led to this one, the outermost first: they are no rows. members: of a
    package, the functions that were called in it, by row. entries: the calls that were no
    recursion.
    """

    def __init__(self, kind: str, row: int, name: str, parent: Node | None) -> None:
        self.kind: str = kind
        self.row: int = row
        self.name: str = name
        self.parent: Node | None = parent
        self.total: int = 0
        self.own: int = 0
        self.waited: int = 0
        self.own_waited: int = 0
        self.calls: int = 0
        self.entries: int = 0
        self.resumes: int = 0
        self.children: list[Node] = []
        self.leads: list[Node] = []
        self.members: dict[int, Member] = {}

    @property
    def is_thread(self) -> bool:
        """Whether this is the row of a thread, maybe with the function that it runs."""
        return any(node.kind == THREAD for node in (*self.leads[:1], self))

    @property
    def has_own(self) -> bool:
        """Whether a function of the program is the node or below it."""
        return any(node.kind == OWN for node in self.walk())

    def walk(self) -> Iterator[Node]:
        """The node and all below it, callers first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def callers(self) -> Iterator[Node]:
        """The nodes above, the nearest first, with those that are no rows."""
        node: Node | None = self
        while node is not None:
            yield from reversed(node.leads)
            node = node.parent
            if node is not None:
                yield node


class Outline:
    """The outline of a profile's paths. whole: nanoseconds of all threads. waited: those in which
    the threads did not run. program: installed packages that count as the program's own. rows,
    kinds: the functions, by Node.row. sums: what these took in all places, also in those that are
    no node."""

    def __init__(
        self, paths: Paths, text_of: Callable[[str], str | None] = lambda file: None
    ) -> None:
        self.paths: Paths = paths
        self.text_of: Callable[[str], str | None] = text_of
        groups = grouped(self.paths)
        self.whole: int = sum(tree.in_functions for tree in self.paths.trees)
        self.waited: int = sum(sum(tree.waited) for tree in self.paths.trees)
        self.program: tuple[str, ...] = program_of(self.paths)
        self.owns: list[bool] = own_rows(self.paths)
        self.opened: list[str] = list(self.program)
        self.roots: list[Node] = self.outlined(groups)
        while package := self.package_to_open():
            self.opened.append(package)
            self.roots = self.outlined(groups)
        self.sums: Sums = Sums(self.folded, self.kinds)

    def outlined(self, groups: list[tuple[str, Tree]]) -> list[Node]:
        folding = Folding(self.paths, opened=self.opened, recursion=True)
        self.folded: list[Folded] = [folding.fold(tree) for _, tree in groups]
        self.rows: tuple[Row, ...] = tuple(folding.rows)
        self.kinds: list[str] = [self.kind_of(row) for row in range(len(self.rows))]
        names = [name for name, _ in groups]
        roots = [self.linked(*pair) for pair in zip(self.folded, names, strict=True)]
        for root in roots:
            join(root)
        started = [take_in_what_starts(root) for root in roots]
        if len(roots) == 1 and not any(started):
            for child in roots[0].children:
                child.parent = None
            return roots[0].children
        roots = [joined_to_thread(root) for root in roots]
        return sorted(roots, key=lambda root: (not root.has_own, -root.total))

    def linked(self, folded: Folded, name: str) -> Node:
        """The nodes of a folded tree below a root for its thread."""
        tree = folded.tree
        totals, waited = tree.totals(), tree.totals(tree.waited)
        least = LEAST * self.whole
        root = Node(THREAD, -1, name, None)
        root.total, root.waited = tree.in_functions, waited[0] - tree.waited[0]
        path = [root]
        for at in range(1, len(tree)):
            depth = tree.depth[at]
            if depth > len(path):
                continue  # below a node that has too little
            del path[depth:]
            if totals[at] < least:
                continue
            row = tree.row[at]
            node = Node(self.kinds[row], row, self.rows[row].name, path[-1])
            node.total, node.own, node.waited = totals[at], tree.time[at], waited[at]
            node.own_waited = tree.waited[at]
            node.calls, node.resumes = tree.calls[at], tree.resumes[at]
            node.entries = folded.entries[at]
            node.members = folded.members.get(at, {})
            path[-1].children.append(node)
            path.append(node)
        for node in root.walk():
            node.children.sort(key=lambda child: -child.total)
        return root

    def kind_of(self, row: int) -> str:
        if row < len(self.paths.rows):
            if self.paths.is_builtin(row):
                return BUILT_IN
            return OWN if self.is_own(row) else OPENED
        name = self.rows[row].name
        return IMPORT if name.startswith(IMPORTED) or name == FINDING else PACKAGE

    def is_own(self, row: int) -> bool:
        """Whether a row of the paths is a function of the program."""
        return self.owns[row]

    @cached_property
    def awaits(self) -> list[Awaiting]:
        return list(awaits_by_caller(self.paths, self.owns))

    @cached_property
    def waits_by_caller(self) -> WaitsByCaller:
        return waits_by_caller(self.paths, self.owns)

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
            rows += node.total >= MATTERS * self.whole
            if node.kind == PACKAGE and node.name in installed:
                times[node.name] += node.own
        if rows >= FEW or not times:
            return None
        package = max(times, key=lambda name: times[name])
        return package if times[package] > OPENS * self.whole else None


def grouped(paths: Paths) -> list[tuple[str, Tree]]:
    """(name, tree) of the threads that get a root each: those whose names differ in numbers only
    are one. Threads that do not matter are one, too, and none where they do not matter together."""
    by_name: dict[str, list[Tree]] = defaultdict(list)
    for tree in paths.trees:
        by_name[DIGITS.sub("N", tree.name)].append(tree)
    times = {name: sum(it.in_functions for it in trees) for name, trees in by_name.items()}
    whole = sum(times.values())
    found = []
    rest: list[Tree] = []
    for name, trees in by_name.items():
        if times[name] < MATTERS * whole:
            rest += trees
        else:
            several = f"{len(trees)} threads {name}".strip()
            found.append((trees[0].name if len(trees) == 1 else several, merged_trees(trees)))
    if rest and (not found or sum(it.in_functions for it in rest) >= MATTERS * whole):
        found.append((f"{len(rest)} other threads", merged_trees(rest)))
    return found


def join(root: Node) -> None:
    """Take the rows out that only lead to another."""
    waiting = [root]
    while waiting:
        above = waiting.pop()
        for at, child in enumerate(above.children):
            node = child
            while leads_on(node):
                node.children[0].leads = [*node.leads, node]
                node = node.children[0]
                node.parent = above
            above.children[at] = node
        waiting += above.children


def take_in_what_starts(root: Node) -> bool:
    """Take the row of a library that only starts the code of a thread out, such as threading: what
    it took itself is the thread's. Whether there was one."""
    if len(root.children) != 1:
        return False
    (starter,) = root.children
    if starter.kind != PACKAGE or starter.name not in LEADERS:
        return False
    root.own += starter.own
    root.own_waited += starter.own_waited
    root.children = starter.children
    for child in root.children:
        child.parent = root
    return True


def joined_to_thread(root: Node) -> Node:
    """The root of a thread, or the node that has the whole time of it: it has the thread's row."""
    if not root.children or root.children[0].total < SOLE * root.total:
        return root
    only = root.children[0]
    only.leads = [root, *only.leads]
    only.parent = None
    return only


def leads_on(node: Node) -> bool:
    """Whether a node is no row of its own: it only leads to one function. It is of C, or of others
    than the function is; or both were called as often."""
    if not node.children or node.kind == THREAD or node.own > LEADS * node.total:
        return False
    child = node.children[0]
    if child.kind not in FUNCTIONS or child.total < SOLE * node.total:
        return False
    if node.kind == child.kind:
        often = node.calls == child.calls
        return node.name != MODULE and often and len(node.leads) < CHAIN
    return node.kind != OWN
