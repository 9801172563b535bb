"""The shape of tracer's section in a profile file: capture.py can rely on it after check().

The scanner (ext/core/report/reader.c) bounds the sizes and types of values, not their meaning.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from tracer._core import RECORDS
from tracer.data.memory import POINT, SITE
from tracer.data.overhead import KINDS, NEWER_KINDS
from tracer.data.records import (
    LINE,
    LINE_MEMORY,
    LINE_SAMPLES,
    LINE_WAIT,
    NODE,
    OBJECT_CALLS,
    OVERFLOW,
)
from tracer.data.sampled import COUNT, EDGE, HITS, NO_CALLER
from tracer.data.sampled import LINE as SAMPLED_LINE
from tracer.data.samples import FRAME, IN_OVERHEAD, NOWHERE, SAMPLE, STACK
from tracer.data.timeline import THREADS_IN

Check: TypeAlias = Callable[[Any], bool]
Shape: TypeAlias = dict[str, Check]


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is(*kinds: type) -> Check:
    return lambda value: type(value) in kinds


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _tuple_of(check: Check) -> Check:
    return lambda value: type(value) is tuple and all(map(check, value))


def _dict_of(check: Check) -> Check:
    """Whether a value is a dict whose keys are texts, and whose values pass the check."""
    return lambda value: (
        type(value) is dict and all(type(key) is str and check(it) for key, it in value.items())
    )


def _is_seconds(value: Any) -> bool:
    return type(value) in (float, int) and -1e12 < value < 1e12


_is_words = _tuple_of(_is(str))


def _is_costs(value: Any) -> bool:
    are_costs = _rows_of(float, float)
    return (
        type(value) is dict
        and value.keys() - {*NEWER_KINDS} == {*KINDS, "resume"}
        and all(are_costs(pair) and len(pair) == 2 for pair in value.values())
    )


def _is_handlers(value: Any) -> bool:
    return (
        _tuple_of(_tuple_of(_is_count))(value)
        and len(value) == 7
        and all(len(time) == 3 for time in value)
    )


def _fits(value: Any, shape: Shape, optional: Shape | None = None) -> bool:
    return (
        type(value) is dict
        and all(key in value and shape[key](value[key]) for key in shape)
        and all(key not in value or fits(value[key]) for key, fits in (optional or {}).items())
    )


def _is_amount(value: Any) -> bool:
    return _tuple_of(_is_count)(value) and len(value) == 2


def _is_bytes_of(size: int, *, one: bool = False) -> Check:
    """Whether a value is records of this size; with `one`, a single one."""

    def check(value: Any) -> bool:
        return type(value) is bytes and (len(value) == size if one else len(value) % size == 0)

    return check


THREAD_SHAPE: Shape = {
    "name": _is(str),
    "ident": _is_count,
    "native_id": _is_count,
    "sharers": _is_count,
    "lost_calls": _is_count,
    **dict.fromkeys(RECORDS[:3], _is(bytes)),
}
# Keys that the oldest files do not have.
NEWER_THREAD_SHAPE: Shape = {
    "cut_off": _is(float, type(None)),
    "memory": _is_bytes_of(SITE.size),
    "native": _is_bytes_of(SAMPLE.size),
    "native_cpu": _is_seconds,
    "object_calls": _is_bytes_of(OBJECT_CALLS.size),
    "wait_nodes": _is_bytes_of(NODE.size),
    "looks": _is_count,
    "real": _is_seconds,
    "cpu": _is_seconds,
    **dict.fromkeys(RECORDS[3:], _is(bytes)),
}
TIMED_THREAD_SHAPE: Shape = {
    "ident": _is_count,
    "native_id": _is_count,
    "lines": _is_bytes_of(LINE.size),
}
NEWER_TIMED_THREAD_SHAPE: Shape = {
    "line_waits": _is_bytes_of(LINE_WAIT.size),
    "line_samples": _is_bytes_of(LINE_SAMPLES.size),
}


# Of the threads of a section with a timeline.
LOGGED_THREAD_SHAPE: Shape = {
    "slices": _is(bytes),
    "bins": _is(bytes),
    "folded": _is_bytes_of(4),
    "began": _is(int),
    "ended": _is(int),
    "is_over": _is(bool),
}


def _row_of(*kinds: type | tuple[type, ...]) -> Check:
    """Whether a value is a tuple with items of these kinds."""
    wanted = [kind if type(kind) is tuple else (kind,) for kind in kinds]
    return lambda row: (
        type(row) is tuple
        and len(row) == len(wanted)
        and all(type(item) in kinds for item, kinds in zip(row, wanted, strict=True))
    )


def _rows_of(*kinds: type | tuple[type, ...]) -> Check:
    return _tuple_of(_row_of(*kinds))


_TEXT = (str, type(None))
_are_values = _rows_of(str, (type(None), bool, int, float, str))
_is_range = _row_of(int, int, int, int, str, _TEXT, tuple, int, int)
_is_mark = _row_of(int, int, int, str, tuple)
_is_functions = _rows_of(str, int, str, str)
TIMELINE_SHAPE: Shape = {
    "packing": lambda value: value in ("", "zlib"),
    "least": _is(int),
    "since": _is(int),
    "budget": _is_count,
    "ring": _is(bool),
    "lost": _is_count,
    "clock": _rows_of(int, int),
    "epoch": _is(float),
    "pid": _is(int),
    "unit": lambda value: type(value) is int and value > 0,
    "tasks": _rows_of(int, int, int, int, int, _TEXT),
    "stacks": _rows_of(int, int, _TEXT),
    "ranges": _tuple_of(lambda row: _is_range(row) and _are_values(row[6])),
    "marks": _tuple_of(lambda row: _is_mark(row) and _are_values(row[4])),
    "counters": _rows_of(int, int, str, (int, float)),
    "flows": _rows_of(str, int, int, int, int),
    "collections": _rows_of(int, int, int, int, int, int),
    "forks": _rows_of(int, int, str, int),
    "dropped": _dict_of(_is_count),
}


def _is_tick(value: Any) -> bool:
    return type(value) is float and 0 < value < 1e9


LINES_SHAPE: Shape = {
    "codes": _is_functions,
    "threads": _tuple_of(lambda it: _fits(it, TIMED_THREAD_SHAPE, NEWER_TIMED_THREAD_SHAPE)),
    "seconds_per_tick": _is_tick,
    "measured": lambda value: type(value) is float and 0 <= value < 1e18,
    "left_out": _is_count,
    "lost": _is_count,
    "sources": _dict_of(_is_count),
}
LINES_OF_MEMORY: Shape = {
    "lines": lambda value: (
        _fits(value, {key: fits for key, fits in LINES_SHAPE.items() if key != "sources"})
        and all(
            type(thread.get("line_memory")) is bytes
            and len(thread["lines"]) // LINE.size * LINE_MEMORY.size == len(thread["line_memory"])
            for thread in value["threads"]
        )
    ),
}
RUN_SHAPE: Shape = {
    "command": _is_words,
    "started": _is_seconds,
    "real": _is_seconds,
    "user": _is_seconds,
    "system": _is_seconds,
    "max_memory": _is_count,
}
NEWER_RUN_SHAPE: Shape = {
    "python": _is(str),
    "ended": _is(str),
    "children": _is_seconds,
    "preemptions": _is_count,
    "processors": _is_count,
}
SECTION_SHAPE: Shape = {
    "byte_order": _is(str),
    "functions": _is_functions,
    "left_out": _tuple_of(_is_count),
    "threads": _tuple_of(lambda thread: _fits(thread, THREAD_SHAPE, NEWER_THREAD_SHAPE)),
    "clock": _is(str),
    "seconds_per_tick": _is_tick,
    "subcalls": _is(bool),
    "builtins": lambda value: type(value) is bool or value == "all",
    "run": _or_none(lambda value: _fits(value, RUN_SHAPE, NEWER_RUN_SHAPE)),
}
MEMORY_SHAPE: Shape = {
    **dict.fromkeys(("live", "peak", "missed"), _is_amount),
    **dict.fromkeys(("lost", "resident"), _is_count),
    **dict.fromkeys(("began", "cut_off"), _is(int)),
    **dict.fromkeys(("outside", "other"), _is_bytes_of(SITE.size, one=True)),
    "curve": _is_bytes_of(POINT.size),
}
NEWER_MEMORY_SHAPE: Shape = {**LINES_OF_MEMORY, "native": _is(bool)}
USE_SHAPE: Shape = {
    "real": _is_seconds,
    "process": _is_seconds,
    "machine": _or_none(_is_seconds),
    "processors": lambda value: type(value) is int and value > 0,
}
NATIVE_SHAPE: Shape = {
    "hz": lambda value: type(value) is int and 0 < value <= 1e6,
    "period": lambda value: type(value) is float and 0 < value <= 1e3,
    "means": lambda value: value in ("timer", "perf"),
    **dict.fromkeys(("signals", "cut", "lost"), _is_count),
    "refused": _rows_of(str, str),
    "modules": _rows_of(str, str, int, int, int),
    "symbols": _rows_of(str, int, int),
    "frames": _is_bytes_of(FRAME.size),
    "stacks": _is_bytes_of(STACK.size),
    "others": lambda value: (
        _rows_of(str, int, (float, int), bytes)(value)
        and all(_is_bytes_of(SAMPLE.size)(samples) for _, _, _, samples in value)
    ),
}


SAMPLED_SHAPE: Shape = {
    "rate": lambda value: type(value) is int and 0 < value <= 1e6,
    "period": lambda value: type(value) is float and 0 < value <= 1e3,
    "slowdown": lambda value: type(value) is float and 0 <= value <= 1,
    **dict.fromkeys(("event_cost", "spent"), _is_seconds),
    "has_counts": _is(bool),
    **dict.fromkeys(("weight", "samples", "squares", "lost", "broken"), _is_count),
    **dict.fromkeys(("in_events", "at_lines", "events"), _is_count),
    "counts": _is_bytes_of(COUNT.size),
    "edges": _is_bytes_of(EDGE.size),
    "lines": _is_bytes_of(SAMPLED_LINE.size),
    "hits": _or_none(_is_bytes_of(HITS.size)),
    "refused": _rows_of(str, str),
}
NEWER_SECTION_SHAPE: Shape = {
    "lines": _or_none(lambda value: _fits(value, LINES_SHAPE)),
    "backend": _is(str),
    "sources": _or_none(_dict_of(_row_of(bytes, bool))),
    "costs": _or_none(_is_costs),
    "handlers": _or_none(_is_handlers),
    "timeline": _or_none(lambda value: _fits(value, TIMELINE_SHAPE, {"kept_in": _is(str)})),
    "phases": _dict_of(_is_words),
    "project_phases": _or_none(_dict_of(_is_words)),
    "use": _or_none(lambda value: _fits(value, USE_SHAPE)),
    "memory": _or_none(lambda value: _fits(value, MEMORY_SHAPE, NEWER_MEMORY_SHAPE)),
    "native": _or_none(lambda value: _fits(value, NATIVE_SHAPE)),
    "sampled": _or_none(lambda value: _fits(value, SAMPLED_SHAPE)),
    "focus": _or_none(lambda value: _tuple_of(_is_words)(value) and len(value) == 2),
    "extensions": _rows_of(int, str, str),
}


def sections_of(payload: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """The sections of a file, checked: one, or in a merged file one for each run. Raises ValueError
    for a section that capture.py cannot read."""
    sections = payload.get("merged", (payload,))
    if type(sections) is not tuple or not sections:
        raise ValueError("its section has no proper 'merged'")
    # A few bytes can name one section a thousand times, and each naming would be worked through.
    if len(set(map(id, sections))) < len(sections):
        raise ValueError("one of its sections is there twice")
    for section in sections:
        if type(section) is not dict:
            raise ValueError("its section has no proper 'merged'")
        check(section)
    return sections


def _check_timeline(timeline: dict[str, Any], threads: tuple[dict[str, Any], ...]) -> None:
    """Raise ValueError where a part of the timeline speaks of a thread that is not there."""
    if not all(_fits(thread, LOGGED_THREAD_SHAPE) for thread in threads):
        raise ValueError("its section has a thread without a timeline")
    if any(len(it["folded"]) // 4 != len(it["folds"]) // OVERFLOW.size for it in threads):
        raise ValueError("its section has a thread with an improper 'folded'")
    for name, places in THREADS_IN.items():
        for row in timeline[name]:
            if not all(0 <= row[place] < len(threads) for place in places):
                raise ValueError(f"its section has {name} of a thread that is not there")


def _check_native(native: dict[str, Any], threads: tuple[dict[str, Any], ...]) -> None:
    """Raise ValueError where a part of the native samples speaks of what is not there."""

    def is_below(count: int, position: int) -> bool:
        return 0 <= position < count or position == NOWHERE

    modules, symbols = len(native["modules"]), len(native["symbols"])
    frames, stacks = (
        len(native[name]) // it.size for name, it in (("frames", FRAME), ("stacks", STACK))
    )
    is_whole = (
        all(is_below(modules, module) for _, module, _ in native["symbols"])
        and all(
            is_below(modules, module) and is_below(symbols, symbol)
            for _, module, symbol in FRAME.iter_unpack(native["frames"])
        )
        and all(
            caller <= before and frame < frames
            for before, (caller, frame) in enumerate(STACK.iter_unpack(native["stacks"]))
        )
    )
    if not is_whole:
        raise ValueError("its section has no proper 'native'")
    sampled = [
        (len(it["nodes"]) // NODE.size, len(it["folds"]) // OVERFLOW.size, it.get("native", b""))
        for it in threads
    ]
    for nodes, overflow, samples in [*sampled, *((1, 0, it[3]) for it in native["others"])]:
        for node, is_overflow, stack, kind, _ in SAMPLE.iter_unpack(samples):
            if node >= (overflow if is_overflow else nodes) or stack > stacks or kind > IN_OVERHEAD:
                raise ValueError("its section has native samples of what is not there")


def _check_sampled(sampled: dict[str, Any], functions: int) -> None:
    """Raise ValueError where a count or a line is of a function that is not there."""
    counted = (function for function, _, _ in COUNT.iter_unpack(sampled["counts"]))
    timed = (function for function, *_ in SAMPLED_LINE.iter_unpack(sampled["lines"]))
    hit = (function for function, *_ in HITS.iter_unpack(sampled["hits"] or b""))
    ends = (
        end
        for caller, callee, _ in EDGE.iter_unpack(sampled["edges"])
        for end in ((callee,) if caller == NO_CALLER else (caller, callee))
    )
    if any(function >= functions for known in (counted, timed, hit, ends) for function in known):
        raise ValueError("its section has counts or lines of a function that is not there")


def check(section: dict[str, Any]) -> None:
    """Raise ValueError for a section that capture.py cannot read."""
    for key, fits in {**SECTION_SHAPE, **NEWER_SECTION_SHAPE}.items():
        missing = key not in section and key in SECTION_SHAPE
        if missing or (key in section and not fits(section[key])):
            raise ValueError(f"its section has no proper {key!r}")
    if section.get("timeline") is not None:
        _check_timeline(section["timeline"], section["threads"])
    if section.get("native") is not None:
        _check_native(section["native"], section["threads"])
    if section.get("sampled") is not None:
        _check_sampled(section["sampled"], len(section["functions"]))
    for thread in section["threads"]:
        for *both, _, _ in OBJECT_CALLS.iter_unpack(thread.get("object_calls", b"")):
            if max(both) >= len(section["functions"]):
                raise ValueError("its section has calls of an object that is not there")
    if section["byte_order"] != sys.byteorder:
        raise ValueError(f"it was written on a {section['byte_order']}-endian machine")
    if any(function >= len(section["functions"]) for function in section["left_out"]):
        raise ValueError("its section leaves out a function that is not there")
    count = len(section["functions"])
    if not all(0 <= function < count for function, _, _ in section.get("extensions", ())):
        raise ValueError("its section has a module of a function that is not there")
