"""The tables of one figure, which are printed in the place of the whole one: what stands in each.

Each is an option, --<name>, and a method of Stats, print_<name>(), which prints it by functions.py.
Nothing is imported here, since the command knows its options before the program has any module.
"""

from __future__ import annotations

PERCALL = "percall"  # a column: the figure for one of `among`


class FigureTable:
    """A table of a figure that FIGURES lists, those with the most of it first.

    `meaning`: of the option, in its usage text. `by`: what it is ordered by, in its head. `first`:
    what comes first in it. `nothing`: what is said when it has no row; `what` is not recorded where
    tracer did not write all. `columns`: figures, by their names, before the function's. `among`:
    the figure that those in it have some of; its own, if left out."""

    def __init__(
        self,
        name: str,
        *,
        meaning: str,
        by: str,
        first: str,
        nothing: str,
        what: str,
        columns: tuple[str, ...],
        among: str = "",
    ) -> None:
        self.name = name
        self.meaning = meaning
        self.by = by
        self.first = first
        self.nothing = nothing
        self.unknown: str = f"No {what} are recorded here: another profiler wrote some of this."
        self.columns = columns
        self.among: str = among or name


# In the order in which they are printed when several are asked for.
FIGURE_TABLES: dict[str, FigureTable] = {
    table.name: table
    for table in (
        FigureTable(
            "resumes",
            meaning="print how often generators and coroutines were resumed, and who resumed "
            "them, in place of the table",
            by="resumes",
            first="those resumed most often",
            nothing="No generator or coroutine was resumed.",
            what="suspensions",
            columns=("ncalls", "resumes"),
        ),
        FigureTable(
            "suspended",
            meaning="print how often and how long generators and coroutines waited, in place of "
            "the table",
            by="suspended time",
            first="the longest waits",
            nothing="No generator or coroutine was resumed.",
            what="suspensions",
            columns=("ncalls", "resumes", "suspended", PERCALL),
            among="resumes",
        ),
    )
}
