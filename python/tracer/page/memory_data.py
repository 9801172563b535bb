"""What the page shows of memory: what each calling context allocated, by measure, how much was live
when, and the memory of lines.

The trees are those of the times, with bytes in the place of nanoseconds and blocks in the place of
calls. So the page draws them as it draws times.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tracer._core import ProfileFormatError
from tracer.data.line_memory import line_memory_of
from tracer.data.memory import Amount, Point
from tracer.data.records import NO_ROW

if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths, Tree
    from tracer.data.capture import Capture
    from tracer.data.memory import Memory
    from tracer.data.profile_set import ProfileSet
    from tracer.page.container import Block, Blocks

# The measures of the page, in the order of its buttons.
SHOWN = ("live", "peak", "allocated", "temporary")
NS = 1e9

Amounts = tuple[int, int, int, int]  # of a function: its row; blocks; bytes, own and with callees


class Context(NamedTuple):
    """A thread seen by a measure. depth, row: the calling contexts in preorder, as a Tree has them.
    bytes, blocks: of each. functions: those that have any."""

    depth: array[int]
    row: array[int]
    bytes: array[int]
    blocks: array[int]
    functions: list[Amounts]


class Curve(NamedTuple):
    """The curve of a capture. began: when recording began, in ns of CLOCK_MONOTONIC."""

    name: str
    began: int
    points: list[Point]


class PageMemory(NamedTuple):
    """The memory of a profile as the page has it. facts, lines: as in the page's JSON. measures:
    of each of SHOWN, a Context for each thread of the page."""

    facts: dict[str, Any]
    measures: dict[str, list[Context]]
    curves: list[Curve]
    lines: list[dict[str, Any]]


def memory_of(stats: ProfileSet, paths: Paths, names: str) -> PageMemory | None:
    """The memory of a Stats; None where none was recorded, and where other tools' files are added
    to what was. paths, names: as the page has them. Raises ProfileFormatError for a damaged
    file."""
    captures = list(dict.fromkeys(part.capture for part in stats.parts))
    recorded = [memory for memory in (capture.memory for capture in captures) if memory is not None]
    if not recorded or not stats.is_whole:
        return None
    try:
        return PageMemory(
            _facts(recorded),
            {measure: _contexts(stats, paths, names, measure) for measure in SHOWN},
            [curve for curve in map(curve_of, captures) if curve is not None],
            _lines(stats),
        )
    except (ValueError, struct.error):
        raise ProfileFormatError("its memory is damaged", remedy="make the profile again") from None


def curve_of(capture: Capture) -> Curve | None:
    """The curve of a capture; None where no memory was recorded."""
    memory = capture.memory
    if memory is None:
        return None
    name = "" if capture.run is None else " ".join(capture.run.command)
    return Curve(name, memory.began, list(memory.curve()))


def packed(memory: PageMemory, paths: Paths, threads: Sequence[Any], blocks: Blocks) -> Any:
    """Memory as the page's JSON has it. threads: the page's, packed."""
    return {
        **memory.facts,
        "measures": {
            measure: [
                _packed_context(context, tree, thread["nodes"], blocks)
                for context, tree, thread in zip(contexts, paths.trees, threads, strict=True)
            ]
            for measure, contexts in memory.measures.items()
        },
        "curves": [_packed_curve(curve, blocks) for curve in memory.curves],
        "lines": memory.lines,
    }


def counters_of(curve: Curve, clock: tuple[int, int], tick: float) -> list[tuple[int, str, float]]:
    """A curve as counters of a timeline: (moment in ticks, name, MiB). clock: a tick, and its
    moment in ns of CLOCK_MONOTONIC. tick: nanoseconds."""
    counters = []
    for point in curve.points:
        moment = max(0, round(clock[0] + (curve.began + point.at * NS - clock[1]) / tick))
        counters.append((moment, "live memory, MiB", point.last / 2**20))
        if point.resident:
            counters.append((moment, "resident memory, MiB", point.resident / 2**20))
    return counters


def _sum(amounts: Iterable[Amount]) -> list[int]:
    return [sum(figures) for figures in zip(*amounts, strict=True)]


def _facts(recorded: Sequence[Memory]) -> dict[str, Any]:
    """The sums over the captures; of what is resident, the most."""
    outside = {
        name: _sum(part for it in recorded for part in (it.outside[name], it.other[name]))
        for name in SHOWN
    }
    cut_off = [it.cut_off for it in recorded if it.cut_off is not None]
    return {
        "live": _sum(it.live for it in recorded),
        "peak": _sum(it.peak for it in recorded),
        "missed": _sum(it.missed for it in recorded),
        "outside": outside,
        "lost": sum(it.lost for it in recorded),
        "resident": max(it.resident for it in recorded),
        "cutOff": round(min(cut_off) * NS) if cut_off else None,
    }


def _contexts(stats: ProfileSet, paths: Paths, names: str, measure: str) -> list[Context]:
    """A Context for each thread of the page; of a capture without memory, an empty one."""
    from tracer.analysis.tree.call_tree import paths_of

    seen = paths_of(stats.seen_by(measure), names)
    places = {row: place for place, row in enumerate(paths.rows)}
    numbers = [places[row] for row in seen.rows]
    is_same = numbers == list(range(len(numbers)))
    trees = iter(seen.trees)
    return [
        _context(
            None if part.capture.memory_data is None else next(trees), numbers, is_same=is_same
        )
        for part in stats.parts
        for _ in part.threads
    ]


def _context(tree: Tree | None, numbers: Sequence[int], *, is_same: bool) -> Context:
    if tree is None:
        nothing = array("Q", [0])
        return Context(array("I", [0]), array("I", [NO_ROW]), nothing, nothing, [])
    row = tree.row
    if not is_same:
        row = array("I", (it if it == NO_ROW else numbers[it] for it in row))
    functions = [
        (numbers[number], figures.ncalls, figures.tottime, figures.cumtime)
        for number, figures in tree.figures.items()
        if figures.ncalls or figures.tottime or figures.cumtime
    ]
    return Context(tree.depth, row, tree.time, tree.calls, functions)


def _packed_context(
    context: Context, tree: Tree, nodes: dict[str, Block], blocks: Blocks
) -> dict[str, Any]:
    """Contexts that are those of the thread's times name the same blocks."""
    is_same = context.depth == tree.depth and context.row == tree.row
    rows, numbers, own, all_of_it = list(zip(*context.functions, strict=True)) or [()] * 4
    return {
        "nodes": {
            "depth": nodes["depth"] if is_same else blocks.add(context.depth),
            "row": nodes["row"] if is_same else blocks.add(context.row),
            "calls": blocks.add(context.blocks),
            "time": blocks.add(context.bytes),
        },
        "figures": {
            "row": blocks.column(rows, "I"),
            "ncalls": blocks.column(numbers),
            "tottime": blocks.column(own),
            "cumtime": blocks.column(all_of_it),
        },
    }


def _packed_curve(curve: Curve, blocks: Blocks) -> dict[str, Any]:
    return {
        "name": curve.name,
        "at": blocks.column(max(0, round(point.at * NS)) for point in curve.points),
        "least": blocks.column(point.least for point in curve.points),
        "most": blocks.column(point.most for point in curve.points),
        "last": blocks.column(point.last for point in curve.points),
        "resident": blocks.column(point.resident for point in curve.points),
    }


def _lines(stats: ProfileSet) -> list[dict[str, Any]]:
    """The memory of lines, by function."""
    return [
        {
            "file": file,
            "line": first,
            "name": name,
            "lines": [
                [line, it.hits, it.increment, it.allocated.bytes, it.live.bytes, it.peak.bytes]
                for line, it in sorted(lines.items())
            ],
        }
        for (file, first, _, name), lines in line_memory_of(stats.captures).items()
    ]
