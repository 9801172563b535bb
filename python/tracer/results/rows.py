"""The rows of the tables of results: what each column is. The reference lists them from here.

Times are seconds, sizes are bytes. None stands for what the profile does not know.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from tracer.data.figures import FIGURES
from tracer.results.table import About, Kind

Name = Annotated[str, About("text", "the qualified name, as far as the profile knows it")]
Module = Annotated[str, About("text", 'the module; "" of a builtin')]
File = Annotated[str, About("text", 'the file; "~" of a builtin')]
Line = Annotated[int, About("number", "the line where it is defined; 0 of a builtin")]
Origin = Annotated[str, About("text", "own, library (the standard one), site, builtin or native")]


def of_figure(name: str) -> About:
    """What data/figures.py says of a figure."""
    about, is_time, merge = FIGURES[name]
    times: tuple[Kind, Kind] = "seconds", "moment"
    return About(times[merge is None] if is_time else "count", about[0].lower() + about[1:])


Calls = Annotated[int, of_figure("ncalls")]
Primitive = Annotated[int, of_figure("primitive")]
Own = Annotated[float, of_figure("tottime")]
Cumulative = Annotated[float, of_figure("cumtime")]
Waited = Annotated[float | None, of_figure("waited")]


class FunctionRow(NamedTuple):
    """A function, in all threads."""

    name: Name
    module: Module
    file: File
    line: Line
    kind: Origin
    ncalls: Calls
    primitive: Primitive
    tottime: Own
    cumtime: Cumulative
    waited: Waited
    busy: Annotated[float | None, About("seconds", "of its own time, in which it was not waiting")]
    resumes: Annotated[int | None, of_figure("resumes")]
    suspended: Annotated[float | None, of_figure("suspended")]
    longest: Annotated[float | None, of_figure("longest")]
    longest_at: Annotated[float | None, of_figure("longest_at")]


class ThreadRow(NamedTuple):
    """A thread."""

    name: Annotated[str, About("text", "the name")]
    ident: Annotated[int, About("number", "threading.get_ident()")]
    native_id: Annotated[int, About("number", "the system's number")]
    ncalls: Annotated[int, About("count", "calls of all functions")]
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
    ncalls: Calls
    primitive: Primitive
    tottime: Annotated[float, About("seconds", "in the callee itself, in these calls")]
    cumtime: Annotated[float, About("seconds", "in the callee and all that it called")]


class LineRow(NamedTuple):
    """A line that was timed and hit."""

    function: Annotated[str, About("text", "the qualified name of its function")]
    file: Annotated[str, About("text", "the file")]
    line: Annotated[int, About("number", "the number of the line")]
    text: Annotated[str, About("text", 'the source; "" where it is not known')]
    hits: Annotated[int, About("count", "how often the line was reached")]
    time: Annotated[float, About("seconds", "on the line, with all that it calls")]
    own: Annotated[float | None, About("seconds", "of that, in no function that it calls")]
    in_c: Annotated[float | None, About("seconds", "of that, in functions written in C")]
    waited: Annotated[float | None, About("seconds", "in which the thread did not run")]
    suspended: Annotated[float, About("seconds", "suspended on the line; in no other time")]


class MemoryRow(NamedTuple):
    """What a function allocated itself. Cumulative: with all that it called."""

    name: Name
    module: Module
    file: File
    line: Line
    kind: Origin
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


class NativeRow(NamedTuple):
    """A native function, by samples."""

    name: Annotated[str, About("text", "the function")]
    library: Annotated[str, About("text", 'the file that has its code; "" where none has')]
    own: Annotated[float, About("seconds", "of CPU, while it ran itself")]
    own_error: Annotated[float, About("seconds", "the standard error of that")]
    cumulative: Annotated[float, About("seconds", "of CPU, with all that it called")]
    cumulative_error: Annotated[float, About("seconds", "the standard error of that")]
    caller: Annotated[str, About("text", "the function for which it ran most")]


class RangeRow(NamedTuple):
    """The ranges of one name and category. Those that did not end are in `open` alone."""

    name: Annotated[str, About("text", "the name")]
    category: Annotated[str, About("text", 'the category, or ""')]
    number: Annotated[int, About("count", "how many ended")]
    total: Annotated[float, About("seconds", "all of them together")]
    min: Annotated[float, About("seconds", "the shortest")]
    mean: Annotated[float, About("seconds", "the mean")]
    p50: Annotated[float, About("seconds", "as long as half of them at most")]
    p95: Annotated[float, About("seconds", "as long as 95% of them at most")]
    max: Annotated[float, About("seconds", "the longest")]
    open: Annotated[int, About("count", "how many did not end")]


class SlowRow(NamedTuple):
    """A single call, or a task."""

    name: Annotated[str, About("text", "the qualified name of the function")]
    file: File
    line: Line
    at: Annotated[float, About("moment", "when it began")]
    took: Annotated[float, About("seconds", "how long it took; of a task, ran")]
    thread: Annotated[str, About("text", "the name of the thread")]
    task: Annotated[str, About("text", 'the name of the task; "" where it is none')]
    callers: Annotated[str, About("text", 'the functions around it, the nearest first, "a < b"')]
    is_open: Annotated[bool, About("text", "it had not ended when the profile was taken")]


class StepRow(NamedTuple):
    """A step that ended. Of each phase, `phases` has the seconds."""

    number: Annotated[int, About("number", "its number")]
    thread: Annotated[str, About("text", "the name of the thread")]
    start: Annotated[float, About("moment", "when it began")]
    length: Annotated[float, About("seconds", "how long it took")]
    others: Annotated[float, About("seconds", "of that, in no phase")]
    items: Annotated[float | None, About("count", "how many items it worked on")]
    is_slow: Annotated[bool, About("text", "it is slow among the others")]
    phases: Annotated[dict[str, float], About("text", "{phase: seconds}")]


class TreeRow(NamedTuple):
    """A path of calls. The row above with a depth less by one is its caller."""

    depth: Annotated[int, About("number", "1 of what no recorded function called")]
    name: Name
    module: Module
    file: File
    line: Line
    kind: Origin
    share: Annotated[float, About("percent", "of the time of all")]
    cumtime: Cumulative
    tottime: Own
    waited: Annotated[float, About("seconds", "not run, in the function and all that it called")]
    ncalls: Calls


class ChangeRow(NamedTuple):
    """A function in two profiles. What is not in one has 0 there."""

    name: Name
    module: Module
    file: File
    line: Line
    kind: Origin
    state: Annotated[str, About("text", "new, gone, changed or same")]
    ncalls_before: Annotated[int, About("count", "calls")]
    ncalls_after: Annotated[int, About("count", "calls")]
    tottime_before: Annotated[float, About("seconds", "in the function itself")]
    tottime_after: Annotated[float, About("seconds", "in the function itself")]
    cumtime_before: Annotated[float, About("seconds", "with all that it called")]
    cumtime_after: Annotated[float, About("seconds", "with all that it called")]
    waited_before: Annotated[float, About("seconds", "of its own time, not run")]
    waited_after: Annotated[float, About("seconds", "of its own time, not run")]
    change: Annotated[float, About("seconds", "of the metric, after less before")]
    matters: Annotated[bool, About("text", "whether the change is more than noise")]
