"""The first screen: what stands out, where the time went, and which functions took it.

It fits the terminal. run_header.py makes the lines above, tables.py what is asked for by options;
the tracer/report modules make the lines of the tree and of the functions.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.findings.tiny_calls import tiny_calls
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.folding import MODULE
from tracer.analysis.tree.kinds import OWN
from tracer.analysis.tree.program_texts import ProgramTexts
from tracer.cli.run_header import labelled
from tracer.launch.output import quote
from tracer.report.cells import cut_end
from tracer.report.hot_functions import hot_functions
from tracer.report.outline import outline_table
from tracer.report.styled import joined
from tracer.results.findings import first_findings
from tracer.source.short_names import folder_here, short_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tracer.analysis.tree.call_tree import Row
    from tracer.cli.screen import Screen
    from tracer.data.profile_set import ProfileSet
    from tracer.results.records import Finding, Function

FINDINGS = 3
INDENT = 12  # of a finding
TREE_ROWS, LEAST_TREE_ROWS = 25, 5
FUNCTIONS, LEAST_FUNCTIONS = 10, 3
PART_OF_TREE = 0.65  # of the rows, where there are too few for all
# Lines beside the rows: two heads, three blank ones, the last line, and the prompt below.
OTHER_LINES = 7
ESTIMATE = "   The tree is an estimate: the profiler that wrote the file keeps no paths."


class Rows(NamedTuple):
    """How many rows of the tree and how many functions there is room for."""

    tree: int = TREE_ROWS
    functions: int = FUNCTIONS


def first_screen(profiles: ProfileSet, header: Sequence[str], more: str, screen: Screen) -> str:
    """The text. `header`: the lines about the run. `more`: the last line, which says where the rest
    is. Raises ProfileFormatError for impossible figures, as in a damaged file."""
    outline = Outline(paths_of(profiles), ProgramTexts(profiles).of)
    place = Places(outline).of
    about = [part for line in header for part in in_width(line, screen.width)]
    if about and outline.paths.rule is None:  # in the header; of a tree that is no estimate
        about += finding_lines(first_findings(outline, FINDINGS, profiles), screen.width, place)
    if about:
        about += tiny_lines(profiles, outline, screen.width)
    rows = rows_for(screen, len(about) + (outline.paths.rule is not None))
    rest = "--tree has all" if rows.tree == TREE_ROWS else "a taller window has more"
    tree = outline_table(outline, rows.tree, screen.width, place, rest)
    spare = rows.tree - (len(tree) - 1)
    number = min(FUNCTIONS, rows.functions + spare)
    functions = hot_functions(outline, number, screen.width, place)
    if outline.paths.rule is not None:
        tree.append(ESTIMATE)
    tables = [tree, functions] if has_times(profiles) else []
    sections = [about, *tables, [cut_end(more, screen.width)]]
    return joined("\n\n", (joined("\n", lines) for lines in sections if lines)) + "\n"


def finding_lines(
    findings: Iterable[Finding], width: int, place: Callable[[Function], str]
) -> list[str]:
    """A finding in two lines at most. place: of a function."""
    lines: list[str] = []
    for finding in findings:
        label = "" if lines else "findings"
        room = width - INDENT
        text = text_of(finding, place)
        if len(text) > room:
            text = text_of(finding, lambda function: place(function).rpartition("/")[2])
        if len(text) + len(finding.aside) <= room:
            text += finding.aside
        for part in in_two_lines(text, room):
            lines.append(labelled(label, part))
            label = ""
    return lines


def in_width(line: str, width: int) -> list[str]:
    """A line of the header in two lines at most."""
    first, *more = in_two_lines(line, width)
    return [first, *(labelled("", part) for part in more)]


def text_of(finding: Finding, place: Callable[[Function], str]) -> str:
    return "".join(part if isinstance(part, str) else place(part) for part in finding.parts)


def in_two_lines(text: str, room: int) -> list[str]:
    """The text in two lines at most. In a pipe, where the room is endless, it is one."""
    if len(text) <= room:
        return [text]
    end = text.rfind(" ", 0, room + 1)
    if end < room // 2:
        return [cut_end(text, room)]
    return [text[:end], cut_end(f"  {text[end + 1 :]}", room)]


def tiny_lines(profiles: ProfileSet, outline: Outline, width: int) -> list[str]:
    """A line of calls that are too short to believe."""
    found = tiny_calls(outline, profiles)
    if found is None:
        return []
    [text] = found.parts
    whole = f"{text}{found.aside}"
    fits = len(whole) <= width - INDENT
    return [labelled("tiny calls", cut_end(whole if fits else f"{text}", width - INDENT))]


def rows_for(screen: Screen, lines_above: int) -> Rows:
    """The rows that fit below so many lines."""
    if screen.height is None:
        return Rows()
    room = screen.height - lines_above - OTHER_LINES
    functions = round((1 - PART_OF_TREE) * room)
    functions = min(FUNCTIONS, max(LEAST_FUNCTIONS, functions, room - TREE_ROWS))
    return Rows(min(TREE_ROWS, max(LEAST_TREE_ROWS, room - functions)), functions)


class Places:
    """Short places of functions: from the folder where one stands, or from that of the program."""

    def __init__(self, outline: Outline) -> None:
        modules = (node for node in outline.walk() if node.kind == OWN and node.name == MODULE)
        first = next(modules, None)
        file = "" if first is None else outline.rows[first.row].file
        self.folders: tuple[str, str] = (folder_here(), file.rpartition("/")[0])

    def of(self, row: Row | Function) -> str:
        file = short_file(row.file, *self.folders)
        return f"{file}:{row.line}" if row.line else file


def more_of_run(prog: str, profiles: ProfileSet) -> str:
    """The last line below a run that kept no FILE."""
    kept = "it, and its timeline" if has_timeline(profiles) else "it"
    options = f"-s tottime (more functions), --tree (more calls), -o FILE (to keep {kept})"
    if not has_times(profiles):
        options = "-s calls (functions that were called), -o FILE (to keep it)"
    return f"{'more':>10}  {prog} {options}"


def more_of_files(prog: str, files: Sequence[str], width: int, profiles: ProfileSet) -> str:
    """The last line below what was read from FILEs, with their names if there is room."""
    options = "-s tottime, --tree" if has_times(profiles) else "-s calls"
    options += ", --timeline, --slowest 9" * has_timeline(profiles)
    options += ", --native" * any(it.native is not None for it in profiles.captures)
    for names in (" ".join(map(quote, files)), "FILE" if len(files) == 1 else "FILE..."):
        line = f"{'more':>10}  {prog} show {names} {options}; {prog} view {names}"
        if len(line) <= width:
            break
    return line


def has_times(profiles: ProfileSet) -> bool:
    """Whether there is any time to tell: no sample may have fallen into a short run."""
    return profiles.sampled is None or profiles.sampled.time > 0


def has_timeline(profiles: ProfileSet) -> bool:
    return any(capture.timeline is not None for capture in profiles.captures)
