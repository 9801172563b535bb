"""What the functions of an outline took in all their places together. Findings are made of it.

The outline leaves out what takes too little in one place, and a function may have thousands of such
places. So these sums are of the whole folded trees.
"""

from __future__ import annotations

from collections import defaultdict
from operator import sub

from tracer.analysis.finding import NOBODY
from tracer.analysis.kinds import BUILT_IN, IMPORT, OPENED, OWN, PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tracer.analysis.call_tree import Tree
    from tracer.analysis.folding import Folded


class Sum:
    """Nanoseconds that a function worked and waited, and its calls."""

    __slots__ = ("calls", "waited", "worked")

    def __init__(self) -> None:
        self.worked: int = 0
        self.waited: int = 0
        self.calls: int = 0

    def add(self, worked: int, waited: int, calls: int) -> None:
        self.worked += worked
        self.waited += waited
        self.calls += calls


class Sums:
    """The sums of folded trees. Functions are numbers of rows, which have these kinds.

    own: what each open function took itself, but for functions of a package that the program calls.
    others: by (caller, callee), what others than the program did for a function of it, with all
    that these called, but without imports and the functions of the program that they called back.
    members: for others that are packages, nanoseconds of the functions that were called in them.
    imports: by (import, the function of the program that asked for it, or NOBODY), nanoseconds.
    """

    def __init__(self, trees: Iterable[Folded], kinds: Sequence[str]) -> None:
        self.own: dict[int, Sum] = defaultdict(Sum)
        self.others: dict[tuple[int, int], Sum] = defaultdict(Sum)
        self.members: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.imports: dict[tuple[int, int], int] = defaultdict(int)
        for folded in trees:
            self.add(folded, kinds)

    def add(self, folded: Folded, kinds: Sequence[str]) -> None:
        tree = folded.tree
        busy = list(map(sub, tree.time, tree.waited))
        worked = totals_apart(tree, busy, kinds)
        waited = totals_apart(tree, tree.waited, kinds)
        path = [(NOBODY, False)]  # the latest function of the program; whether it is the caller
        for at in range(1, len(tree)):
            row = tree.row[at]
            kind, calls = kinds[row], tree.calls[at]
            del path[tree.depth[at] :]
            caller, is_entry = path[-1]
            path.append((row, True) if kind == OWN else (caller, False))
            if kind == OWN or (kind == OPENED and not is_entry):
                self.own[row].add(busy[at], tree.waited[at], calls)
            if is_entry and kind in (PACKAGE, BUILT_IN, OPENED):
                self.others[caller, row].add(worked[at], waited[at], calls)
                for member, of in folded.members.get(at, {}).items():
                    self.members[caller, row][member] += of.time
            if kind == IMPORT:
                self.imports[row, caller] += tree.time[at]


def totals_apart(tree: Tree, own: Iterable[int], kinds: Sequence[str]) -> list[int]:
    """As Tree.totals(), but without what imports and functions of the program took below."""
    totals = list(own)
    parents = [0] * len(totals)
    path: list[int] = []
    for at, depth in enumerate(tree.depth):
        del path[depth:]
        parents[at] = path[-1] if path else 0
        path.append(at)
    for at in range(len(totals) - 1, 0, -1):
        if kinds[tree.row[at]] not in (OWN, IMPORT):
            totals[parents[at]] += totals[at]
    return totals
