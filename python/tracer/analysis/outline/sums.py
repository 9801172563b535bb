"""What the functions of an outline took in all their places together. Findings are made of it.

The outline leaves out what takes too little in one place, and a function may have thousands of such
places. So these sums are of the whole folded trees.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

from tracer.analysis.outline.finding import NOBODY
from tracer.analysis.tree.folding import COMPREHENSIONS, MODULE
from tracer.analysis.tree.kinds import IMPORT, OPENED, OWN, PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tracer.analysis.tree.call_tree import Row
    from tracer.analysis.tree.folding import Folded

    # Folded trees, and the same by real time: None where all time is real.
    Pair = tuple[Folded, Folded | None]

LOCALS = ".<locals>."
PART_OF_FUNCTION = (*COMPREHENSIONS, "<genexpr>")


class Sum:
    """Nanoseconds and calls. busy: real time, without that of threads with nothing to do. worked,
    waited: of all threads. entries: the calls that were no recursion."""

    def __init__(self) -> None:
        self.busy: int = 0
        self.worked: int = 0
        self.waited: int = 0
        self.calls: int = 0
        self.entries: int = 0

    @property
    def real_wait(self) -> int:
        """What of the waits is real time."""
        return max(0, self.busy - self.worked)

    def add(self, busy: int, worked: int, waited: int) -> None:
        self.busy += busy
        self.worked += worked
        self.waited += waited


class Place(NamedTuple):
    """Where a node is: the latest function of the program; whether it is the caller; the sum of
    what others do for it there; the folded package around, or NOBODY."""

    caller: int
    is_entry: bool
    of: Sum | None
    package: int


class Sums:
    """The sums of folded trees. Functions are numbers of rows, which have these kinds. A generator
    expression is a part of the function that it is in, and a wrapper is one function, whatever it
    wraps: wrappers has the row of that.

    own: what each function of the program took itself, and each of an opened package for nobody.
    others: by function, then by callee: what others than the program did for it, with all that
    these called, but without imports and the functions of the program that they called back.
    members: by (function, callee), where that is a package: of the functions that were called in
    it, nanoseconds and calls. imports: by (import, the function of the program that asked for it,
    or NOBODY), nanoseconds. callers: by row, wrappers apart, then by the row of the function of the
    program that called it, else by the package, or NOBODY: calls that were no recursion.
    """

    def __init__(
        self,
        trees: Iterable[Pair],
        rows: Sequence[Row],
        kinds: Sequence[str],
        wrappers: Mapping[int, int],
    ) -> None:
        self.own: dict[int, Sum] = defaultdict(Sum)
        self.others: dict[int, dict[int, Sum]] = defaultdict(lambda: defaultdict(Sum))
        self.members: dict[tuple[int, int], dict[int, tuple[int, int]]] = defaultdict(dict)
        self.imports: dict[tuple[int, int], int] = defaultdict(int)
        self.callers: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.around: dict[int, int] = functions_around(rows)
        self.functions: dict[int, int] = {**self.around, **wrappers}
        for folded, real in trees:
            self.add(folded, real, kinds)

    @cached_property
    def wholes(self) -> dict[int, Sum]:
        """By function: what it took itself, and others for it."""
        wholes: dict[int, Sum] = defaultdict(Sum)
        for row, own in self.own.items():
            wholes[row].add(own.busy, own.worked, own.waited)
        for row, others in self.others.items():
            for other in others.values():
                wholes[row].add(other.busy, other.worked, other.waited)
        return wholes

    def add(self, folded: Folded, real: Folded | None, kinds: Sequence[str]) -> None:
        tree = folded.tree
        busy_times = tree.time if real is None else real.tree.time
        path = [Place(NOBODY, False, None, NOBODY)]  # by depth
        nodes = zip(tree.depth, tree.row, tree.time, tree.waited, busy_times, strict=True)
        for at, (depth, row, time, waited, busy) in enumerate(nodes):
            if at == 0:
                continue
            del path[depth:]
            place, kind = path[-1], kinds[row]
            if kind == IMPORT:
                self.imports[row, place.caller] += busy
                path.append(Place(place.caller, False, None, NOBODY))
                continue
            if kind == OWN or (kind == OPENED and place.caller == NOBODY):
                self._add_own(folded, at, place, (busy, time - waited, waited))
            if kind == OWN:
                path.append(Place(self.around.get(row, row), True, None, NOBODY))
                continue
            of = self._entered(folded, at, place) if place.is_entry else place.of
            if of is not None:
                of.add(busy, time - waited, waited)
            path.append(Place(place.caller, False, of, row if kind == PACKAGE else place.package))

    def _add_own(self, folded: Folded, at: int, place: Place, times: tuple[int, int, int]) -> None:
        row, calls, entries = folded.tree.row[at], folded.tree.calls[at], folded.entries[at]
        own = self.own[self.functions.get(row, row)]
        own.add(*times)
        if row not in self.around:
            own.calls += calls
            own.entries += entries
            caller = place.package if place.caller == NOBODY else place.caller
            self.callers[row][caller] += entries

    def _entered(self, folded: Folded, at: int, place: Place) -> Sum:
        """The sum of what others do for a function that calls them here."""
        row, function = folded.tree.row[at], self.functions.get(place.caller, place.caller)
        of = self.others[function][row]
        of.calls += folded.tree.calls[at]
        members = self.members[function, row]
        for member, its in folded.members.get(at, {}).items():
            time, calls = members.get(member, (0, 0))
            members[member] = time + its.time, calls + its.calls
        return of


def functions_around(rows: Sequence[Row]) -> dict[int, int]:
    """{a generator expression or a comprehension: the function that it is in}"""
    parts = [number for number, row in enumerate(rows) if row.name.endswith(PART_OF_FUNCTION)]
    if not parts:
        return {}
    numbers = {(row.file, row.name): number for number, row in enumerate(rows)}
    found = {}
    for number in parts:
        name = rows[number].name
        while name.endswith(PART_OF_FUNCTION):
            name = name.rpartition(LOCALS)[0] or MODULE
        around = numbers.get((rows[number].file, name))
        if around is not None:
            found[number] = around
    return found
