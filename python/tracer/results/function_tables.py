"""The rows of the tables of functions, threads, calls, lines, memory and native code."""

from __future__ import annotations

from tracer.analysis.function_names import names_of
from tracer.analysis.memory import has_memory, memory_of
from tracer.analysis.program_texts import ProgramTexts
from tracer.analysis.waiting import Waits, idle_of
from tracer.data.memory import NO_MEMORY
from tracer.data.samples import NO_NATIVE
from tracer.results.rows import CallRow, FunctionRow, LineRow, MemoryRow, NativeRow, ThreadRow
from tracer.results.table import Omitted
from tracer.source.modules import Module, modules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label

RECORD = "record the program with tracer"
NOWHERE = Module("", "", "")


def functions(profiles: ProfileSet, only: str | None) -> tuple[list[FunctionRow], list[Omitted]]:
    chosen, omitted = chosen_of(profiles, only)
    modules = modules_of({label[0] for label in profiles.stats})
    found = (function_row(profiles, label, modules[label[0]]) for label in chosen)
    if profiles.is_whole:  # what was neither called nor resumed ran already when recording began
        return [row for row in found if row.ncalls or row.resumes], omitted
    why = "another profiler knows no waits, resumes or longest calls"
    return list(found), [*omitted, Omitted(0, 0, why, RECORD)]


def function_row(profiles: ProfileSet, label: Label, module: Module = NOWHERE) -> FunctionRow:
    file, line, name = label
    primitive, ncalls, tottime, cumtime, _ = profiles.stats[label]
    figures = name, module.name, file, line, module.kind, ncalls, primitive, tottime, cumtime
    if not profiles.is_whole:
        return FunctionRow(*figures, *(None,) * 6)
    totals = profiles.totals
    resumed = totals.resumes.get(label)
    waited, *others = (
        totals.extras.get(figure, {}).get(label, 0.0)
        for figure in ("waited", "suspended", "longest", "longest_at")
    )
    resumes = 0 if resumed is None else resumed.total
    return FunctionRow(*figures, waited, max(0.0, tottime - waited), resumes, *others)


def threads(profiles: ProfileSet, only: str | None) -> tuple[list[ThreadRow], list[Omitted]]:
    rows = []
    for alone in profiles.by_thread():
        [part] = alone.parts
        thread, totals = part.thread, alone.totals
        assert thread is not None
        if only is not None and only not in (thread.name, str(thread.ident)):
            continue
        calls = sum(row[1] for row in totals.stats.values())
        time = sum(row[2] for row in totals.stats.values())
        waits = Waits(time, sum(totals.extras.get("waited", {}).values()))
        times = waits.time, waits.busy, waits.waited, idle_of(part.capture, thread)
        lost = thread.sharers, thread.cut_off, thread.lost_calls
        rows.append(ThreadRow(*thread[:3], calls, *times, *lost))
    missing = [] if profiles.is_whole else [Omitted(0, 0, "another profiler knows none", RECORD)]
    if only is not None and not rows:
        missing.append(Omitted(0, 0, f"no thread is named {only!r}"))
    return rows, missing


def callers(profiles: ProfileSet, only: str | None) -> tuple[list[CallRow], list[Omitted]]:
    """Who called the functions that are chosen."""
    chosen, omitted = chosen_of(profiles, only)
    return list(calls(profiles, None, chosen)), omitted


def callees(profiles: ProfileSet, only: str | None) -> tuple[list[CallRow], list[Omitted]]:
    """Whom the functions called that are chosen."""
    chosen, omitted = chosen_of(profiles, only)
    return list(calls(profiles, set(chosen), profiles.stats)), omitted


def calls(
    profiles: ProfileSet, of: Collection[Label] | None, callees: Iterable[Label]
) -> Iterator[CallRow]:
    for callee in callees:
        for caller, figures in profiles.stats[callee][4].items():
            if of is None or caller in of:
                ncalls, primitive, tottime, cumtime = figures
                ends = (caller[2], *caller[:2], callee[2], *callee[:2])
                yield CallRow(*ends, ncalls, primitive, tottime, cumtime)


def lines(profiles: ProfileSet, only: str | None) -> tuple[list[LineRow], list[Omitted]]:
    timed = profiles.lines.functions
    if not timed:
        return [], [Omitted(0, 0, "no line was timed", "run the program with --lines or @profile")]
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
            place = function.qualname, function.file, line.line, text, line.hits
            times = line.time, line.own, line.c_time, line.waited, line.suspended
            rows.append(LineRow(*place, *times))
    return rows, omitted


def memory(profiles: ProfileSet, only: str | None) -> tuple[list[MemoryRow], list[Omitted]]:
    if not has_memory(profiles):
        return [], [Omitted(0, 0, NO_MEMORY)]
    chosen, omitted = chosen_of(profiles, only)
    wanted = None if only is None else set(chosen)
    found = memory_of(profiles)
    modules = modules_of({label[0] for label in found})
    rows = []
    for label, it in found.items():
        if wanted is None or label in wanted:
            sizes = (
                *(it.peak.bytes, it.peak.cumulative, it.live.bytes, it.live.cumulative),
                *(it.allocated.bytes, it.allocated.cumulative),
                *(it.temporary.bytes, it.temporary.cumulative, it.freed.bytes),
            )
            rows.append(MemoryRow(*named(label, modules), *sizes, it.allocated.blocks))
    return rows, omitted


def native(profiles: ProfileSet, only: str | None) -> tuple[list[NativeRow], list[Omitted]]:
    if all(capture.native_data is None for capture in profiles.captures):
        return [], [Omitted(0, 0, NO_NATIVE)]
    from tracer.analysis.native import native_of

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


def named(label: Label, modules: dict[str, Module]) -> tuple[str, str, str, int, str]:
    file, line, name = label
    module = modules[file]
    return name, module.name, file, line, module.kind


def chosen_of(profiles: ProfileSet, only: str | None) -> tuple[Collection[Label], list[Omitted]]:
    """The functions that `only` names, as --only does; None: all. Raises ValueError for a pattern
    that is no regular expression."""
    if only is None:
        return profiles.stats, []
    names = names_of(profiles)
    chosen = [label for label in names.choose(only).labels if label in profiles.stats]
    return chosen, [] if chosen else [Omitted(0, 0, names.unmatched(only))]
