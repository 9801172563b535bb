"""Profiles of runs that were killed: FILE as it was saved last, and beside it the file in which the
timeline was written (ext/recorders/timeline.h, ext/core/log/store.h; launch/timeline_file.py)."""

from __future__ import annotations

import os
from struct import Struct
from typing import NamedTuple

from tracer._core import go_on_slices, recover_slices
from tracer.data.records import NODE
from tracer.data.section import LOG_FILE_HEAD, LOG_FILE_MAGIC, RUNNING
from tracer.source.statements import open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# How such a run ended, as RunInfo has it.
KILLED = "by a kill; what it did last may be missing"
# magic, version, size of a block, blocks, origin
HEAD = Struct("=8sIIQq")
# base, used, count, least, end, log, next, state, node, order
BLOCK = Struct("=qIIqqIIIIQ")
BLOCK_HEAD_SIZE = 64
# The head of a block in a profile file: base, used, records, least.
FILE_BLOCK = Struct("<qIIq")
OPEN, FULL = 1, 2


class Block(NamedTuple):
    """A block of the file. order: full blocks come in it, and the open one is the last. end: of its
    last slice."""

    log: int
    order: int
    base: int
    end: int
    least: int
    records: bytes


def put_together(section: dict[str, Any], path: str) -> dict[str, Any]:
    """The section of a run that was saved while it went on, with the timeline from beside FILE, the
    `path`; as it is where there is nothing beside it. Raises ValueError."""
    timeline = section.get("timeline")
    if timeline is None or not timeline.get("kept_in"):
        return section
    name = timeline["kept_in"]
    if os.path.basename(name) != name:
        raise ValueError("its section keeps the timeline in another folder")
    try:
        data, is_over = _read(os.path.join(os.path.dirname(path), name))
        is_over = is_over and timeline["pid"] != os.getpid()  # whose lock this would be
    except OSError:
        return section
    blocks = _blocks_of(data)
    threads = section["threads"]
    least = max([timeline["least"], *(block.least for block in blocks)])
    logs: list[list[Block]] = [[] for _ in threads]
    for block in sorted(blocks, key=lambda block: block.order):
        if block.log < len(logs):
            logs[block.log].append(block)
    ended = max((it["ended"] for it in threads), default=0)
    ended = max([ended, *(block.end for block in blocks)])
    mended = tuple(
        _mended(thread, log, least, ended)
        for thread, log in zip(_unpacked(threads, timeline), logs, strict=True)
    )
    run = section["run"]
    if is_over and run is not None and run.get("ended") == RUNNING:
        run = {**run, "ended": KILLED}
    together = {**timeline, "least": least, "kept_in": "", "packing": ""}
    return {**section, "threads": mended, "timeline": together, "run": run}


def _read(path: str) -> tuple[bytes, bool]:
    """The file's bytes, and whether its run is over: a run that goes on has a lock."""
    with open(open_regular(path), "rb") as file:
        try:
            os.lockf(file.fileno(), os.F_TEST, 0)
            is_over = True
        except OSError:
            is_over = False
        return file.read(), is_over


def _blocks_of(data: bytes) -> list[Block]:
    if len(data) < LOG_FILE_HEAD:
        return []
    magic, version, size, count, origin = HEAD.unpack_from(data)
    if magic != LOG_FILE_MAGIC or version != 1 or size < BLOCK_HEAD_SIZE:
        return []
    blocks = []
    for number in range(min(count, (len(data) - LOG_FILE_HEAD) // size)):
        at = LOG_FILE_HEAD + number * size
        base, used, _, least, end, log, _, state, _, order = BLOCK.unpack_from(data, at)
        if state in (OPEN, FULL) and used <= size - BLOCK_HEAD_SIZE:
            records = data[at + BLOCK_HEAD_SIZE : at + BLOCK_HEAD_SIZE + used]
            place = order if state == FULL else 2**64
            since = (_difference(base, origin), _difference(end, origin))
            blocks.append(Block(log, place, *since, least, records))
    return blocks


def _difference(later: int, earlier: int) -> int:
    """Of two ticks, which wrap at 64 bits."""
    return (later - earlier + 2**63) % 2**64 - 2**63


def _mended(thread: dict[str, Any], log: list[Block], least: int, ended: int) -> dict[str, Any]:
    """The thread with its slices. What was under way when FILE was saved, and has no end since,
    went on until the run ended."""
    slices = _slices_of(log, thread, least)
    still = go_on_slices(slices, thread["slices"], least, ended)
    last = ended if still else max([thread["ended"], *(block.end for block in log)])
    return {**thread, "slices": slices + still, "ended": last}


def _slices_of(log: list[Block], thread: dict[str, Any], least: int) -> bytes:
    data = b"".join(
        part
        for block in log
        for part in (FILE_BLOCK.pack(block.base, len(block.records), 0, least), block.records)
    )
    nodes = len(thread["nodes"]) // NODE.size + len(thread["folded"]) // 4
    return recover_slices(data, least, nodes)


def _unpacked(
    threads: tuple[dict[str, Any], ...], timeline: dict[str, Any]
) -> tuple[dict[str, Any], ...]:
    """The threads, with their slices and bins as they were before they were packed."""
    if timeline["packing"] == "":
        return threads
    import zlib

    try:
        return tuple(
            {**thread, **{name: zlib.decompress(thread[name]) for name in ("slices", "bins")}}
            for thread in threads
        )
    except zlib.error:
        raise ValueError("its timeline is damaged") from None
