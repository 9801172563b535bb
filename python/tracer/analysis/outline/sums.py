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
from tracer.analysis.tree.parts import places_of
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tracer.analysis.tree.call_tree import Row
    from tracer.analysis.tree.collected import Collected
    from tracer.analysis.tree.folding import Folded, Member

    # Folded trees, and the same by real time: None where all time is real.
    Pair = tuple[Folded, Folded | None]

LOCALS = ".<locals>."
PART_OF_FUNCTION = (*COMPREHENSIONS, "<genexpr>")
PAIR = 2**32  # two rows are one number: there may be many pairs
CODES = {kind: code for code, kind in enumerate((OWN, OPENED, IMPORT, PACKAGE))}
OWN_CODE, OPENED_CODE, IMPORT_CODE, PACKAGE_CODE, OTHER = range(5)


class Sum(NamedTuple):
    """Nanoseconds and calls. busy: real time, without that of threads with nothing to do. worked,
    waited: of all threads. entries: the calls that were no recursion."""

    busy: int = 0
    worked: int = 0
    waited: int = 0
    calls: int = 0
    entries: int = 0

    @property
    def real_wait(self) -> int:
        """What of the waits is real time."""
        return max(0, self.busy - self.worked)

    def without(self, time: int) -> Sum:
        busy, worked = (max(0, whole - time) for whole in (self.busy, self.worked))
        return self._replace(busy=busy, worked=worked)


