"""The figures of a function as files have them: what the profile does not know is None."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.figures import Figures


def known_figures(paths: Paths, row: int, figures: Figures) -> dict[str, int | None]:
    """The figures of a function, by name. Samples tell no single call: they know times, and beside
    them the calls that were counted, which are those of all threads."""
    found: dict[str, int | None] = figures._asdict()
    if paths.sampled is None:
        return found
    is_counted = paths.rows[row] in paths.sampled.counts and figures.ncalls > 0
    known = {"tottime", "cumtime", *(("ncalls",) if is_counted else ())}
    return {name: value if name in known else None for name, value in found.items()}
