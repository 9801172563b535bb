"""The tables of lines and of native functions: what their rows are, and how they are made."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from tracer.analysis.tree.function_names import names_of
from tracer.analysis.tree.program_texts import ProgramTexts
from tracer.results.function_tables import AT_LEAST, EXACT, chosen_of
from tracer.results.table import About, Omitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label


NO_LINES = Omitted(
    0, 0, "no line was timed", "record with --lines; of LineProfiler and %tlprun, read the file"
)
NO_NATIVE = Omitted(
    0, 0, "no native code was sampled", "give --native, or native=True, when you record"
)


class LineRow(NamedTuple):
    """A line that was timed and hit."""

    function: Annotated[str, About("text", "the qualified name of its function")]
    file: Annotated[str, About("text", "the file")]
    line: Annotated[int, About("number", "the number of the line")]
    text: Annotated[str, About("text", 'the source; "" where it is not known')]
    hits: Annotated[int | None, About("count", "how often the line was reached")]
    time: Annotated[float, About("seconds", "on the line, with all that it calls")]
    own: Annotated[float | None, About("seconds", "of that, in no function that it calls")]
    in_c: Annotated[float | None, About("seconds", "of that, in functions written in C")]
    waited: Annotated[float | None, About("seconds", "in which the thread did not run")]
    suspended: Annotated[float | None, About("seconds", "suspended on the line; in no other time")]
    counted: Annotated[str, About("text", 'what hits is: "exact", "at least", or "" for unknown')]
    own_error: Annotated[float | None, About("seconds", "two standard errors of a sampled own")]
    error: Annotated[float | None, About("seconds", "two standard errors of a sampled time")]


class NativeRow(NamedTuple):
    """A native function, by samples."""

    name: Annotated[str, About("text", "the function")]
    library: Annotated[str, About("text", 'the file that has its code; "" where none has')]
    own: Annotated[float, About("seconds", "of CPU, while it ran itself")]
    own_error: Annotated[float, About("seconds", "two standard errors of that")]
    cumulative: Annotated[float, About("seconds", "of CPU, with all that it called")]
    cumulative_error: Annotated[float, About("seconds", "two standard errors of that")]
    caller: Annotated[str, About("text", "the function for which it ran most")]


def lines(profiles: ProfileSet, only: str | None) -> tuple[list[LineRow], list[Omitted]]:
    timed = profiles.lines.functions
    if not timed:
        return [], [NO_LINES]
    chosen, omitted = chosen_of(profiles, only)
    wanted = None if only is None else set(chosen)
    name = "name" if profiles.names == "label" else "qualname"
    texts = ProgramTexts(profiles)
    sources: dict[str, list[str]] = {}
    rows = []
    for function in timed:
        label = function.file, function.first_line, getattr(function, name)
        if wanted is not None and label not in wanted:
            continue
        if function.file not in sources:
            sources[function.file] = (texts.of(function.file) or "").splitlines()
        source = sources[function.file]
        for line in function.lines:
            text = source[line.line - 1].strip() if line.line <= len(source) else ""
            counted = EXACT if line.is_counted else AT_LEAST if line.hits else ""
            hits = line.hits if counted else None
            place = function.qualname, function.file, line.line, text, hits
            times = line.time, line.own, line.c_time, line.waited
            suspended = None if profiles.lines.are_sampled else line.suspended
            trust = counted, line.own_error, line.error
            rows.append(LineRow(*place, *times, suspended, *trust))
    return rows, omitted


def native(profiles: ProfileSet, only: str | None) -> tuple[list[NativeRow], list[Omitted]]:
    if all(capture.native_data is None for capture in profiles.captures):
        return [], [NO_NATIVE]
    from tracer.analysis.native.native import native_of

    found = native_of(profiles.with_folders()).functions
    omitted: list[Omitted] = []
    wanted: Collection[Label] = found
    if only is not None:
        names = names_of(profiles.seen_by_native())
        wanted = names.choose(only).labels
        if not wanted:
            omitted.append(Omitted(0, 0, names.unmatched(only)))
    rows = []
    for label, it in found.items():
        if label in wanted:
            most = it.callers or it.cumulative_callers
            caller = most[0][0][2] if most else ""
            rows.append(NativeRow(label[2], label[0], *it.own, *it.cumulative, caller))
    return rows, omitted
