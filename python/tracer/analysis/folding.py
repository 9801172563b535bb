"""Folds the call tree: the program's own functions stay, what others wrote becomes one row a call.

A folded row stands for a package that the program's code called, or for a module that it imported,
with all that ran inside. Own functions that these call back stand below them again. The page hides
the insides of libraries likewise: page/flame/hidden_frames.js. Nothing is printed here.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.call_tree import Row, Tree
from tracer.data.records import NO_ROW
from tracer.source.origin import BUILTIN, LIBRARY, OWN, is_made_of_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tracer.analysis.call_tree import Paths
    from tracer.source.modules import Module

# The modules that find and run modules: between an `import` and the module that it runs.
IMPORTERS = {
    "importlib",
    "importlib._bootstrap",
    "importlib._bootstrap_external",
    "importlib.util",
    "zipimport",
}
# Of these modules, the functions that an import begins with; `parent`: a relative one. Programs
# also call others of them, to compile a file or to read one.
BEGIN_IMPORTS = {
    *("_find_and_load", "_handle_fromlist", "_gcd_import", "__import__", "_load", "_load_unlocked"),
    *("import_module", "reload", "load_module", "exec_module", "module_from_spec", "find_spec"),
    *("_find_spec", "get_code", "create_module", "parent"),
}
DUNDER_IMPORT = "builtins.__import__"
IMPORTED = "import "  # before the name of what was imported, in the name of a folded row
FINDING = "imports (finding and loading)"  # an import's time outside of the modules that it runs
MODULE = "<module>"
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")  # not called in Python 3.12 and later
LEADERS = {"runpy", "threading", "importlib"}  # what starts the program's code

# What a row is; of a node, what it is inside of. IMPORT: inside of an imported module. OPENED: in a
# package that stands open; importing it is one row all the same.
OPEN, FOLDED, IMPORTER, IMPORT, OPENED, GENERATED, BUILT_IN, COMPREHENSION = range(8)


class Member(NamedTuple):
    """A function of a folded package that the program called: nanoseconds, without those of the
    program's functions that it called back, and calls."""

    time: int
    calls: int


class Folded(NamedTuple):
    """A folded tree. rows: its functions, to which Tree.row refers; those of the paths come first.
    members: by node of a folded package, the functions that the program called in it, by row.
    entries: by node, the calls that were no recursion."""

    rows: tuple[Row, ...]
    tree: Tree
    members: dict[int, dict[int, Member]]
    entries: array[int]


