"""Which functions wait while they are suspended, and what they wait for: --suspended.

Coroutines and asynchronous generators wait. A plain generator does not: whoever takes its values
works meanwhile. A profile does not tell one from the other, and the source does.
"""

from __future__ import annotations

import re
from collections import defaultdict

from tracer.analysis.outline.awaiting import suspended_nodes
from tracer.analysis.tree.folding import COMPREHENSIONS
from tracer.analysis.tree.program_texts import ProgramTexts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from tracer.analysis.outline.awaiting import Suspended
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label

DEFINITION = re.compile(r"\s*(async\s+)?def\b")
NAMELESS = ("<genexpr>", "<lambda>")
AWAITABLE = "__await__"  # a plain generator that is awaited
MAKES_AWAITABLE = "coroutine"  # in a decorator: types.coroutine
MOST_DECORATORS = 200  # lines between a function's first line and its `def`
MOST = 0.5  # of the time suspended: what a function awaited for so much explains it


def waiting_functions(profiles: ProfileSet, labels: Iterable[Label]) -> dict[Label, bool]:
    """{function: whether it waits while it is suspended}, of those whose source is known: kept in
    the profile, or on this machine."""
    texts = ProgramTexts(profiles)
    found = ((label, is_waiting(texts.lines(label[0]), label)) for label in labels)
    return {label: waits for label, waits in found if waits is not None}


def is_waiting(lines: list[str], label: Label) -> bool | None:
    """Whether a function waits while it is suspended; None: not known."""
    _, first, name = label
    if name.endswith(COMPREHENSIONS):  # of a coroutine: others are not suspended
        return True
    if name.endswith(NAMELESS):
        return False
    if name.rpartition(".")[2] == AWAITABLE:
        return True
    for line in lines[first - 1 : first - 1 + MOST_DECORATORS]:
        definition = DEFINITION.match(line)
        if definition is not None:
            return definition[1] is not None
        if MAKES_AWAITABLE in line:
            return True
    return None


def awaited_longest(paths: Paths, generators: Collection[Label]) -> dict[Label, Label]:
    """{function: the innermost one that it awaited, itself or by way of others, for most of the
    time that it was suspended}. Functions that awaited none are left out."""
    beside = {row for row, label in enumerate(paths.rows) if label in generators}
    nodes: list[Suspended] = []
    below: list[list[int]] = []  # of each node, those that it awaited
    for tree in paths.trees:
        first = len(nodes)
        for one in suspended_nodes(tree, beside):
            if one.parent >= 0:
                below[first + one.parent].append(len(nodes))
            nodes.append(one)
            below.append([])
    by_row: dict[int, list[int]] = defaultdict(list)
    for place, one in enumerate(nodes):
        by_row[one.row].append(place)
    found: dict[Label, Label] = {}
    for row, places in by_row.items():
        last = innermost(nodes, below, places)
        if last != row:
            found[paths.rows[row]] = paths.rows[last]
    return found


def innermost(nodes: list[Suspended], below: list[list[int]], places: list[int]) -> int:
    """The row of the innermost of the nodes that these ones awaited for most of their time; their
    own row, if there is none."""
    chain = [nodes[places[0]].row]
    while True:
        awaited: dict[int, list[int]] = defaultdict(list)
        for place in places:
            for one in below[place]:
                awaited[nodes[one].row].append(one)
        times = {row: sum(nodes[one].time for one in ones) for row, ones in awaited.items()}
        longest = max(times, key=lambda row: times[row], default=None)
        whole = sum(nodes[place].time for place in places)
        if longest is None or longest in chain or times[longest] < MOST * whole:
            return chain[-1]
        chain.append(longest)
        places = awaited[longest]
