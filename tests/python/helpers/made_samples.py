"""Profiles of samples as the extension hands them over, made of paths and their weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shares import COLLECTION, COUNT, EDGE, LINE, NO_CALLER, NODE, SAMPLE, UNKNOWN
from tracer.data.capture import Capture
from tracer.data.sampled_records import as_records
from tracer.data.types import RunInfo

OTHERS = {"<collection>": COLLECTION, "?": UNKNOWN}
RUN = RunInfo(("p.py",), 1e9, 1.0, 0.9, 0.1, 2**24)


def label(name: str, functions: list[str]) -> tuple[str, int, str, str]:
    return ("/app/p.py", 1 + 4 * functions.index(name), name, name)


def snapshot(
    paths: Mapping[str, int],
    counts: Mapping[str, int | str] | None = None,
    edges: Mapping[str, int] | None = None,
    lines: Mapping[tuple[str, int], tuple[int, int]] | None = None,
    waits: Mapping[str, int] | None = None,
    waited: float = 0.0,
    **facts: Any,
) -> dict[str, Any]:
    """paths: {"main;load": weight}, each of as many samples. waits: {"main;wait": looks}, when the
    thread waited for so many seconds. counts: {"load": 3, "parse": "400+"}, what ends
    in a plus being counted in part. edges: {"load;parse": calls}. lines: {("load", 6): (own weight,
    weight)}."""
    counts, edges, waits = counts or {}, edges or {}, waits or {}
    names = [name for path in {**paths, **waits} for name in path.split(";") if name not in OTHERS]
    every = list(dict.fromkeys([*names, *counts]))
    codes = [label(name, every) for name in every]
    nodes: dict[str, int] = {}
    records = b""
    for path in {**paths, **waits}:
        for end in range(1, 1 + path.count(";") + 1):
            part = ";".join(path.split(";")[:end])
            if part not in nodes:
                above, _, name = part.rpartition(";")
                code = OTHERS[name] if name in OTHERS else every.index(name)
                records += NODE.pack(nodes.get(above, 0), code)
                nodes[part] = len(nodes) + 1
    counted = list(counts)

    def of(name: str) -> int:
        return counted.index(name) if name else NO_CALLER

    told = [(name, str(calls)) for name, calls in counts.items()]
    calls = [(edge.rpartition(";"), number) for edge, number in edges.items()]
    thread = {
        "name": "MainThread", "ident": 1, "native_id": 10, "sharers": 1, "cut_off": None,
        "lost_calls": 0, "native_cpu": 0.004 * sum(paths.values()),
        "native_real": 0.004 * sum(paths.values()) + waited,
        "native": b"".join(
            SAMPLE.pack(nodes.get(it, 0), 0, 0, kind, found[it])
            for kind, found in ((0, paths), (2, waits))
            for it in found
        ),
    }  # fmt: skip
    return {
        "functions": tuple(label(name, every) for name in counts),
        "left_out": (),
        "threads": (thread,),
        "backend": "samples",
        "clock": "tsc",
        "seconds_per_tick": 3e-10,
        "subcalls": True,
        "builtins": True,
        "sampled": {
            "rate": 250, "period": 0.004, "slowdown": 0.1, "samples": sum(paths.values()),
            "squares": sum(paths.values()), "lost": 0, "broken": 0, "in_events": 0, "at_lines": 0,
            "spent": 0.0004 * sum(paths.values()) / 10,
            "events": sum(int(it.rstrip("+")) for _, it in told), "event_cost": 5e-8,
            "has_counts": bool(counts), "codes": tuple(codes), "nodes": records,
            "filtered": bytes(len(codes)),
            "lines": b"".join(
                LINE.pack(every.index(name), *rest, *weights)
                for (name, *rest), weights in (lines or {}).items()
            ),
            "counts": b"".join(
                COUNT.pack(of(name), it.endswith("+"), int(it.rstrip("+"))) for name, it in told
            ),
            "edges": b"".join(
                EDGE.pack(of(caller), of(callee), number) for (caller, _, callee), number in calls
            ),
            "others": (), "real_times": (), "refused": (), "hits": None,
            **facts,
        },
    }  # fmt: skip


def captured(paths: Mapping[str, int], *counted: Any, **facts: Any) -> Capture:
    return Capture(as_records(snapshot(paths, *counted, **facts)), RUN)
