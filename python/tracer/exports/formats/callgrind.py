"""callgrind: functions, lines and the calls between them, for KCachegrind and callgrind_annotate.

analysis/tree/call_costs.py gives the costs of calls, which count recursion once.
analysis/tree/call_sites.py gives the lines of calls. Names and positions are compressed as the
format allows. A call that was only resumed, or ran already when recording began, is written as one
call. The tools take a cost without calls for the caller's own cost.
"""

from __future__ import annotations

from collections import defaultdict

from tracer._version import __version__
from tracer.analysis.tree.call_costs import costs_of
from tracer.analysis.tree.call_sites import CallSites
from tracer.analysis.tree.call_tree import Row
from tracer.data.records import NO_ROW
from tracer.exports.format import Format, Options
from tracer.exports.names import distinct_names, shown
from tracer.exports.writing import write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from tracer.analysis.tree.call_costs import Costs
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet

FORMAT = Format(
    opened_by="KCachegrind, QCachegrind, callgrind_annotate",
    suffix=".callgrind",
    mark=b"\ncreator: tracer ",
    weighs_native=True,
)

PROGRAM = Row("~", 0, "<program>")  # the caller of functions whose caller was not recorded


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    costs = costs_of(paths, options.progress)
    own = {row: figures.tottime for row, figures in paths.figures.items()}
    out.write(head(options.title, sum(own.values())).encode())
    rows = [*paths.rows, PROGRAM]
    names = Names(rows, paths.natives)
    write_text(out, functions(rows, names, own, costs, CallSites(stats)))


def head(title: str, total: int) -> str:
    return (
        "# callgrind format\n"
        "version: 1\n"
        f"creator: tracer {__version__}\n"
        f"cmd: {title}\n"
        "positions: line\n"
        "event: ns : Nanoseconds\n"
        "events: ns\n"
        f"summary: {total}\n"
    )


def functions(
    rows: list[Row], names: Names, own: dict[int, int], costs: Costs, sites: CallSites
) -> Iterator[str]:
    """Each function with its own cost, and the calls that it makes. The last row is PROGRAM."""
    last = 0  # the line that the next one is relative to
    calls = iter(costs)
    call = next(calls, None)
    for caller in sorted(own.keys() | costs.callers()):
        row = len(rows) - 1 if caller == NO_ROW else caller
        line = names.lines[row]
        yield f"\n{names.function(row)}{step(last, line)} {own.get(caller, 0)}\n"
        last = line
        has_source = rows[row].file in sites.texts
        while call is not None and call[0] == caller:
            _, callee, count, time = call
            if has_source:
                line = sites.line(rows[row], rows[callee])
            yield (
                f"{names.called[callee] or names.callee(callee)}"
                f"calls={count or 1} {names.lines[callee]}\n"
                f"{step(last, line)} {time}\n"
            )
            last = line
            call = next(calls, None)


def step(last: int, line: int) -> str:
    """A line number, relative to the last one."""
    return "*" if line == last else f"{line - last:+}"


class Names:
    """The names of files and functions: in full where first named, then by number."""

    def __init__(self, rows: list[Row], natives: frozenset[int] = frozenset()) -> None:
        """natives: the rows that are native functions, whose files are their objects. Where there
        are some, the object of all others is called Python."""
        self.objects: list[str] = []
        if natives:
            known: dict[str, int] = {}
            for place, row in enumerate(rows):
                name = shown(row.file or "???") if place in natives else "Python"
                number = known.setdefault(name, len(known) + 1)
                self.objects.append(f"({number}) {name}")
            rows = [
                Row("???", 0, row.name) if place in natives else row
                for place, row in enumerate(rows)
            ]
        self.lines: list[int] = [max(row.line, 0) for row in rows]
        self.names: list[str] = names_in_files(rows)
        numbers: dict[str, int] = {}
        self.files: list[int] = [numbers.setdefault(row.file, len(numbers) + 1) for row in rows]
        self.full: dict[int, str] = {
            number: f"({number}) {shown(file)}" for file, number in numbers.items()
        }
        self.named: bytearray = bytearray(len(rows))
        self.called: list[str] = [""] * len(rows)  # the short form, once callee() gave the full one

    def file(self, number: int) -> str:
        return self.full.pop(number, f"({number})")

    def name(self, row: int) -> str:
        if self.named[row]:
            return f"({row + 1})"
        self.named[row] = True
        return f"({row + 1}) {self.names[row]}"

    def function(self, row: int) -> str:
        return f"{self.object('ob', row)}fl={self.file(self.files[row])}\nfn={self.name(row)}\n"

    def object(self, key: str, row: int) -> str:
        """The line of the function's object; none where all functions are Python's."""
        return f"{key}={self.objects[row]}\n" if self.objects else ""

    def callee(self, row: int) -> str:
        object = self.object("cob", row)
        fields = f"{object}cfi={self.file(self.files[row])}\ncfn={self.name(row)}\n"
        self.called[row] = f"{object}cfi=({self.files[row]})\ncfn=({row + 1})\n"
        return fields


def names_in_files(rows: list[Row]) -> list[str]:
    """Qualified names. Names that a file has several times get their line."""
    rows_of_files: defaultdict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        rows_of_files[row.file].append(number)
    found = [""] * len(rows)
    for numbers in rows_of_files.values():
        apart = distinct_names(
            [shown(rows[number].name) for number in numbers],
            [rows[number].line for number in numbers],
        )
        for number, name in zip(numbers, apart, strict=True):
            found[number] = name
    return found
