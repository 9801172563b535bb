"""json: functions, threads with their paths, steps, memory and its lines, for your own programs.

docs/guide/exports.md defines the format. Times are integers, in nanoseconds. Each column of nodes
is one array, far smaller than an object for each node would be.
"""

from __future__ import annotations

import json
from math import isfinite

from tracer._version import __version__
from tracer.analysis.steps.steps import steps_of
from tracer.analysis.tree.batches import BATCH
from tracer.data.figures import FIGURES
from tracer.data.records import NO_ROW
from tracer.exports import memory
from tracer.exports.figures import known_figures
from tracer.exports.format import Format, Options
from tracer.exports.names import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, BinaryIO

    from tracer.analysis.tree.call_tree import Paths, Tree
    from tracer.analysis.tree.edges import Edge
    from tracer.data.profile_set import ProfileSet
    from tracer.data.sampled_set import SampledSet

FORMAT = Format(
    opened_by="programs of your own",
    holds="functions, threads, paths and steps",
    suffix=".json",
    mark=b'{"format": 1, "tracer": "',
    prunes="paths",
)

VERSION = 1
OF_SAMPLES = ("depth", "function", "time_ns")  # what samples know of a path
NANOSECONDS = {"time", *(name for name, figure in FIGURES.items() if figure.is_time)}


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    head: dict[str, Any] = {
        "format": VERSION,
        "tracer": __version__,
        "title": options.title,
        "estimated": paths.rule,
    }
    whole = memory.whole(stats)
    if whole is not None:
        head["memory"] = whole
    if paths.sampled is not None:
        head["sampled"] = sampled(paths.sampled)
    out.write(json.dumps(head)[:-1].encode() + b',\n"functions":[')
    write_list(functions(paths, stats), out)
    out.write(b'],\n"threads":[')
    done = 0
    for position, tree in enumerate(paths.trees):
        out.write(b",\n" if position else b"\n")
        write_thread(paths, tree, out, options.progress, done)
        done += len(tree)
    out.write(b'\n],\n"steps":[')
    write_list(steps(paths, stats), out)
    lines = memory.by_line(stats)
    if lines:
        out.write(b'],\n"lines":[')
        write_list(map(readable, lines), out)
    out.write(b"\n]}\n")


def readable(line: dict[str, Any]) -> dict[str, Any]:
    return {**line, "file": shown(line["file"]), "function": shown(line["function"])}


def sampled(known: SampledSet) -> dict[str, Any]:
    """What is known of the samples that times come from. The error of a share p of the time is
    2 * sqrt(p * (1 - p) / effective_samples)."""
    return {
        "time_ns": in_ns(known.time),
        "samples": sum(facts.signals for facts in known.facts),
        "effective_samples": known.size,
        "slowdown": max(facts.limit for facts in known.facts),
    }


def functions(paths: Paths, stats: ProfileSet) -> Iterator[dict[str, Any]]:
    allocated = memory.by_row(stats, paths.rows)
    for number, (row, module) in enumerate(zip(paths.rows, paths.modules, strict=True)):
        more: dict[str, Any] = {} if allocated is None else {"memory": allocated[number]}
        if paths.sampled is not None:
            count = paths.sampled.counts.get(row)
            more["calls"] = None if count is None else count._asdict()
        yield {
            "name": shown(row.name),
            "file": shown(row.file),
            "line": row.line,
            "module": shown(module.name) if module.name else None,
            "kind": module.kind,
            **more,
        }


def steps(paths: Paths, stats: ProfileSet) -> Iterator[dict[str, Any]]:
    """The steps that were recorded. Raises phase_rules.ConfigError."""
    threads = [id(thread) for part in stats.parts for thread in part.threads]
    places = {thread: place for place, thread in enumerate(threads)} if paths.rule is None else {}
    for step in steps_of(stats):
        yield {
            "number": step.number,
            "start_ns": in_ns(step.start),
            "end_ns": in_ns(step.end),
            "items": step.items if step.items is None or isfinite(step.items) else None,
            "phases_ns": {shown(name): in_ns(time) for name, time in step.phases.items()},
            "others_ns": in_ns(step.others),
            "is_slow": step.is_slow,
            "thread": places.get(id(step.run.by_position[step.thread].thread)),
        }


def in_ns(seconds: float) -> int:
    return round(seconds * 1e9)


def with_units(figures: dict[str, int | None]) -> dict[str, int | None]:
    return {f"{name}_ns" if name in NANOSECONDS else name: it for name, it in figures.items()}


def edge_of(edge: Edge) -> dict[str, int | None]:
    known = with_units(edge._asdict())
    return {**known, "caller": None} if edge.caller == NO_ROW else known


def write_thread(
    paths: Paths, tree: Tree, out: BinaryIO, progress: Callable[[int], object], done: int
) -> None:
    head = {"name": shown(tree.name), "ident": tree.ident, "native_id": tree.native_id}
    out.write(json.dumps(head)[:-1].encode() + b',\n"figures":[')
    figures = sorted(tree.figures.items())
    known = ((row, known_figures(paths, row, found)) for row, found in figures)
    write_list(({"function": row, **with_units(found)} for row, found in known), out)
    out.write(b'],\n"edges":[')
    write_list(map(edge_of, tree.edges), out)
    out.write(b'],\n"nodes":{')
    columns = {
        "depth": tree.depth,
        "function": tree.row,
        "calls": tree.calls,
        "resumes": tree.resumes,
        "time_ns": tree.time,
        "waited_ns": tree.waited,
    }
    if paths.sampled is not None:
        columns = {name: columns[name] for name in OF_SAMPLES}
    for position, (name, column) in enumerate(columns.items(), 1):
        out.write(b'%s\n"%s":[' % (b"," if position > 1 else b"", name.encode()))
        write_column(column, out)
        out.write(b"]")
        progress(done + len(tree) * position // len(columns))
    out.write(b"}}")


def write_list(values: Iterable[object], out: BinaryIO) -> None:
    comma = ""
    for value in values:
        out.write(f"{comma}\n{json.dumps(value)}".encode())
        comma = ","


def write_column(column: array[int], out: BinaryIO) -> None:
    """Write all numbers of the column but the root's."""
    for start in range(1, len(column), BATCH):
        numbers = ",".join(map(str, column[start : start + BATCH]))
        out.write((numbers if start == 1 else f",{numbers}").encode())
