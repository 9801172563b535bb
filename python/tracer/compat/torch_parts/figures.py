"""What was recorded as PyTorch's profiler tells it: the sums of each name, the events, the stacks.

The figures of functions are exact, whatever the timeline has room for; ranges, and events, are the
timeline's. A function that ran already when recording began is in neither, as in PyTorch: it was
not called.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.tree.call_tree import paths_of
from tracer.compat.torch_parts.events import FunctionEvent, FunctionEventAvg
from tracer.compat.torch_parts.names import say_once
from tracer.compat.torch_parts.ranges import Marked, Owned, Steps, marked, owned, within_own
from tracer.data.profile_set import ProfileSet
from tracer.data.records import NODE
from tracer.exports.names import shown
from tracer.runtime.unrecorded import aside
from tracer.source.short_names import folder_here, short_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tracer.data.capture import Capture
    from tracer.data.timeline import ThreadTimeline, Timeline
    from tracer.data.types import Function, Label

MICROSECONDS = 1e6
C_FILE = "~"


class Key(NamedTuple):
    """The names of a function and whether it is a Python function."""

    text: str
    is_python: bool


class Names:
    """The keys of functions, as PyTorch names them: of Python, `file(line): name`; of C, what
    Python says of them, as <built-in method torch.relu>."""

    def __init__(self, captures: Iterable[Capture]) -> None:
        here = folder_here()
        self.of: dict[Label, Key] = {}  # by what Function.label("qualname") gives
        for capture in captures:
            for it in capture.functions:
                label = it.label("qualname")
                if label not in self.of:
                    self.of[label] = _key(it, here)

    def of_capture(self, capture: Capture) -> list[Key]:
        """The key of each function of a capture, by its position."""
        return [self.of[function.label("qualname")] for function in capture.functions]

    def of_row(self, row: tuple[str, int, str]) -> Key:
        """The key of a row of paths; such a row may stand for paths that were not kept."""
        return self.of.get((*row,)) or Key(shown(row[2]), False)


def _key(function: Function, here: str) -> Key:
    if function.filename == C_FILE:
        return Key(shown(function.name), False)
    file = short_file(function.filename, here)
    return Key(shown(f"{file}({function.line}): {function.qualname}"), True)


class _Sums(dict[tuple[object, ...], FunctionEventAvg]):
    """Rows by what tells them apart, in the order in which they came."""

    def of(self, key: Key, stack: Sequence[str] = (), *, marks: bool = False) -> FunctionEventAvg:
        group = (key.text, marks, *stack)
        row = self.get(group)
        if row is None:
            row = self[group] = FunctionEventAvg(
                key.text,
                stack=list(stack),
                is_user_annotation=marks,
                is_python_function=key.is_python,
            )
        return row


@aside
def averages(captures: Sequence[Capture], steps: Steps, callers: int = 0) -> list[FunctionEventAvg]:
    """A row for each name: ranges by their starts, then functions as they were first seen.

    callers: tell the rows of a function apart by that many of its innermost callers.
    """
    names, rows = Names(captures), _Sums()
    taken: list[dict[tuple[str, ...], float]] = []
    for capture in captures:
        taken.append(_add_ranges(rows, capture, steps, names, callers))
    for capture, less in zip(captures, taken, strict=True):
        if callers:
            _add_paths(rows, capture, names, callers, less)
        else:
            _add_functions(rows, capture, names, less)
    return list(rows.values())


def _add_ranges(
    rows: _Sums, capture: Capture, steps: Steps, names: Names, callers: int
) -> dict[tuple[str, ...], float]:
    """Add the ranges of a capture. Returns the microseconds that are those of functions no more:
    by the function's key and those of its callers."""
    timeline = capture.timeline
    less: dict[tuple[str, ...], float] = defaultdict(float)
    if timeline is None:
        return less
    unit = timeline.seconds_per_tick * MICROSECONDS
    keys = names.of_capture(capture)
    for one, log in sorted(
        _owned_ranges(capture, timeline, steps), key=lambda it: it[0].range.start
    ):
        row = rows.of(Key(one.range.name, False), marks=True)
        row.count += 1
        row.is_async = one.range.is_async
        row.self_cpu_time_total += one.ticks * unit
        row.cpu_time_total += 0 if one.is_inner else (one.range.end - one.range.start) * unit
        for node, ticks in one.taken.items():
            chain = [at for at in log.chain(node) if at not in capture.left_out]
            less[tuple(keys[at].text for at in chain[: callers + 1])] += ticks * unit
    return less


def _owned_ranges(
    capture: Capture, timeline: Timeline, steps: Steps
) -> Iterator[tuple[Owned, ThreadTimeline]]:
    by_thread: dict[int, list[Marked]] = defaultdict(list)
    for one in marked(timeline, steps):
        by_thread[one.thread].append(one)
    is_whole = not (timeline.least or timeline.lost or timeline.since)
    if by_thread and not is_whole:
        say_once(
            "the timeline had no room for all calls: the own time of record_function() and of "
            "steps is estimated; record fewer steps in a cycle"
        )
    for position, ranges in by_thread.items():
        log = timeline.threads[position]
        found = owned(ranges, log, log.read(), capture.left_out)
        if not is_whole:
            nodes = capture.threads[position].records["nodes"]
            found = within_own(list(found), [own for *_, own, _ in NODE.iter_unpack(nodes)])
        for own in found:
            yield own, log