class Sums:
    """The sums of folded trees. Functions are numbers of rows, which have these kinds. A generator
    expression is a part of the function that it is in, and a wrapper is one function, whatever it
    wraps: wrappers has the row of that.

    own: what each function of the program took itself, and each of an opened package for nobody.
    others: by function, then by callee: what others than the program did for it, with all that
    these called, but without imports and the functions of the program that they called back.
    members: by (function, callee), where that is a package: of the functions that were called in
    it, nanoseconds and calls. imports: by (import, the function of the program that asked for it,
    or NOBODY), nanoseconds.
    """

    def __init__(
        self,
        trees: Iterable[Pair],
        rows: Sequence[Row],
        kinds: Sequence[str],
        wrappers: Mapping[int, int],
    ) -> None:
        self.others: dict[int, dict[int, Sum]] = defaultdict(dict)
        self.members: dict[tuple[int, int], dict[int, tuple[int, int]]] = defaultdict(dict)
        self.imports: dict[tuple[int, int], int] = defaultdict(int)
        self.around: dict[int, int] = functions_around(rows)
        self.function_of: list[int] = list(range(len(rows)))
        self.wrapping: dict[int, list[int]] = defaultdict(list)  # by wrapper: its rows
        for row, function in (*self.around.items(), *wrappers.items()):
            self.function_of[row] = function
        for row, function in wrappers.items():
            self.wrapping[function].append(row)
        # By function: as in Sum, but for the calls.
        self.times: tuple[list[int], list[int], list[int]] = (
            [0] * len(rows),
            [0] * len(rows),
            [0] * len(rows),
        )
        self.pairs: dict[int, list[int]] = {}  # likewise by function and callee, in one number
        # Of each tree, by node: the function of the program that called, else the package around.
        self.callers_in: list[tuple[Folded, list[int]]] = []
        codes = [CODES.get(kind, OTHER) for kind in kinds]
        for folded, real in trees:
            self.add(folded, real, codes)
        for pair, times in self.pairs.items():
            function, callee = divmod(pair, PAIR)
            busy, worked, waited, calls = times
            self.others[function][callee] = Sum(busy, worked, waited, calls)

    def leave_out(self, collected: Iterable[Collected], folded: Callable[[int], int]) -> None:
        """Take what garbage collections took off the functions in which they began. folded: the row
        of a function's package, where that is folded."""
        for it in collected:
            if it.below == NO_ROW:
                continue
            function = self.function_of[it.below]
            if it.row == it.below:
                for times in self.times[:2]:
                    times[function] -= min(it.time, times[function])
                continue
            others = self.others.get(function, {})
            callee = next((row for row in (it.row, folded(it.row)) if row in others), None)
            if callee is None and others:
                callee = max(others, key=lambda row: others[row].busy)
            if callee is not None:
                of = others[callee]
                others[callee] = of.without(it.time)

    def own(self, function: int) -> Sum:
        """What a function took itself, and its calls."""
        busy, worked, waited = (times[function] for times in self.times)
        return Sum(busy, worked, waited, *self.calls_of(function))

    @cached_property
    def busy(self) -> list[int]:
        """By function: the real time of what it took itself, and of others for it."""
        busy = list(self.times[0])
        for function, others in self.others.items():
            busy[function] += sum(of.busy for of in others.values())
        return busy

    def whole(self, function: int) -> Sum:
        """What a function took itself, and others for it. Without calls."""
        sums = self.own(function), *self.others.get(function, {}).values()
        return Sum(*(sum(of[at] for of in sums) for at in range(3)))

    def calls_of(self, function: int) -> tuple[int, int]:
        """The calls of a function, and those that were no recursion."""
        calls = entries = 0
        for row in self.rows_of(function):
            for folded, at, _ in self.nodes_of(row):
                calls += folded.tree.calls[at]
                entries += folded.entries[at]
        return calls, entries

    def callers_of(self, row: int) -> dict[int, int]:
        """By the row of the function of the program that called a row, wrappers apart; where there
        is none, by the package around, or NOBODY: calls that were no recursion."""
        found: dict[int, int] = defaultdict(int)
        for folded, at, caller in self.nodes_of(row):
            found[caller] += folded.entries[at]
        return found

    def rows_of(self, function: int) -> list[int]:
        """The rows of a function but for generator expressions: of a wrapper, several."""
        rows = sorted(self.wrapping.get(function, ())) or [function]
        return [row for row in rows if row not in self.around and self.function_of[row] == function]

    def nodes_of(self, row: int) -> Iterator[tuple[Folded, int, int]]:
        """The nodes of a row, each with its tree and who called."""
        for folded, callers in self.callers_in:
            for at in places_of(folded.tree, row):
                yield folded, at, callers[at]

    def add(self, folded: Folded, real: Folded | None, codes: Sequence[int]) -> None:
        """One pass over all nodes, of which there may be a million."""
        tree, function_of, pairs = folded.tree, self.function_of, self.pairs
        busy_times = tree.time if real is None else real.tree.time
        own_busy, own_worked, own_waited = self.times
        levels = max(tree.depth) + 2
        # By level: the latest function of the program, whether it is the caller, the sum of what
        # others do for it there, and the folded package around.
        callers, is_entry = [NOBODY] * levels, [False] * levels
        sums: list[list[int] | None] = [None] * levels
        packages = [NOBODY] * levels
        called_by: list[int] = [NOBODY]
        nodes = zip(tree.depth, tree.row, tree.time, tree.waited, busy_times, strict=True)
        next(nodes)
        for at, (level, row, time, waited, busy) in enumerate(nodes, 1):
            above = level - 1
            caller, code = callers[above], codes[row]
            called_by.append(packages[above] if caller == NOBODY else caller)
            if code == OWN_CODE or (code == OPENED_CODE and caller == NOBODY):
                function = function_of[row]
                own_busy[function] += busy
                own_worked[function] += time - waited
                own_waited[function] += waited
                if code == OWN_CODE:
                    callers[level] = self.around.get(row, row)
                    is_entry[level], sums[level], packages[level] = True, None, NOBODY
                    continue
            callers[level], is_entry[level] = caller, False
            if code == IMPORT_CODE:
                self.imports[row, caller] += busy
                sums[level], packages[level] = None, NOBODY
                continue
            of = sums[above]
            if is_entry[above]:
                function = function_of[caller]
                of = pairs.setdefault(function * PAIR + row, [0, 0, 0, 0])
                of[3] += tree.calls[at]
                if at in folded.members:
                    self._add_members(function, row, folded.members[at])
            if of is not None:
                of[0] += busy
                of[1] += time - waited
                of[2] += waited
            sums[level] = of
            packages[level] = row if code == PACKAGE_CODE else packages[above]
        self.callers_in.append((folded, called_by))

    def _add_members(self, function: int, row: int, of_node: dict[int, Member]) -> None:
        members = self.members[function, row]
        for member, its in of_node.items():
            time, calls = members.get(member, (0, 0))
            members[member] = time + its.time, calls + its.calls


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
