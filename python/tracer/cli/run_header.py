"""Makes the lines above the table: the program, its times and memory, calls and threads.

The figures of several profiles are added up, as in the table; memory is the largest. tables.py
makes what stands below.
"""

from __future__ import annotations

from tracer.analysis.memory.memory import whole_of
from tracer.analysis.memory.sizes import size_text
from tracer.analysis.outline.computing import only_computes
from tracer.analysis.outline.finding import NANOSECONDS, counted, seconds, short
from tracer.analysis.outline.waiting_kinds import is_explained
from tracer.analysis.recordings import NOT_WALL
from tracer.analysis.timeline.dropped import dropped_by
from tracer.analysis.tree.waiting import waits_of
from tracer.data.section import end_text
from tracer.launch.output import quote
from tracer.report.styled import LABEL, in_lines, styled
from tracer.results.facts import facts_of
from tracer.results.object_calls import object_lines
from tracer.results.sampling import or_more, sampling_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tracer.analysis.findings.tracing_cost import TracingCost
    from tracer.analysis.native.native import Whole
    from tracer.analysis.tree.waiting import Waits
    from tracer.api.stats import Stats, ThreadStats
    from tracer.data.capture import Capture
    from tracer.data.lines import Lines
    from tracer.data.types import RunInfo

LONGEST_COMMAND = 200
SHORT_SIZE = 1000  # a size of memory is below that in its unit, so that the line is short
NEARLY = 0.99  # of what was waited: so much is all
BUSY_MACHINE = 0.2  # of what was waited: a smaller part that was for a processor is not told
LONGEST_STEPS = 4  # rows of consecutive steps: of more, those in the middle are not told
ASKED = 0.9  # of the rate that was asked for: as much is no difference
CHILDREN = 0.01  # s: child processes that worked less are not told


def run_header(stats: Stats, sources: int, thread: ThreadStats | None = None) -> str:
    """The header as a text, with an empty line below."""
    return in_lines([*header_lines(stats, sources, thread), ""])


def header_lines(
    stats: Stats, sources: int, thread: ThreadStats | None = None, *, brief: bool = False
) -> list[str]:
    """The header of `sources` profiles. Those that another tool wrote have only calls. `thread`:
    the only thread that is printed, or None for all. `brief`: times, memory and calls share a
    line."""
    captures, timed, facts = stats.captures, stats.lines, facts_of(stats)
    runs, threads = facts.runs, facts.threads
    has_calls = bool(stats.stats) or all(capture.timed_lines is None for capture in captures)
    has_calls = has_calls and (stats.sampled is None or bool(stats.sampled.counts))
    in_threads = f" in {counted(threads, 'thread')}" if stats.is_whole else ""
    lines: list[tuple[str, str]] = []
    whole = sampled_whole(stats)
    if runs:
        lines += commands(runs)
        if brief:
            calls = (
                [f"{counted(stats.total_calls, 'call')}{or_more(stats)}{in_threads}"]
                if has_calls
                else []
            )
            lines.append(("time", "; ".join([times(runs), memory(runs), *calls])))
            lines += children(runs)
        else:
            lines.append(("time", times(runs)))
            lines += [*children(runs), ("memory", f"{memory(runs)} at most")]
        lines += allocations(captures)
        lines += native_samples(captures, whole)
        lines += [("ended", ends_of(runs))] if any(run.ended for run in runs) else []
    lines += sampling_lines(stats)
    lines += focus_lines(captures)
    lines += timers(it for it in captures if it.sampled_data is None)
    if has_calls and not (brief and runs):
        lines.append(("calls", f"{stats.total_calls:,}{or_more(stats)}{in_threads}"))
    lines += object_lines(stats)
    waits = waits_of(stats)
    if waits.are_worth_telling:
        lines.append(("waited", told_waits(waits, threads, busy_machine(stats))))
    if thread is not None:
        lines.append(("thread", f"{title_of_thread(thread)}{work_of(thread)}"))
    if timed.functions and not timed.are_sampled:
        beside = ", which makes them heavier" if stats.stats else ""
        lines.append(("lines", f"{lines_hit(timed)}{beside}"))
    if facts.lost:
        lines.append(("lost", f"{counted(facts.lost, 'call')} dropped: out of memory"))
    if facts.without_path:
        told = f"{counted(facts.without_path, 'call')} with no path: too many calling contexts"
        lines.append(("paths", f"{told}; functions and callers are exact"))
    lines += timelines(stats)
    lines += steps(captures)
    why = "when the program set a profile function of its own"
    lines += [("cut off", f"{it.thread} after {it.after:.3f} s, {why}") for it in facts.cut_offs]
    lines += compensations(stats, facts.cost, whole)
    if len(captures) > sources:
        lines.append(("files", f"{sources}, of {len(captures)} runs, added up"))
    elif sources > 1:
        note = "" if len(runs) == sources else f", {sources - len(runs)} without command and times"
        lines.append(("files", f"{sources}, added up{note}"))
    return [labelled(name, text) for name, text in lines]