class Folding:
    """How the trees of `paths` are folded.

    libraries: fold what is not the program's own. also: packages or modules that are folded, too.
    opened: packages that are not; by default the one that program_of() finds. recursion: a function
    that calls itself, also by way of others, is one row: the first call, with the time of all.
    opens_imports: the modules of opened packages are rows, too, where they are imported.
    """

    def __init__(
        self,
        paths: Paths,
        *,
        libraries: bool = True,
        also: Collection[str] = (),
        opened: Collection[str] | None = None,
        recursion: bool = False,
        opens_imports: bool = False,
    ) -> None:
        self.rows: list[Row] = list(paths.rows)
        self.modules: tuple[Module, ...] = paths.modules
        self.recursion: bool = recursion
        self.opens_imports: bool = opens_imports
        self.numbers: dict[str, int] = {}  # of the folded rows that were made, by their names
        self.opened: Collection[str] = program_of(paths) if opened is None else opened
        self.groups: list[str] = []  # by row of the paths: the package that it is folded into
        self.roles: bytearray = bytearray()
        for row, module in zip(paths.rows, paths.modules, strict=True):
            group = self._group(row, module, libraries, also)
            self.groups.append(group)
            self.roles.append(self._role(row, module, group))

    def _group(self, row: Row, module: Module, libraries: bool, also: Collection[str]) -> str:
        if module.kind != BUILTIN:
            for name in also:
                if name in (module.package, module.name) or module.name.startswith(f"{name}."):
                    return name
        return module.package if libraries and module.kind not in (OWN, BUILTIN) else ""

    def _role(self, row: Row, module: Module, group: str) -> int:
        if module.kind == BUILTIN:
            return IMPORTER if row.name.strip("<>") == DUNDER_IMPORT else BUILT_IN
        if group and group not in self.opened:
            is_importer = module.kind == LIBRARY and module.name in IMPORTERS
            begins = row.name.rpartition(".")[2] in BEGIN_IMPORTS
            return IMPORTER if is_importer and begins else FOLDED
        if row.name.endswith(COMPREHENSIONS):
            return COMPREHENSION
        if module.kind == OWN and not is_own(row, module):
            return GENERATED
        return OPENED if group else OPEN

    def number_of(self, name: str) -> int:
        """The number of the folded row of this name. Its time is that of functions in no one
        file."""
        if name not in self.numbers:
            self.numbers[name] = len(self.rows)
            self.rows.append(Row("~", 0, name))
        return self.numbers[name]

    def import_name(self, row: int) -> str:
        """What the import of a module is called: of the standard library, the module; else the
        package that it is in."""
        module = self.modules[row]
        return module.name if module.kind == LIBRARY else self.groups[row]

    def is_open(self, row: int) -> bool:
        """Whether a row is a function of the program's own."""
        return row < len(self.roles) and self.roles[row] in (OPEN, OPENED, GENERATED, COMPREHENSION)

    def fold(self, tree: Tree) -> Folded:
        """The tree with its rows folded. No time is lost: that of what is folded is its row's."""
        grown = _Grower(self, tree)
        return Folded(tuple(self.rows), *grown.result())


