"""Trees of events as Paddle's profiler keeps them, and Paddle's .pb files of such trees.

A file is a message of Protocol Buffers; the numbers of its fields are below. Paddle's reader wants
every field of an event, 0 too, and knows no type above PythonUserDefined. trees.py makes the
trees of a profile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tracer._core import ProfileFormatError
from tracer.compat.paddle_parts.states import TracerEventType
from tracer.exports.protobuf import data, varint
from tracer.runtime.atomic_files import AnyPath, write_whole

__all__ = ["Node", "ProfilerResult", "root_node"]

VERSION = "1.0.2"  # of the files, as Paddle writes it
# Fields of the whole file, of a thread, of a node, of its event, of a piece of extra information.
VERSION_FIELD, SPAN, THREADS, EXTRAS = 1, 2, 3, 4
THREAD_ID, NODES = 1, 2
NODE_ID, PARENT_ID, EVENT = 1, 2, 3
NAME, TYPE, START, END, PROCESS, THREAD = 1, 2, 3, 4, 5, 6
KEY, VALUE = 1, 2
ROOT = "root node"
FOREVER, NO_PARENT = 2**64 - 1, 2**64 - 1  # a parent of -1
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


@dataclass(slots=True, eq=False)
class Node:
    """An event of a thread. start_ns, end_ns: nanoseconds since 1970. The lists of events of a GPU
    and of memory are empty."""

    name: str
    type: TracerEventType
    start_ns: int
    end_ns: int
    process_id: int = 0
    thread_id: int = 0
    children_node: list[Node] = field(default_factory=list)
    runtime_node: list[Any] = field(default_factory=list)
    device_node: list[Any] = field(default_factory=list)
    mem_node: list[Any] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<{self.type.name} {self.name!r}: {self.end_ns - self.start_ns} ns>"


def root_node() -> Node:
    """What all events of a thread are below."""
    return Node(ROOT, TracerEventType.UserDefined, 0, FOREVER)


class ProfilerResult:
    """What was recorded, as a tree of events for each thread."""

    def __init__(
        self, trees: Mapping[int, Node], extra: Mapping[str, str], version: str = VERSION
    ) -> None:
        self._trees = dict(trees)
        self._extra = dict(extra)
        self._version = version

    def get_data(self) -> dict[int, Node]:
        """The root of each thread, by the thread's number."""
        return self._trees

    def get_extra_info(self) -> dict[str, str]:
        """The use of the processors, as texts: parts of 1."""
        return self._extra

    def get_version(self) -> str:
        return self._version

    def get_span_index(self) -> int:
        return 0

    def save(self, path: AnyPath, format: str = "json") -> None:
        """Write a file: "json" for Chrome's tracing, "pb" for load_profiler_result(). Raises
        ValueError for another format, OSError."""
        if format == "pb":
            write_whole(path, self.dumps())
        elif format == "json":
            write_whole(path, json.dumps(self._chrome(), ensure_ascii=False).encode())
        else:
            raise ValueError(f"unknown format {format!r}: give 'json' or 'pb'")

    def dumps(self) -> bytes:
        """The bytes of a .pb file."""
        parts = [data(VERSION_FIELD, self._version.encode()), number(SPAN, 0)]
        for thread, root in self._trees.items():
            nodes = b"".join(data(NODES, one) for one in _packed(root))
            parts.append(data(THREADS, number(THREAD_ID, thread) + nodes))
        for key, value in self._extra.items():
            parts.append(data(EXTRAS, data(KEY, key.encode()) + data(VALUE, value.encode())))
        return b"".join(parts)

    @classmethod
    def loads(cls, content: bytes) -> ProfilerResult:
        """Read a .pb file, tracer's or Paddle's own. Raises ProfileFormatError."""
        try:
            return cls(*_read(content))
        except (IndexError, KeyError, ValueError) as error:
            raise ProfileFormatError(f"not a profile of Paddle's: {error}") from None

    def _chrome(self) -> dict[str, Any]:
        events = []
        for root in self._trees.values():
            for node, _ in _below(root):
                place = {"pid": node.process_id, "tid": node.thread_id}
                times = {"ts": node.start_ns / 1e3, "dur": (node.end_ns - node.start_ns) / 1e3}
                events.append(
                    {"ph": "X", "name": node.name, "cat": node.type.name, **place, **times}
                )
        return {"displayTimeUnit": "ms", "schemaVersion": self._version, "traceEvents": events}


