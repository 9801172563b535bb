"""What is judged of each function once, for the page, which adds up by it."""

from __future__ import annotations

from tracer.analysis.outline.suspensions import waiting_functions
from tracer.analysis.tree.folding import MODULE, own_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet

OWN = 1  # a function of the program: what others allocate for it is its own
HOLDS = 2  # such a one, and no code of a module: what that keeps is what was imported, most often
WAITS = 4  # it waits while it is suspended, as a coroutine does
WORKS = 8  # it does not: whoever takes its values works meanwhile


def flags_of(profiles: ProfileSet, paths: Paths) -> bytes:
    """By row of the paths, these flags. Of a function that was suspended, but whose source is not
    known, neither WAITS nor WORKS is."""
    suspended = [row for row, of in paths.figures.items() if of.suspended]
    waits = waiting_functions(profiles, [paths.rows[row] for row in suspended])
    flags = bytearray(
        (OWN | (0 if row.name == MODULE else HOLDS)) if is_own else 0
        for row, is_own in zip(paths.rows, own_rows(paths), strict=True)
    )
    for row in suspended:
        known = waits.get(paths.rows[row])
        flags[row] |= 0 if known is None else WAITS if known else WORKS
    return bytes(flags)
