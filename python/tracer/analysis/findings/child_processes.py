"""How many processes a function of the program started, itself or by way of libraries."""

from __future__ import annotations

from tracer.analysis.tree.parts import places_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.outline.sums import Sum
    from tracer.analysis.tree.call_tree import Tree

STARTS = {
    "<_posixsubprocess.fork_exec>",
    "<posix.fork>",
    "<posix.forkpty>",
    "<posix.posix_spawn>",
    "<posix.posix_spawnp>",
}
ONE_BY_ONE = ", one after the other"


def told_children(outline: Outline, row: int, own: Sum, threads: int) -> str:
    """For how many processes a function waits. Where each call starts one, in one thread, they run
    one after the other."""
    number = children_of(outline, row)
    if not number:
        return ""
    processes = "child process" if number == 1 else "child processes"
    text = f" for {number:,} {processes}"
    return text + ONE_BY_ONE * (1 < number <= own.calls and threads == 1)


def children_of(outline: Outline, row: int) -> int:
    """The processes that were started for a function, by no other function of the program."""
    paths = outline.paths
    starts = [
        number
        for number, function in enumerate(paths.rows)
        if function.name in STARTS and paths.is_builtin(number)
    ]
    rows = set(outline.sums.rows_of(row))
    return sum(
        tree.calls[node]
        for tree in paths.trees
        for start in starts
        for node in places_of(tree, start)
        if own_caller(outline, tree, node) in rows
    )


def own_caller(outline: Outline, tree: Tree, node: int) -> int | None:
    """The latest function of the program above a node."""
    depth = tree.depth[node]
    for above in range(node - 1, 0, -1):
        if tree.depth[above] < depth:
            depth = tree.depth[above]
            if outline.owns[tree.row[above]]:
                return tree.row[above]
    return None
