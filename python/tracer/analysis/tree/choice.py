"""Which part of the call tree is wanted: the tree below a function, the paths through some, with
libraries or others folded. parts.py and folding.py make the trees."""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.tree.folding import Folding, program_of
from tracer.analysis.tree.parts import below, collapsed, through
from tracer.source.file_kinds import BUILTIN, OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.tree.call_tree import Paths, Row, Tree
    from tracer.analysis.tree.function_names import Choice


class Part(NamedTuple):
    """A part of a tree. rows: its functions, to which Tree.row refers. whole: nanoseconds that are
    100%. remarks: sentences about the choice."""

    tree: Tree
    rows: tuple[Row, ...]
    whole: int
    remarks: list[str]


class TreeChoice(NamedTuple):
    """root: the functions below which the tree is wanted; None: the whole. only: functions that
    each path has to go through, one of each choice. libraries: whether they are folded. packages:
    packages and modules that are folded, too. functions: functions that are."""

    root: Choice | None = None
    only: tuple[Choice, ...] = ()
    libraries: bool = False
    packages: tuple[str, ...] = ()
    functions: tuple[Choice, ...] = ()

    def part(self, paths: Paths, share: Callable[[int, int], str]) -> Part:
        """share: tells an amount, and its share of a whole."""
        tree, rows = paths.merged(), paths.rows
        whole = tree.in_functions
        remarks = []
        if self.root is not None:
            tree = below(tree, rows_of(self.root, paths))
            remarks.append(f"Below all calls of {self.root}: {share(tree.in_functions, whole)}")
        for choice in self.only:
            tree = through(tree, rows_of(choice, paths))
            remarks.append(f"Only paths through {choice}: {share(tree.in_functions, whole)}")
        for choice in self.functions:
            tree = collapsed(tree, rows_of(choice, paths))
        if self.libraries or self.packages:
            folding = Folding(
                paths,
                libraries=self.libraries,
                also=self.packages,
                opened=(*program_of(paths), *self.opened(paths)),
                opens_imports=self.root is not None and self.root.is_of_modules,
            )
            found = folding.fold(tree)
            rows, tree = found.rows, found.tree
        remarks += self.folded()
        whole = tree.in_functions if self.root is not None and not self.only else whole
        return Part(tree, rows, whole, remarks)

    def opened(self, paths: Paths) -> Iterator[str]:
        """The libraries that the roots are of: what was asked for stands open."""
        for number in rows_of(self.root, paths) if self.root is not None else ():
            module = paths.modules[number]
            if module.kind not in (OWN, BUILTIN) and module.package not in self.packages:
                yield module.package

    def folded(self) -> list[str]:
        names = ["libraries and imports"] if self.libraries else []
        names += [*map(repr, self.packages), *map(repr, self.functions)]
        return [f"Folded: {', '.join(names)}"] if names else []


def rows_of(choice: Choice, paths: Paths) -> set[int]:
    return {number for number, row in enumerate(paths.rows) if row in choice.qualified}