def labelled(name: str, text: str) -> str:
    """A line with its label; "" of one that goes on."""
    return (styled(f"{name:>10}", LABEL) if name else " " * 10) + "  " + text


def told_waits(waits: Waits, threads: int, for_processor: float) -> str:
    """`for_processor`: the seconds that are taken to be waits for a processor."""
    told = f"{waits.waited:.3f} s of {waits.time:.3f} s in {counted(threads, 'thread')}"
    if for_processor < BUSY_MACHINE * waits.waited:
        return told
    some = "" if for_processor >= NEARLY * waits.waited else f"{for_processor:.3f} s or more "
    return f"{told}, {some}for a busy processor"


def busy_machine(stats: Stats) -> float:
    """The seconds that Python code, and builtins that only compute, waited in runs of one thread
    each, if preemptions explain them: such code waits for a processor, seldom for anything else."""
    captures = stats.captures
    if not all(it.thread_count == 1 and it.builtins and it.run is not None for it in captures):
        return 0.0
    waited = stats.totals.extras.get("waited", {})
    for_turn = sum(
        seconds for (file, _, name), seconds in waited.items() if file != "~" or only_computes(name)
    )
    preemptions = sum(it.run.preemptions for it in captures if it.run is not None)
    return for_turn if is_explained(for_turn * NANOSECONDS, preemptions) else 0.0


def title_of_thread(thread: ThreadStats) -> str:
    threads = sum(part.thread.sharers for part in thread.parts if part.thread is not None)
    several = f"{threads:,} of this name, " if threads > 1 else ""
    return f"{printable(thread.thread.name)}, {several}"


def work_of(thread: ThreadStats) -> str:
    if thread.sampled is None:
        return f"{thread.total_calls:,} of these calls"
    return f"{seconds(thread.sampled.time * NANOSECONDS)} of CPU by samples"


def focus_lines(captures: Sequence[Capture]) -> Iterable[tuple[str, str]]:
    """The included and the excluded paths, each with its number of runs if that is not all."""
    for number, name in enumerate(("include", "exclude")):
        paths = [path for capture in captures for path in (capture.focus or ((), ()))[number]]
        for path in dict.fromkeys(paths):
            yield name, f"{path}{of_runs(paths.count(path), len(captures))}"


def timers(captures: Iterable[Capture]) -> Iterable[tuple[str, str]]:
    """The timers of functions that measured anything but elapsed time, each with its number of runs
    if that is not all."""
    clocks = [capture.clock for capture in captures if capture.functions]
    for clock, what in NOT_WALL.items():
        if clock in clocks:
            yield "timer", f"{what}{of_runs(clocks.count(clock), len(clocks))}"


def of_runs(number: int, runs: int) -> str:
    return f"  ({number} of {runs} runs)" if number < runs else ""


def lines_hit(timed: Lines) -> str:
    called = [function for function in timed.functions if function.lines]
    hits = sum(line.hits for function in called for line in function.lines)
    return f"{counted(hits, 'hit')} in {counted(len(called), 'function')} timed by line"


def compensations(
    stats: Stats, cost: TracingCost | None, whole: Whole | None
) -> Iterable[tuple[str, str]]:
    """Whether tracing overhead is in the times, or how many seconds were subtracted. whole: of the
    native samples, if there are any."""
    lines = stats.lines.compensated
    if (cost or lines) and stats.raw:
        yield "tracing", "tracing overhead is in the times"
    elif lines:
        besides = ", not of functions" if stats.stats else ""
        yield "tracing", f"tracing overhead subtracted from the times of lines{besides}"
    elif cost:
        doubt = "" if whole is None else doubt_of(whole, cost.taken)
        yield (
            "tracing",
            f"{cost.taken:.3f} s of tracing overhead subtracted, shares as measured{doubt}",
        )