class _Grower:
    """Makes the folded tree of one tree, node by node in preorder. A node of the folded tree is
    known by its number, in the order in which the nodes were made."""

    def __init__(self, folding: Folding, tree: Tree) -> None:
        self.folding = folding
        self.row = [NO_ROW]
        self.parent = [0]
        self.time = [tree.time[0]]
        self.waited = [tree.waited[0]]
        self.calls = [tree.calls[0]]
        self.entries = [0]
        self.resumes = [tree.resumes[0]]
        self.children: dict[tuple[int, int], int] = {}
        # By node, by the function that the program called in it: its time, its calls.
        self.members: dict[int, dict[int, list[int]]] = {}
        self.grow(tree)

    def child(self, above: int, row: int) -> int:
        """The node of `row` below the node `above`; where recursion is folded and the row is open,
        the one that it is a recursion of."""
        found = self.children.get((above, row))
        if found is None:
            found = self.recursed(above, row) if self.folding.recursion else 0
            if not found:
                found = len(self.row)
                self.row.append(row)
                self.parent.append(above)
                self.time.append(0)
                self.waited.append(0)
                self.calls.append(0)
                self.entries.append(0)
                self.resumes.append(0)
            self.children[above, row] = found
        return found

    def recursed(self, above: int, row: int) -> int:
        while above and self.folding.is_open(row):
            if self.row[above] == row:
                return above
            above = self.parent[above]
        return 0

    def grow(self, tree: Tree) -> None:
        # By level, from the root to the node before: the node that each went to, what that one is,
        # and the function of a folded package that the program called.
        homes, states, entries = [0], [OPEN], [NO_ROW]
        roles = self.folding.roles
        numbers = (tree.calls, tree.resumes, tree.time, tree.waited)
        columns = zip(tree.depth, tree.row, *numbers, strict=True)
        next(columns, None)
        for depth, row, calls, resumes, time, waited in columns:
            del homes[depth:], states[depth:], entries[depth:]
            above, inside, entry = homes[-1], states[-1], entries[-1]
            home, state, counts = self.place_of(row, roles[row], above, inside)
            if counts:
                entry = row if state == FOLDED else NO_ROW
                self.calls[home] += calls
                if state == FOLDED:
                    self.members.setdefault(home, {}).setdefault(row, [0, 0])[1] += calls
                self.entries[home] += calls if self.parent[home] == above else 0
                self.resumes[home] += resumes
            homes.append(home)
            states.append(state)
            entries.append(entry)
            if state == IMPORTER and time:
                home = self.child(home, self.folding.number_of(FINDING))
            self.time[home] += time
            self.waited[home] += waited
            if state == FOLDED:
                self.members[home][entry][0] += time

    def place_of(self, row: int, role: int, above: int, inside: int) -> tuple[int, int, bool]:
        """The node that a call of `row` goes to, the state there, and whether the call is one of
        that node. `above` and `inside` are the node and the state of its caller."""
        folding = self.folding
        if role == OPEN or (inside == OPEN and role in (BUILT_IN, GENERATED)):
            return self.child(above, row), OPEN, True
        if role == COMPREHENSION and inside == OPEN:
            return (above, OPEN, False) if above else (self.child(above, row), OPEN, True)
        if role == IMPORTER and inside in (OPEN, FOLDED):
            return above, IMPORTER, False
        if role == OPENED and inside in (OPEN, FOLDED):
            return self.child(above, row), OPEN, True
        if role == FOLDED and inside == OPEN:
            return self.child(above, folding.number_of(folding.groups[row])), FOLDED, True
        is_module = inside == IMPORTER and folding.rows[row].name == MODULE
        if is_module and role == OPENED and folding.opens_imports:
            return self.child(above, row), OPEN, True
        if is_module and role in (FOLDED, OPENED):
            name = IMPORTED + folding.import_name(row)
            return self.child(above, folding.number_of(name)), IMPORT, True
        return above, inside, False

    def result(self) -> tuple[Tree, dict[int, dict[int, Member]], array[int]]:
        """The folded tree in preorder; the members and the entries of its nodes by their place in
        it."""
        below: list[list[int]] = [[] for _ in self.row]
        for node in range(1, len(self.row)):
            below[self.parent[node]].append(node)
        order: list[int] = []
        depth = array("I")
        waiting = [(0, 0)]
        while waiting:
            node, level = waiting.pop()
            order.append(node)
            depth.append(level)
            waiting += [(child, level + 1) for child in reversed(below[node])]
        places = {node: place for place, node in enumerate(order)}
        columns = (
            depth,
            array("I", [self.row[node] for node in order]),
            array("Q", [self.calls[node] for node in order]),
            array("Q", [self.resumes[node] for node in order]),
            array("q", [self.time[node] for node in order]),
            array("q", [self.waited[node] for node in order]),
        )
        members = {
            places[node]: {row: Member(*figures) for row, figures in of.items()}
            for node, of in self.members.items()
        }
        entries = array("Q", [self.entries[node] for node in order])
        return Tree([column.tobytes() for column in columns]), members, entries


def program_of(paths: Paths) -> tuple[str, ...]:
    """The package that counts as the program's own although it is installed. None where the program
    has code of its own; else the one that most of the time passes through, as when an installed
    command is run."""
    if any(is_own(row, module) for row, module in zip(paths.rows, paths.modules, strict=True)):
        return ()
    times: dict[str, int] = defaultdict(int)
    for tree in paths.trees:
        for package, time in packages_at_the_top(paths, tree):
            times[package] += time
    return (max(times, key=lambda package: times[package]),) if times else ()


def is_own(row: Row, module: Module) -> bool:
    """Whether the user wrote the code of a row."""
    return module.kind == OWN and not is_made_of_text(row.file)


def packages_at_the_top(paths: Paths, tree: Tree) -> Iterator[tuple[str, int]]:
    """The first package on each path, beside those that start the program's code, with the time
    that passes through it."""
    totals = tree.totals()
    nowhere = len(tree)
    found_at = nowhere  # the level of the package that the nodes are below
    for node in range(1, len(tree)):
        if tree.depth[node] > found_at:
            continue
        module = paths.modules[tree.row[node]]
        is_found = module.kind != BUILTIN and module.package not in LEADERS
        found_at = tree.depth[node] if is_found else nowhere
        if is_found:
            yield module.package, totals[node]
