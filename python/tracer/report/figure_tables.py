"""The tables of one figure, which are printed in place of the whole table: their texts and columns.

Each is an option, --<name>, and a method of Stats, print_<name>(). functions.py prints the tables.
This file imports nothing: the command reads its options before the program has loaded any module.
"""

from __future__ import annotations

PERCALL = "percall"  # a column: `of` divided by the sum of `per`
CUMWAIT = "cumwait"  # a column: `waited` of the function and of all that it called
TITLES = {"longest_at": "at"}  # of columns that are not headed by the figure's name

# The keys of Stats.sort_stats() and -s that pstats does not have: the order, for the table's head,
# and the columns that the table then has besides.
FIGURE_KEYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "busy": ("busy time: tottime without what was waited", ("busy", "waited")),
    "waited": ("waited time", ("waited",)),
    "longest": ("longest stretch", ("longest",)),
}


class FigureTable:
    """A table of one figure of FIGURES, the largest first.

    `meaning`: the option's usage text. `by`: the order, for the table's head. `first`: which
    functions come first. `nothing`: the text of a table without rows. `what`: a noun, for the text
    that none are recorded. `columns`: names of the figures before the function.
    `among`: the figure, or CUMWAIT, that each function in the table has some of, and by which those
    stand that have as much; by default the table's own.
    `of`, `per`: the figures that `percall` is made of; by default the table's own by `among`.
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
        of: str = "",
        per: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.meaning = meaning
        self.by = by
        self.first = first
        self.nothing = nothing
        self.what = what
        self.columns = columns
        self.among: str = among or name
        self.of: str = of or name
        self.per: tuple[str, ...] = per or (self.among,)


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
        FigureTable(
            "waited",
            meaning="print the part of each function's own time in which its thread did not run: "
            "it slept, or waited for a lock, for input or for the GIL; and the waits of all that "
            "it called; in place of the table",
            by="waited time",
            first="the longest waits",
            nothing="No function waited.",
            what="waits",
            columns=("ncalls", "tottime", "waited", PERCALL, CUMWAIT),
            among=CUMWAIT,
            per=("ncalls", "resumes"),
        ),
        FigureTable(
            "longest",
            meaning="print how long the longest call of each function took, and when it was, in "
            "place of the table",
            by="longest stretch from a call or resume to where it returned or was suspended",
            first="the longest calls",
            nothing="No call took any time.",
            what="longest calls",
            columns=("ncalls", "longest", "longest_at", PERCALL),
            of="cumtime",
            per=("primitive", "resumes"),
        ),
    )
}