def doubt_of(whole: Whole, taken: float) -> str:
    """Why the subtracted overhead cannot be right by native samples; "" where it can be."""
    least, most = whole.cpu_of(whole.overhead), whole.cpu_of(whole.cpu)
    if taken < least.seconds - least.error:
        told = f"{least.seconds:.3f} +- {least.error:.3f} s in tracer's code alone"
        return f"; too little, for native samples have {told}"
    if taken > most.seconds + most.error:
        return f"; too much, for native samples have {most.seconds:.3f} s of CPU in all"
    return ""


def timelines(stats: Stats) -> Iterable[tuple[str, str]]:
    """What was recorded of when calls ran, and what is not drawn of that."""
    found = [capture for capture in stats.captures if capture.timeline is not None]
    if len(found) > 1:
        yield "timeline", f"in {len(found)} of {len(stats.captures)} runs"
    elif found:
        timeline = found[0].timeline
        assert timeline is not None
        if timeline.kept_in:
            yield "timeline", f"in {quote(timeline.kept_in)}, which is missing beside the file"
            return
        tick = timeline.seconds_per_tick
        drawn = [f"those of {short(timeline.least * tick * 1e9)} and more"] * (timeline.least > 0)
        drawn += [f"those since {timeline.since * tick:.3f} s"] * (timeline.since > 0)
        lost = [f"{timeline.lost:,} of them found no room"] * (timeline.lost > 0)
        lost += dropped_by(timeline)
        yield (
            "timeline",
            f"{timeline.last * tick:.3f} s, {counted(found[0].total_calls, 'call')}, "
            f"{' and '.join(drawn) or 'all'} are drawn{''.join(f'; {it}' for it in lost)}",
        )


def steps(captures: Sequence[Capture]) -> Iterable[tuple[str, str]]:
    """How many steps were recorded, and their numbers, where those are known."""
    found = [
        dict(it.values).get("number")
        for capture in captures
        if capture.timeline is not None
        for it in capture.timeline.ranges
        if it.category == "step" and it.end >= 0
    ]
    rows: list[tuple[int, int]] = []  # of consecutive numbers: the first and the last
    for number in found:
        if isinstance(number, int):
            follows = bool(rows) and rows[-1][1] == number - 1
            first = rows.pop()[0] if follows else number
            rows.append((first, number))
    texts = [f"{a:,}" if a == b else f"{a:,} to {b:,}" for a, b in rows]
    if len(texts) > LONGEST_STEPS:
        texts[LONGEST_STEPS - 1 : -1] = ["..."]
    if found:
        yield "steps", f"{len(found):,} recorded{': ' * bool(texts)}{', '.join(texts)}"


def commands(runs: Sequence[RunInfo]) -> Iterable[tuple[str, str]]:
    """One line for each different command line, with how often it was run."""
    often: dict[str, int] = {}
    for run in runs:
        line = command_line(run.command)
        often[line] = often.get(line, 0) + 1
    name = "command"
    for line, times_run in often.items():
        yield name, line if times_run == 1 else f"{line}  ({times_run} times)"
        name = ""


def command_line(words: Iterable[str]) -> str:
    """The words as typed, in one line: cut if very long, with control characters escaped."""
    line = printable(" ".join(map(quote, words)))
    return line if len(line) <= LONGEST_COMMAND else line[: LONGEST_COMMAND - 3] + "..."


def printable(text: str) -> str:
    return "".join(c if c.isprintable() or is_byte(c) else repr(c)[1:-1] for c in text)


def is_byte(character: str) -> bool:
    """Whether this character stands for a byte of a file name that is not UTF-8."""
    return "\udc80" <= character <= "\udcff"


def ends_of(runs: Sequence[RunInfo], told: Callable[[str], str] = end_text) -> str:
    """How runs ended that did not end with status 0, or whose end is unknown; and how many did.
    told: says one end."""
    ends = [printable(told(run.ended)) for run in runs if run.ended]
    if len(runs) == 1:
        return ends[0]
    often = {end: ends.count(end) for end in ends}
    return ", ".join(f"{end} ({number} of {len(runs)} runs)" for end, number in often.items())


