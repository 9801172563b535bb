"""The line of a function that a finding means, where lines were timed or have memory."""

from __future__ import annotations

from tracer.analysis.findings.line_bounds import label_of
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.program_texts import lines_of
from tracer.source.file_kinds import OWN, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Row
    from tracer.data.profile_set import ProfileSet


def most_line(
    profiles: ProfileSet, row: Row, figure: str, callee: Row | None, text: str | None
) -> int | None:
    """The line that has most of a figure, "waited" or "suspended"; None where none has. Lines that
    name the callee come before others: a function may wait in several. text: of the file."""
    functions = profiles.lines.functions
    timed = next((it for it in functions if label_of(it, "qualname") == row), None)
    if timed is None:
        return None
    lines = lines_of(text)
    word = "" if callee is None else called(callee).rpartition(".")[2]

    def is_named(line: int) -> bool:
        return word != "" and line <= len(lines) and word in lines[line - 1]

    amounts = {it.line: getattr(it, figure) or 0.0 for it in timed.lines}
    found = [line for line, amount in amounts.items() if amount > 0]
    return max(found, key=lambda line: (is_named(line), amounts[line]), default=None)


def most_live_line(profiles: ProfileSet, row: Row) -> int | None:
    """The line on which most of what is live at the end was allocated; None where lines have no
    memory. Where lines of libraries have memory, too, a line of the program lacks what these
    allocated for it, and another may have most."""
    from tracer.data.line_memory import line_memory_of

    functions = line_memory_of(profiles.captures)
    if any(place_of(file)[0] != OWN for file, *_ in functions):
        return None
    for (file, first, _, name), lines in functions.items():
        if (file, first, name) == row:
            most = max(lines, key=lambda line: lines[line].live.bytes, default=0)
            return most if most and lines[most].live.bytes > 0 else None
    return None
