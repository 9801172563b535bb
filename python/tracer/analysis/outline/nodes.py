"""The nodes of an outline, and which of them are no rows of their own: those that only lead to
another."""

from __future__ import annotations

from tracer.analysis.tree.folding import LEADERS, MODULE
from tracer.analysis.tree.kinds import FUNCTIONS, OWN, PACKAGE, THREAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.tree.folding import Member

LEADS = 0.01  # of its time: a node with less of its own only leads to the nodes below
SOLE = 0.95  # of its time: a node that has so much is the only one that matters below another
CHAIN = 3  # functions of the program at most that lead to another, beside wrappers


class Node:
    """A row of the outline. Times are nanoseconds.

    kind: one of tree/kinds.py. row: the number in Outline.rows; of a thread -1. total, own:
    cumulative and own time. waited, own_waited: the parts of these in which the thread did not run.
    real: the run's real time that the node accounts for, with all below. awaits: of a coroutine of
    the program that awaited for much of the run while its event loop was idle, for how long in each
    call. worth: the longer of these two, of the node and of all below.
    leads: the nodes that only led to this one, the outermost first: they are no rows. members: of a
    package, the functions that were called in it, by row. entries: the calls that were no
    recursion. is_wrapper: whether it only passes calls on.
    """

    def __init__(self, kind: str, row: int, name: str, parent: Node | None) -> None:
        self.kind: str = kind
        self.row: int = row
        self.name: str = name
        self.parent: Node | None = parent
        self.is_wrapper: bool = False
        self.total: int = 0
        self.own: int = 0
        self.waited: int = 0
        self.own_waited: int = 0
        self.real: int = 0
        self.awaits: int = 0
        self.worth: int = 0
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
    if not root.children or root.children[0].real < SOLE * root.real:
        return root
    only = root.children[0]
    only.leads = [root, *only.leads]
    only.parent = None
    return only


def leads_on(node: Node) -> bool:
    """Whether a node is no row of its own: it only leads to one function. It is of C, or of others
    than the function is; or both were called as often."""
    if not node.children or node.kind == THREAD or node.awaits or node.own > LEADS * node.total:
        return False
    child, *others = node.children
    if child.kind not in FUNCTIONS or child.real < SOLE * node.real:
        return False
    if any(other.worth > other.real for other in others):  # it awaits
        return False
    if node.kind == child.kind:
        often = node.calls == child.calls
        of_chain = node.is_wrapper or sum(not it.is_wrapper for it in node.leads) < CHAIN
        return node.name != MODULE and often and of_chain
    return node.kind != OWN