def times(runs: Sequence[RunInfo]) -> str:
    real = sum(run.real for run in runs)
    user = sum(run.user for run in runs)
    system = sum(run.system for run in runs)
    return f"{real:.3f} s real, {user:.3f} s user, {system:.3f} s sys"


def children(runs: Sequence[RunInfo]) -> Iterable[tuple[str, str]]:
    """What child processes worked."""
    worked = sum(run.children for run in runs)
    if worked >= CHILDREN:
        yield "children", f"{worked:.3f} s of the processor in child processes"


def memory(runs: Sequence[RunInfo]) -> str:
    size = max(run.max_memory for run in runs)
    return f"{size / 2**20:,.1f} MiB"


def allocations(captures: Sequence[Capture]) -> Iterable[tuple[str, str]]:
    """What Python's allocators gave out, where that was recorded, and what was cut off."""
    for capture in captures:
        found = capture.memory
        if found is None:
            continue
        live, peak, resident, rest = whole_of(found)
        at_peak, at_end = (size_text(it.bytes, SHORT_SIZE) for it in (peak, live))
        told = f"{at_peak} at the peak, {at_end} at the end"
        if resident:
            at_most, beside = (size_text(it, SHORT_SIZE) for it in (resident, rest))
            told += f"; resident {at_most}, {beside} in no block"
        if found.native:
            told += "; malloc of C code included"
        yield "allocated", told
        if found.cut_off is not None:
            yield "cut off", f"memory after {found.cut_off:.3f} s, when a tool took over allocators"
        if found.missed.blocks:
            blocks = f"{counted(found.missed.blocks, 'block')} with {size_text(found.missed.bytes)}"
            yield "missed", f"the end of {blocks}, which were live when recording paused"
        if found.lost:
            yield "lost", f"{counted(found.lost, 'allocation')} in no figure: out of memory"


def sampled_whole(stats: Stats) -> Whole | None:
    """The sums of the native samples; None where native code was not sampled."""
    if all(capture.native is None for capture in stats.captures):
        return None
    from tracer.analysis.native.native import whole_of

    return whole_of(stats)


def native_samples(captures: Sequence[Capture], whole: Whole | None) -> Iterable[tuple[str, str]]:
    """How native code was sampled, where it was, and what is in no sample."""
    taken = [capture.native for capture in captures if capture.native is not None]
    if whole is None:
        return
    if whole.samples:
        parts = {"native": whole.native, "Python": whole.interpreter, "overhead": whole.overhead}
        shares = ", ".join(
            f"{percent}% {name}"
            for name, percent in zip(parts, whole_percents([*parts.values()]), strict=True)
        )
        asked = "" if whole.rate > ASKED * whole.hz else f" ({whole.hz:,} asked)"
        told = f"{counted(whole.samples, 'sample')}, {whole.rate:.0f} a second{asked}"
        threads = sum(map(sampled_threads, captures))
        where = f" in {threads:,} threads" if threads > 1 else ""
        yield "native", f"{whole.cpu:.2f} s of CPU{where}, {told}: {shares}"
    else:
        yield "native", "no sample: no thread used enough CPU while it was recorded"
    for name, why in dict.fromkeys(pair for it in taken for pair in it.refused):
        yield "not sampled", f"thread {name!r}: {why}"
    cut, lost = (sum(getattr(it, name) for it in taken) for name in ("cut", "lost"))
    if cut:
        yield "cut short", f"{counted(cut, 'native stack')}: what was found of them is counted"
    if lost:
        yield (
            "lost",
            f"{counted(lost, 'sample')}: more came than tracer's thread could keep up with",
        )


def whole_percents(parts: Sequence[float]) -> list[int]:
    """The parts in percent of their sum, rounded so that they make 100: those that lose the most by
    it are rounded up."""
    exact = [100 * part / sum(parts) for part in parts]
    rounded = [int(it) for it in exact]
    lost = sorted(range(len(parts)), key=lambda at: rounded[at] - exact[at])
    for at in lost[: 100 - sum(rounded)]:
        rounded[at] += 1
    return rounded


def sampled_threads(capture: Capture) -> int:
    """How many threads have native samples, those that Python does not know included."""
    if capture.native is None:
        return 0
    known = sum(bool(thread.native) for thread in capture.threads)
    return known + sum(bool(other.samples) for other in capture.native.others)
