"""Folds the call tree: the program's own functions stay, what others wrote becomes one row a call.

A folded row stands for a package that the program's code called, or for a module that it imported,
with all that ran inside. Own functions that these call back stand below them again. The page hides
the insides of libraries likewise: page/flame/hidden_frames.js. Nothing is printed here.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import NamedTuple

from tracer._core import fold_contexts
from tracer.analysis.tree.call_tree import Row, Tree, array_of
from tracer.data.records import NO_ROW
from tracer.source.file_kinds import BUILTIN, LIBRARY, OWN, SITE, is_made_of_text
from tracer.source.modules import is_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tracer.analysis.tree.call_tree import Paths
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

# What a row is; of a node, what it is inside of: as in ext/core/report/folding.h, which has the
# rules. IMPORT: inside of an imported module. OPENED: in a package that stands open; importing it
# is one row all the same.
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
        self.recursion: bool = recursion
        self.opens_imports: bool = opens_imports
        self.numbers: dict[str, int] = {}  # of the folded rows that were made, by their names
        self.opened: Collection[str] = program_of(paths) if opened is None else opened
        self.places: dict[str, int] = {FINDING: 0}  # of all folded rows that there may be
        self.roles: bytearray = bytearray()  # by row of the paths
        self.packed: array[int] = array("I")  # the rows of the paths as fold_contexts() takes them
        for row, module in zip(paths.rows, self._modules(paths), strict=True):
            group = self._group(row, module, libraries, also)
            self.roles.append(self._role(row, module, group))
            self.packed.extend((self.roles[-1], row.name == MODULE))
            # The import of a module of the standard library is called as the module; of others, as
            # the package.
            imported = module.name if module.kind == LIBRARY else group
            for name in (group, IMPORTED + imported):
                self.packed.append(self.places.setdefault(name, len(self.places)))

    def _modules(self, paths: Paths) -> Iterator[Module]:
        """The modules of the rows. A builtin has one where it is the program's, or its package
        stands open."""
        for module, owner in zip(paths.modules, paths.owners, strict=True):
            yield owner if owner.kind == OWN or owner.package in self.opened else module

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

    def fold(self, tree: Tree) -> Folded:
        """The tree with its rows folded. No time is lost: that of what is folded is its row's."""
        numbers = array("I", [self.numbers.get(name, NO_ROW) for name in self.places])
        columns = (tree.depth, tree.row, tree.calls, tree.resumes, tree.time, tree.waited)
        flags = self.recursion, self.opens_imports
        nodes, members, made = fold_contexts(
            columns, self.packed, numbers, len(self.rows), self.places[FINDING], *flags
        )
        names = dict(zip(array_of("I", made), self.places, strict=True))
        while (number := len(self.rows)) in names:
            self.numbers[names[number]] = number
            self.rows.append(Row("~", 0, names[number]))  # its time is of functions in no one file
        return Folded(tuple(self.rows), *_in_preorder(nodes, members))


def _in_preorder(
    nodes: tuple[bytes, ...], members: tuple[bytes, ...]
) -> tuple[Tree, dict[int, dict[int, Member]], array[int]]:
    """The folded tree, of its nodes in the order in which they were made; the members and the
    entries of its nodes by their place in it."""
    rows, parents, *figures, entries = map(array_of, "IIQQqqQ", nodes)
    below: list[list[int]] = [[] for _ in rows]
    for node in range(1, len(rows)):
        below[parents[node]].append(node)
    order: list[int] = []
    depth = array("I")
    waiting = [(0, 0)]
    while waiting:
        node, level = waiting.pop()
        order.append(node)
        depth.append(level)
        waiting += [(child, level + 1) for child in reversed(below[node])]
    places = {node: place for place, node in enumerate(order)}
    columns = [depth, array("I", [rows[node] for node in order])]
    columns += [array(it.typecode, [it[node] for node in order]) for it in figures]
    found: dict[int, dict[int, Member]] = defaultdict(dict)
    for node, row, calls, time in zip(*map(array_of, "IIQq", members), strict=True):
        found[places[node]][row] = Member(time, calls)
    tree = Tree([column.tobytes() for column in columns])
    return tree, dict(found), array("Q", [entries[node] for node in order])


def program_of(paths: Paths) -> tuple[str, ...]:
    """The package that counts as the program's own although it is installed. None where the program
    has code of its own; else the one that most of the time passes through, as when an installed
    command is run. What is only imported counts where nothing else ran."""
    if any(map(is_own, paths.rows, paths.owners)):
        return ()
    for imports in (False, True):
        times: dict[str, int] = defaultdict(int)
        for tree in paths.trees:
            for package, time in packages_at_the_top(paths, tree, imports=imports):
                times[package] += time
        if times:
            return (max(times, key=lambda package: times[package]),)
    return ()


def own_rows(paths: Paths) -> list[bool]:
    """By row: whether it is a function of the program, or of the package that counts as such."""
    program = program_of(paths)
    return [
        is_own(row, module) or module.package in program
        for row, module in zip(paths.rows, paths.owners, strict=True)
    ]


def is_own(row: Row, module: Module) -> bool:
    """Whether the user wrote the code of a row."""
    return module.kind == OWN and not is_made_of_text(row.file)


def packages_at_the_top(paths: Paths, tree: Tree, *, imports: bool) -> Iterator[tuple[str, int]]:
    """The first package on each path, beside those that start the program's code and the module of
    an installed script, with the time that passes through it. imports: also of what was only
    imported."""
    totals = tree.totals()
    nowhere = len(tree)
    found_at = nowhere  # the level of the package that the nodes are below
    for node in range(1, len(tree)):
        if tree.depth[node] > found_at:
            continue
        module, row = paths.owners[tree.row[node]], paths.rows[tree.row[node]]
        starts = row.name == MODULE and module.kind == SITE and is_script(row.file)
        is_found = module.kind != BUILTIN and module.package not in LEADERS and not starts
        is_import = module.name in IMPORTERS and not imports
        found_at = tree.depth[node] if is_found or is_import else nowhere
        if is_found:
            yield module.package, totals[node]