def _add_functions(
    rows: _Sums, capture: Capture, names: Names, less: dict[tuple[str, ...], float]
) -> None:
    totals = capture.figures("qualname", callers=False)
    for function, key in zip(capture.functions, names.of_capture(capture), strict=True):
        label = function.label("qualname")
        figures = totals.stats.pop(label, None)  # of two functions of one label, once
        if figures is None:
            continue
        _, calls, own, cumulative, _ = figures
        if calls or label in totals.resumes:
            row = rows.of(key)
            row.count += calls
            row.self_cpu_time_total += own * MICROSECONDS - less.pop((key.text,), 0.0)
            row.cpu_time_total += cumulative * MICROSECONDS


def _add_paths(
    rows: _Sums, capture: Capture, names: Names, callers: int, less: dict[tuple[str, ...], float]
) -> None:
    paths = paths_of(ProfileSet(capture, names="qualname"))
    keys = [names.of_row(row) for row in paths.rows]
    for tree in paths.trees:
        totals = tree.totals()
        path: list[int] = []
        for node in range(1, len(tree)):
            del path[tree.depth[node] - 1 :]
            row = tree.row[node]
            if tree.calls[node] or tree.resumes[node]:
                stack = [keys[at].text for at in reversed(path)][:callers]
                sums = rows.of(keys[row], stack)
                sums.count += tree.calls[node]
                group = (keys[row].text, *stack)
                sums.self_cpu_time_total += tree.time[node] / 1000 - less.pop(group, 0.0)
                sums.cpu_time_total += 0 if row in path else totals[node] / 1000
            path.append(row)


@aside
def stacks(captures: Sequence[Capture]) -> list[tuple[list[str], float]]:
    """(the functions of a path, the outermost first; microseconds of own time) of all threads."""
    names = Names(captures)
    found = []
    paths = paths_of(ProfileSet(*captures, names="qualname"))
    keys = [names.of_row(row).text for row in paths.rows]
    for tree in paths.trees:
        path: list[str] = []
        for node in range(1, len(tree)):
            del path[tree.depth[node] - 1 :]
            path.append(keys[tree.row[node]])
            found.append((list(path), tree.time[node] / 1000))
    return found


# -- Events ----------------------------------------------------------------------------------------


@aside
def events(captures: Sequence[Capture], steps: Steps, has_stack: bool) -> list[FunctionEvent]:
    """The calls of the timeline and the ranges, by their starts, each with what is around it."""
    names = Names(captures)
    found: list[FunctionEvent] = []
    for capture in captures:
        timeline = capture.timeline
        if timeline is not None:
            of_capture = _events_of(capture, timeline, steps, names, has_stack)
            found += sorted(of_capture, key=lambda it: (it.time_range.start, -it.time_range.end))
    for number, event in enumerate(found, 1):
        event.id = number
    return found


def _events_of(
    capture: Capture, timeline: Timeline, steps: Steps, names: Names, has_stack: bool
) -> Iterator[FunctionEvent]:
    unit = timeline.seconds_per_tick * MICROSECONDS
    keys = names.of_capture(capture)
    ranges: dict[int, list[Marked]] = defaultdict(list)
    for one in marked(timeline, steps):
        ranges[one.thread].append(one)
    for position, (thread, log) in enumerate(zip(capture.threads, timeline.threads, strict=True)):
        slices, was_called = log.read(), _was_called(thread.records["nodes"], log)
        nested: list[tuple[int, int, int, FunctionEvent]] = []
        for at, node in enumerate(slices.nodes):
            function = log.functions[node] if node else -1
            if not node or not was_called[node] or function in capture.left_out:
                continue
            start, end = slices.starts[at], slices.ends[at]
            event = FunctionEvent(
                0,
                keys[function].text,
                thread.native_id,
                start * unit,
                end * unit,
                is_python_function=keys[function].is_python,
                has_stack=has_stack,
            )
            nested.append((start, -end, at, event))
        for mark in ranges[position]:
            event = FunctionEvent(
                0,
                mark.name,
                thread.native_id,
                mark.start * unit,
                mark.end * unit,
                trace_name=mark.full_name,
                is_async=mark.is_async,
                is_user_annotation=True,
                has_stack=has_stack,
            )
            if mark.is_async:
                yield event
            else:
                nested.append((mark.start, -mark.end, len(slices.nodes), event))
        nested.sort(key=lambda it: it[:3])
        _nest(nested)
        yield from (event for *_, event in nested)


def _nest(events: Iterable[tuple[int, int, int, FunctionEvent]]) -> None:
    """Tell the events of a thread, sorted by their starts, what is around each."""
    around: list[tuple[int, FunctionEvent]] = []
    for start, minus_end, _, event in events:
        while around and (around[-1][0] <= start or around[-1][0] < -minus_end):
            around.pop()
        if around:
            event.cpu_parent = around[-1][1]
            around[-1][1].cpu_children.append(event)
        around.append((-minus_end, event))


def _was_called(nodes: bytes, log: ThreadTimeline) -> Sequence[bool]:
    """Of each calling context, whether it was called or resumed while recording was on."""
    counted = [calls > 0 or resumes > 0 for _, _, calls, resumes, *_ in NODE.iter_unpack(nodes)]
    if len(counted) == len(log.functions):
        return counted
    return [True] * len(log.functions)  # where contexts share a node


def top_keys(events: Iterable[FunctionEvent]) -> set[str]:
    """The keys of which some event has none around it."""
    return {event.name for event in events if event.cpu_parent is None}
