"""Which nodes of a call tree are shown: those with enough time, near enough to the root."""

from __future__ import annotations

from heapq import nlargest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator

    from tracer.analysis.tree.call_tree import Tree


class Selection:
    """The nodes to show. The parent of a node is shown, too: it has at least the node's time.
    too_small, too_deep, too_many: how many are not, and why."""

    def __init__(
        self,
        tree: Tree,
        totals: array[int],
        whole: int,
        depth: int | None,
        percent: float,
        limit: int | None,
    ) -> None:
        self.totals = totals
        self.children: dict[int, list[int]] = {}
        self.too_small: int = 0
        self.too_deep: int = 0
        self.too_many: int = 0
        found = self.found(tree, depth, percent * whole / 100)
        if limit is not None and len(found) > limit:
            self.too_many = len(found) - limit
            # Of two with equal times, a parent comes before its child.
            kept = nlargest(limit, found, key=lambda item: (totals[item[0]], -item[0]))
            found = sorted(kept)
        for node, parent in found:
            self.children.setdefault(parent, []).append(node)
        for nodes in self.children.values():
            nodes.sort(key=lambda node: -totals[node])
        self.roots: list[int] = self.children.get(0, [])

    def found(self, tree: Tree, depth: int | None, least: float) -> list[tuple[int, int]]:
        """The nodes with at least `least` nanoseconds and at most `depth` calls, with their
        parents."""
        found = []
        path = [0]  # from the root to the previous node
        for node in range(1, len(self.totals)):
            del path[tree.depth[node] :]
            parent = path[-1]
            path.append(node)
            if depth is not None and len(path) - 1 > depth:
                self.too_deep += 1
            elif self.totals[node] < least:
                self.too_small += 1
            else:
                found.append((node, parent))
        return found

    def levels(self) -> Iterator[tuple[int, int]]:
        """The nodes from top to bottom, each with its level; those below the root have 1."""
        waiting = [(node, 1) for node in reversed(self.roots)]
        while waiting:
            node, level = waiting.pop()
            yield node, level
            waiting += [(child, level + 1) for child in reversed(self.children.get(node, []))]