def number(field: int, value: int) -> bytes:
    """A field that is there for 0, too."""
    return varint(field << 3 | VARINT) + varint(value)


def _below(root: Node) -> Iterator[tuple[Node, int]]:
    """The nodes below the root, and the position of each one's parent; a caller before what it
    called. The root is at 0."""
    waiting = [(child, 0) for child in reversed(root.children_node)]
    position = 0
    while waiting:
        node, parent = waiting.pop()
        position += 1
        yield node, parent
        waiting.extend((child, position) for child in reversed(node.children_node))


def _packed(root: Node) -> Iterator[bytes]:
    yield _node(0, NO_PARENT, root)
    for position, (node, parent) in enumerate(_below(root), 1):
        yield _node(position, parent, node)


def _node(position: int, parent: int, node: Node) -> bytes:
    event = b"".join(
        (
            data(NAME, node.name.encode()),
            number(TYPE, min(node.type.value, TracerEventType.PythonUserDefined.value)),
            number(START, node.start_ns),
            number(END, node.end_ns),
            number(PROCESS, node.process_id),
            number(THREAD, node.thread_id),
        )
    )
    return number(NODE_ID, position) + number(PARENT_ID, parent) + data(EVENT, event)


def _read(content: bytes) -> tuple[dict[int, Node], dict[str, str], str]:
    trees: dict[int, Node] = {}
    extra: dict[str, str] = {}
    version = None
    for key, value in _fields(content):
        if key == VERSION_FIELD:
            version = _text(value)
        elif key == THREADS:
            thread, root = _read_thread(_bytes(value))
            trees[thread] = root
        elif key == EXTRAS:
            pair = dict(_fields(_bytes(value)))
            extra[_text(pair[KEY])] = _text(pair[VALUE])
    if version is None:
        raise ValueError("it has no version")
    return trees, extra, version


def _read_thread(content: bytes) -> tuple[int, Node]:
    thread, root = 0, None
    nodes: dict[int, Node] = {}
    parents: list[tuple[int, Node]] = []
    for key, value in _fields(content):
        if key == THREAD_ID:
            thread = _int(value)
        elif key == NODES:
            fields = dict(_fields(_bytes(value)))
            node = nodes[_int(fields[NODE_ID])] = _read_event(_bytes(fields[EVENT]))
            if fields[PARENT_ID] == NO_PARENT:
                root = node
            else:
                parents.append((_int(fields[PARENT_ID]), node))
    if root is None:
        raise ValueError("a thread has no root")
    for parent, node in parents:
        nodes[parent].children_node.append(node)
    return thread, root


def _read_event(content: bytes) -> Node:
    """An event. Its type is a field that Paddle writes, and cannot read, above 14."""
    fields = dict(_fields(content))
    return Node(
        _text(fields[NAME]),
        TracerEventType(_int(fields[TYPE])),
        _int(fields[START]),
        _int(fields[END]),
        _int(fields[PROCESS]),
        _int(fields[THREAD]),
    )


def _int(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise ValueError("a text is where a number should be")
    return value


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number is where a text should be")
    return value


def _text(value: int | bytes) -> str:
    return _bytes(value).decode("utf-8", "replace")


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: numbers, and texts or messages. Raises ValueError, IndexError."""
    at, end = 0, len(content)
    while at < end:
        key, at = _varint(content, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _varint(content, at)
            yield key >> 3, value
            continue
        if kind == BYTES:
            size, at = _varint(content, at)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"a field of kind {kind}")
        if at + size > end:
            raise ValueError("it was cut off")
        yield key >> 3, content[at : at + size]
        at += size


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & FOREVER, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")
