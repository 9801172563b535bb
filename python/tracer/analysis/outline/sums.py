"""What the functions of an outline took in all their places together. Findings are made of it.

The outline leaves out what takes too little in one place, and a function may have thousands of such
places. So these sums are of the whole folded trees.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.outline.finding import NOBODY
from tracer.analysis.tree.kinds import IMPORT, OPENED, OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tracer.analysis.tree.folding import Folded


class Sum:
    """Nanoseconds that a function worked and waited, and its calls."""

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
        # By depth: the latest function of the program; whether it is the caller; and the sum of
        # what others do for it there.
        path: list[tuple[int, bool, Sum | None]] = [(NOBODY, False, None)]
        nodes = zip(tree.depth, tree.row, tree.calls, tree.time, tree.waited, strict=True)
        for at, (depth, row, calls, time, waited) in enumerate(nodes):
            if at == 0:
                continue
            del path[depth:]
            (caller, is_entry, of), kind = path[-1], kinds[row]
            if kind == IMPORT:
                self.imports[row, caller] += time
                path.append((caller, False, None))
                continue
            if kind == OWN or (kind == OPENED and not is_entry):
                self.own[row].add(time - waited, waited, calls)
            if kind == OWN:
                path.append((row, True, None))
                continue
            if is_entry:
                of = self.others[caller, row]
                of.calls += calls
                for member, its in folded.members.get(at, {}).items():
                    self.members[caller, row][member] += its.time
            if of is not None:
                of.add(time - waited, waited, 0)
            path.append((caller, False, of))
