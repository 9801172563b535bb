"""speedscope: JSON of speedscope's published schema, a profile for each thread.

draw() shows a timeline: frames open and close when the calls began and ended. write() shows paths.
Profiles are of the kind "evented". A frame opens where a function is first entered on its path; its
own time comes first, then its callees'. So the text does not grow with the depth of calls.
Calls are in the order in which they were first made. The file does not say how many there were.
Where memory stands in the place of time, the unit is bytes.
"""

from __future__ import annotations

import json

from tracer._version import __version__
from tracer.analysis.tree.batches import batches
from tracer.analysis.tree.call_tree import merged_trees
from tracer.data.native_view import CPU
from tracer.exports import memory
from tracer.exports.format import Format, Options
from tracer.exports.names import shown, thread_names
from tracer.exports.writing import write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from tracer.analysis.tree.call_tree import Paths, Row, Tree
    from tracer.data.profile_set import ProfileSet
    from tracer.exports.tracks import Tracks

FORMAT = Format(
    opened_by="speedscope.app",
    suffix=".speedscope.json",
    mark=b'"exporter": "tracer ',
    prunes="paths",
    weighs_memory=True,
    weighs_native=True,
    may_draw=True,
    most_slices=2_000_000,
)

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def draw(tracks: Tracks, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    found = list(tracks)
    several = len(tracks.processes) > 1  # then a thread's name does not tell which it is
    head = {
        "$schema": SCHEMA,
        "exporter": f"tracer {__version__}",
        "name": " - ".join([options.title, *tracks.notes]),
        "shared": {"frames": [frame(row) for row in tracks.rows]},
    }
    out.write(json.dumps(head)[:-1].encode() + b',"profiles":[')
    opening, closing = (
        [f'{{"type":"{letter}","frame":{row},"at":'.encode() for row in range(len(tracks.rows))]
        for letter in "OC"
    )
    done, busy = 0, []
    for position, track in enumerate(found):
        out.write(b"," if position else b"")
        of = f"{track.process.name} ({track.process.pid}): " if several else ""
        out.write(opened(of + track.name).encode())
        last, time = track.draw("speedscope", tracks, opening, closing, out.write)
        out.write(f'],"endValue":{last}}}'.encode())
        busy.append(time)
        done += len(track.slices.starts)
        options.progress(done)
    shown_first = busy.index(max(busy)) if busy else 0
    out.write(f'],"activeProfileIndex":{shown_first}}}\n'.encode())


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    rule = "" if paths.rule is None else f" - {paths.rule}"
    unit = "nanoseconds"
    if stats.measure == CPU:
        rule = " - CPU time by native samples"
    elif stats.measure is not None:
        rule, unit = f" - {memory.MEASURES[stats.measure]}", "bytes"
    trees = trees_of_names(paths)
    head = {
        "$schema": SCHEMA,
        "exporter": f"tracer {__version__}",
        "name": options.title + rule,
        "activeProfileIndex": longest(list(trees.values())),
        "shared": {"frames": frames_of(paths)},
    }
    out.write(json.dumps(head)[:-1].encode() + b',"profiles":[')
    done = 0
    for position, (name, tree) in enumerate(trees.items()):
        out.write(b"," if position else b"")
        write_text(out, thread(name, tree, options.progress, done, unit))
        done += len(tree)
    out.write(b"]}\n")


def trees_of_names(paths: Paths) -> dict[str, Tree]:
    """The trees by their threads' names; trees of one name are merged."""
    found: dict[str, list[Tree]] = {}
    for name, tree in zip(thread_names(paths), paths.trees, strict=True):
        found.setdefault(name, []).append(tree)
    return {name: merged_trees(trees) for name, trees in found.items()}


def thread(
    name: str, tree: Tree, progress: Callable[[int], object], done: int, unit: str
) -> Iterator[str]:
    """The profile of a thread, in pieces of text."""
    yield opened(name, unit)
    now = 0
    frames: list[int] = []  # the open ones, outermost first
    comma = ""
    for batch in batches(tree, progress, done):
        for depth, row, _, _, time in batch:
            while len(frames) >= depth:
                yield f',{{"type":"C","frame":{frames.pop()},"at":{now}}}'
            frames.append(row)
            yield f'{comma}{{"type":"O","frame":{row},"at":{now}}}'
            comma = ","
            now += max(time, 0)
    while frames:
        yield f',{{"type":"C","frame":{frames.pop()},"at":{now}}}'
    yield f'],"endValue":{now}}}'


def opened(name: str, unit: str = "nanoseconds") -> str:
    """How a profile begins."""
    head = {"type": "evented", "name": name, "unit": unit, "startValue": 0}
    return json.dumps(head)[:-1] + ',"events":['


def frames_of(paths: Paths) -> list[dict[str, str | int]]:
    """The frames, one a row. A native function has its library as file."""
    found = [frame(row) for row in paths.rows]
    for number in paths.natives:
        found[number].pop("line", None)
    return found


def frame(row: Row) -> dict[str, str | int]:
    known: dict[str, str | int] = {"name": shown(row.name)}
    if row.file not in ("~", ""):
        known |= {"file": shown(row.file), "line": row.line}
    return known


def longest(trees: list[Tree]) -> int:
    """The position of the thread with the most time, which speedscope shows first."""
    times = [tree.whole for tree in trees]
    return times.index(max(times)) if times else 0
