"""The tables of functions, threads, calls and memory: what their rows are, and what makes them."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from tracer.analysis.memory.memory import has_memory, memory_of
from tracer.analysis.tree.function_names import names_of
from tracer.analysis.tree.waiting import Waits, idle_of
from tracer.results import columns
from tracer.results.facts import reason_of_none
from tracer.results.table import About, Omitted
from tracer.source.modules import Module, modules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tracer.data.capture import Capture
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label, Thread, Totals

RECORD = "record the program with tracer"
NO_MEMORY = Omitted(
    0, 0, "no memory was recorded", "give --memory, or memory=True, when you record"
)
NOWHERE = Module("", "", "")
EXACT, AT_LEAST = "exact", "at least"


class FunctionRow(NamedTuple):
    """A function, in all threads."""

    name: columns.Name
    module: columns.Module
    file: columns.File
    line: columns.Line
    kind: columns.Origin
    ncalls: columns.Calls
    primitive: columns.Primitive
    tottime: columns.Own
    cumtime: columns.Cumulative
    waited: columns.Waited
    busy: Annotated[float | None, About("seconds", "of its own time, in which it was not waiting")]
    resumes: Annotated[int | None, columns.of_figure("resumes")]
    suspended: Annotated[float | None, columns.of_figure("suspended")]
    longest: Annotated[float | None, columns.of_figure("longest")]
    longest_at: Annotated[float | None, columns.of_figure("longest_at")]
    counted: Annotated[str, About("text", 'what ncalls is: "exact", "at least", or "" for unknown')]
    own_error: Annotated[float | None, About("seconds", "two standard errors of a sampled tottime")]
    error: Annotated[float | None, About("seconds", "two standard errors of a sampled cumtime")]


class ThreadRow(NamedTuple):
    """A thread."""

    name: Annotated[str, About("text", "the name")]
    ident: Annotated[int, About("number", "threading.get_ident()")]
    native_id: Annotated[int, About("number", "the system's number")]
    ncalls: Annotated[
        int | None, About("count", "calls of all functions; none where samples stand for calls")
    ]
    time: Annotated[float, About("seconds", "in its functions")]
    busy: Annotated[float, About("seconds", "of that, in which it ran")]
    waited: Annotated[float, About("seconds", "of that, in which it did not run")]
    idle: Annotated[float, About("seconds", "recorded, while none of its functions ran")]
    sharers: Annotated[int, About("count", "how many threads the row has, one after the other")]
    cut_off: Annotated[float | None, About("moment", "when recording it ended early, if it did")]
    lost_calls: Annotated[int, About("count", "calls that were dropped: out of memory")]


class CallRow(NamedTuple):
    """Calls of one function by another."""

    caller: Annotated[str, About("text", "the qualified name of the function that called")]
    caller_file: Annotated[str, About("text", "its file")]
    caller_line: Annotated[int, About("number", "where it is defined")]
    callee: Annotated[str, About("text", "the qualified name of the function that was called")]
    callee_file: Annotated[str, About("text", "its file")]
    callee_line: Annotated[int, About("number", "where it is defined")]
    ncalls: columns.Calls
    primitive: columns.Primitive
    tottime: Annotated[float, About("seconds", "in the callee itself, in these calls")]
    cumtime: Annotated[float, About("seconds", "in the callee and all that it called")]


class MemoryRow(NamedTuple):
    """What a function allocated itself. Cumulative: with all that it called."""

    name: columns.Name
    module: columns.Module
    file: columns.File
    line: columns.Line
    kind: columns.Origin
    peak: Annotated[int, About("bytes", "live when the most bytes were live")]
    peak_cumulative: Annotated[int, About("bytes", "cumulative")]
    live: Annotated[int, About("bytes", "live at the end")]
    live_cumulative: Annotated[int, About("bytes", "cumulative")]
    allocated: Annotated[int, About("bytes", "allocated")]
    allocated_cumulative: Annotated[int, About("bytes", "cumulative")]
    temporary: Annotated[int, About("bytes", "freed before the thread's next allocation")]
    temporary_cumulative: Annotated[int, About("bytes", "cumulative")]
    freed: Annotated[int, About("bytes", "freed while it ran, whoever allocated it")]
    blocks: Annotated[int, About("count", "allocations")]


def functions(profiles: ProfileSet, only: str | None) -> tuple[list[FunctionRow], list[Omitted]]:
    chosen, omitted = chosen_of(profiles, only)
    modules = modules_of({label[0] for label in profiles.stats})
    found = (function_row(profiles, label, modules[label[0]]) for label in chosen)
    if profiles.knows_calls:
        return list(found), omitted
    return list(found), [*omitted, unknown("waits, resumes and longest calls", profiles)]


def function_row(profiles: ProfileSet, label: Label, module: Module = NOWHERE) -> FunctionRow:
    file, line, name = label
    primitive, ncalls, tottime, cumtime, _ = profiles.stats[label]
    trust = trust_in(profiles, label)
    calls: tuple[int | None, int | None] = (ncalls, primitive)
    if profiles.sampled is not None:  # a recursion is not told apart
        calls = (ncalls if trust[0] else None, None)
    figures = name, module.name, file, line, module.kind, *calls, tottime, cumtime
    if not profiles.knows_calls:
        return FunctionRow(*figures, *(None,) * 6, *trust)
    totals = profiles.totals
    resumed = totals.resumes.get(label)
    waited, suspended, longest, longest_at = (
        totals.extras.get(figure, {}).get(label, 0.0)
        for figure in ("waited", "suspended", "longest", "longest_at")
    )
    resumes = 0 if resumed is None else resumed.total
    busy = max(0.0, tottime - waited)
    others = waited, busy, resumes, suspended, longest, longest_at
    return FunctionRow(*figures, *others, *trust)


def trust_in(profiles: ProfileSet, label: Label) -> tuple[str, float | None, float | None]:
    """How far to trust the calls, the own time and the cumulative time of a function."""
    sampled = profiles.sampled
    if sampled is None:
        return EXACT, None, None
    count = sampled.counts.get(label)
    counted = "" if count is None else EXACT if count.is_exact else AT_LEAST
    _, _, tottime, cumtime, _ = profiles.stats[label]
    return counted, sampled.error(tottime), sampled.error(cumtime)


def threads(profiles: ProfileSet, only: str | None) -> tuple[list[ThreadRow], list[Omitted]]:
    rows = []
    for alone in profiles.by_thread():
        [part] = alone.parts
        thread, totals = part.thread, alone.totals
        assert thread is not None
        if only is not None and only not in (thread.name, str(thread.ident)):
            continue
        calls = None if alone.sampled else sum(row[1] for row in totals.stats.values())
        times = times_of(part.capture, thread, totals)
        lost = thread.sharers, thread.cut_off, thread.lost_calls
        rows.append(ThreadRow(*thread[:3], calls, *times, *lost))
    missing = [] if profiles.is_whole else [unknown("threads", profiles)]
    if only is not None and not rows:
        missing.append(Omitted(0, 0, f"no thread is named {only!r}"))
    return rows, missing


def times_of(capture: Capture, thread: Thread, totals: Totals) -> tuple[float, float, float, float]:
    """The seconds of a thread's functions, those for which it was busy in them, and waited, and
    those in which it was idle. By samples it is not told what is idle: all waits are in `waited`,
    and exact."""
    if thread.waits is not None:
        return thread.waits.real, thread.waits.cpu, thread.waits.waited, 0.0
    time = sum(row[2] for row in totals.stats.values())
    waits = Waits(time, sum(totals.extras.get("waited", {}).values()))
    return waits.time, waits.busy, waits.waited, idle_of(capture, thread)


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
                if profiles.sampled is None:
                    yield CallRow(*ends, ncalls, primitive, tottime, cumtime)
                else:  # without a number, only a sample has seen the call
                    yield CallRow(*ends, ncalls or None, None, tottime, cumtime)


def memory(profiles: ProfileSet, only: str | None) -> tuple[list[MemoryRow], list[Omitted]]:
    if not has_memory(profiles):
        return [], [NO_MEMORY]
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


def named(label: Label, modules: dict[str, Module]) -> tuple[str, str, str, int, str]:
    file, line, name = label
    module = modules[file]
    return name, module.name, file, line, module.kind


def unknown(what: str, profiles: ProfileSet) -> Omitted:
    return Omitted(0, 0, f"{what} are not known: {reason_of_none(profiles)}", RECORD)


def check_name(what: str, name: object) -> None:
    """Raise TypeError for what is no name."""
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a text, a name or a regular expression, not {name!r}")


def chosen_of(profiles: ProfileSet, only: str | None) -> tuple[Collection[Label], list[Omitted]]:
    """The functions that `only` names, as --only does; None: all. Raises ValueError for a pattern
    that is no regular expression."""
    if only is None:
        return profiles.stats, []
    check_name("only", only)
    names = names_of(profiles)
    chosen = [label for label in names.choose(only).labels if label in profiles.stats]
    return chosen, [] if chosen else [Omitted(0, 0, names.unmatched(only))]
