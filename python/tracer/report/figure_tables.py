"""The tables of one figure, which are printed in place of the whole table: their texts and columns.

Each is an option, --<name>, and a method of Stats, print_<name>(). functions.py prints the tables.
This file imports nothing: the command reads its options before the program has loaded any module.
"""

from __future__ import annotations

PERCALL = "percall"  # a column: the figure divided by that of `among`


class FigureTable:
    """A table of one figure of FIGURES, the largest first.

    `meaning`: the option's usage text. `by`: the order, for the table's head. `first`: which
    functions come first. `nothing`: the text of a table without rows. `what`: a noun, for the text
    that none are recorded. `columns`: names of the figures before the function.
    `among`: the figure that each function in the table has some of; by default the table's own.
    """

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
        self.what = what
        self.columns = columns
        self.among: str = among or name


# Tables that are asked for together are printed in this order.
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
            what="resumes",
            columns=("ncalls", "resumes"),
        ),
        FigureTable(
            "suspended",
            meaning="print how often and how long generators and coroutines waited, in place of "
            "the table",
            by="suspended time",
            first="the longest waits",
            nothing="No generator or coroutine was resumed.",
            what="suspended times",
            columns=("ncalls", "resumes", "suspended", PERCALL),
            among="resumes",
        ),
    )
}
