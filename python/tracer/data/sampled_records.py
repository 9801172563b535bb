"""From the samples of a Profiler to the records that any profile has.

ext/types/sampled.h has what the extension hands over. Times become nanoseconds of CPU, and calls
are counted apart, for a sample does not know of any. sampled.py reads what is left. This module
imports nothing: it is used at the end of a program, whose own modules cannot harm it then.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tracer.data.types import CallerFigures, Label, StatsDict

    Names = tuple[str, int, str, str]

NOBODY = 2**32 - 1  # the function of the root, or no caller
COLLECTION, UNKNOWN = 2**32 - 2, 2**32 - 1  # codes that are none
NANOSECOND = 1e-9
# Kinds of samples, as in ext/core/samples/sample_counts.h.
IN_PROGRAM, IN_OVERHEAD, IN_WAIT = range(3)
OF_TIME = IN_PROGRAM, IN_OVERHEAD
LEFT_OUT, WITHOUT_LINES = 1, 2  # bits of `filtered`
BUILTIN: dict[int, Names] = {
    code: ("~", 0, f"<{name}>", name)
    for code, name in ((COLLECTION, "garbage collection"), (UNKNOWN, "unknown"))
}


def as_records(snapshot: dict[str, Any]) -> dict[str, Any]:
    """The snapshot of a profile that is made of samples, with the records of any profile: each
    thread has nodes, whose ticks are nanoseconds, without calls, and what it waited; threads that
    Python did not tell of stand behind the others. What is left of `sampled` are the facts that
    Sampled takes, and `lines`, whose codes are then positions of functions.
    """
    facts = snapshot["sampled"]
    pairs = list(_pairs(facts["nodes"]))
    used = {code for _, code in pairs}
    builtin = {code: names for code, names in BUILTIN.items() if code in used}
    functions, positions = _functions(snapshot["functions"], facts["codes"], builtin)
    contexts = [(0, NOBODY)]
    contexts += [(parent, positions[code]) for parent, code in pairs]
    tick = round(facts["period"] / NANOSECOND)
    native = snapshot.get("native")
    if native is not None:
        snapshot = {**snapshot, "native": {**native, "others": ()}}  # they are among the threads
    threads, whole = [], 0
    for thread in _threads(snapshot):
        samples, cpu, real = (thread.pop(f"native{it}") for it in ("", "_cpu", "_real"))
        weights, looks = _weights(samples, IN_PROGRAM), _weights(samples, IN_WAIT)
        whole += sum(weights.values())
        cpu, number = max(0.0, cpu), sum(looks.values())
        wait = round(max(0.0, real - cpu) / NANOSECOND / number) if number else 0
        places, waits = _places(contexts, samples, *OF_TIME), _places(contexts, samples, IN_WAIT)
        thread |= {"nodes": _nodes(contexts, places, weights, tick), "cpu": cpu, "real": real}
        thread |= {"wait_nodes": _nodes(contexts, waits, looks, wait), "looks": number}
        if native is not None:
            thread |= {"native": _placed(samples, places), "native_cpu": cpu}
        threads.append(thread)
    left = ("codes", "filtered", "nodes", "others", "real_times", "lines")
    kept = {key: value for key, value in facts.items() if key not in left}
    filtered = list(enumerate(facts["filtered"]))
    left_out = {positions[code] for code, what in filtered if what & LEFT_OUT}
    without_lines = {code for code, what in filtered if what & WITHOUT_LINES}
    return {
        **snapshot,
        "functions": functions,
        "left_out": tuple(sorted(left_out.union(snapshot["left_out"]))),
        "threads": tuple(threads),
        "clock": "cpu",
        "seconds_per_tick": NANOSECOND,
        "sampled": {
            **kept,
            "weight": whole,
            "lines": _lines(facts["lines"], positions, without_lines),
        },
    }


def with_counts(
    stats: StatsDict, labels: list[Label], left_out: Iterable[int], facts: dict[str, Any]
) -> StatsDict:
    """The figures of functions with the calls that were counted. labels: of the functions. A
    recursion is not told apart: all calls are primitive. Times stay."""
    calls: dict[Label, int] = {}
    called: dict[Label, dict[Label, int]] = {}
    nowhere = {NOBODY, *left_out}
    for function, _, count in _counted(facts["counts"]):
        if function not in nowhere:
            calls[labels[function]] = calls.get(labels[function], 0) + count
    for caller, callee, count in _counted(facts["edges"]):
        if caller not in nowhere and callee not in nowhere:
            of = called.setdefault(labels[callee], {})
            of[labels[caller]] = of.get(labels[caller], 0) + count
    found: StatsDict = {}
    for label in dict.fromkeys((*stats, *calls)):
        _, _, own, total, callers = stats.get(label, (0, 0, 0.0, 0.0, {}))
        number = calls.get(label, 0)
        by = called.get(label, {})
        both: dict[Label, CallerFigures] = {
            caller: (
                by.get(caller, 0),
                by.get(caller, 0),
                *callers.get(caller, (0, 0, 0.0, 0.0))[2:],
            )
            for caller in dict.fromkeys((*callers, *by))
        }
        found[label] = number, number, own, total, both
    return found


def _functions(
    counted: tuple[Names, ...], codes: tuple[Names, ...], builtin: dict[int, Names]
) -> tuple[tuple[Names, ...], dict[int, int]]:
    """All functions, those that were counted first; and by code the position of its function."""
    functions = list(counted)
    known = {names: position for position, names in reversed(list(enumerate(counted)))}
    positions: dict[int, int] = {}
    for code, names in [*enumerate(codes), *builtin.items()]:
        if names not in known:
            known[names] = len(functions)
            functions.append(names)
        positions[code] = known[names]
    return tuple(functions), positions


def _threads(snapshot: dict[str, Any]) -> list[dict[str, Any]]:
    """The threads of a snapshot, and those beside them, as dicts with `native`. One that was seen
    before Python told of it is there once."""
    threads = [{**thread} for thread in snapshot["threads"]]
    known = {thread["native_id"]: thread for thread in threads}
    others = snapshot["sampled"]["others"], snapshot["sampled"]["real_times"]
    for (name, native_id, cpu, samples), real in zip(*others, strict=True):
        thread = known.get(native_id)
        if thread is None:
            threads.append(
                {
                    "name": name, "ident": 0, "native_id": native_id, "sharers": 1,
                    "cut_off": None, "lost_calls": 0, "native": samples, "native_cpu": cpu,
                    "native_real": real, "folds": b"", "outers": b"",
                }
            )  # fmt: skip
        else:
            thread["native"] += samples
            thread["native_cpu"] = max(0.0, thread["native_cpu"]) + cpu
            thread["native_real"] = max(0.0, thread["native_real"]) + real
    return threads


def _weights(packed: bytes, wanted: int) -> dict[int, int]:
    """By node the weight of its samples of one kind."""
    words, longs = memoryview(packed).cast("I"), memoryview(packed).cast("Q")
    weights: dict[int, int] = {}
    for node, kind, weight in zip(words[::6], words[3::6], longs[2::3], strict=True):
        if kind == wanted:
            weights[node] = weights.get(node, 0) + weight
    return weights


def _places(contexts: list[tuple[int, int]], packed: bytes, *kinds: int) -> dict[int, int]:
    """The places of the nodes that have samples of these kinds, and of all around them. A parent
    stands before its children there, as in `contexts`."""
    words = memoryview(packed).cast("I")
    wanted: set[int] = {0}
    for node, kind in zip(words[::6], words[3::6], strict=True):
        while kind in kinds and node not in wanted:
            wanted.add(node)
            node = contexts[node][0]
    return {node: place for place, node in enumerate(sorted(wanted))}


def _nodes(
    contexts: list[tuple[int, int]], places: dict[int, int], weights: dict[int, int], tick: int
) -> bytes:
    """The nodes of one thread."""
    no_calls, no_overflow = bytes(16), bytes(8)
    return b"".join(
        _packed(places[contexts[node][0]], 4)
        + _packed(contexts[node][1], 4)
        + no_calls
        + _packed(weights.get(node, 0) * tick, 8)
        + no_overflow
        for node in places
    )


def _placed(packed: bytes, places: dict[int, int]) -> bytes:
    """The samples of one thread in which it ran, with the places of their nodes."""
    words = memoryview(packed).cast("I")
    records = zip(words[::6], words[3::6], range(0, len(packed), 24), strict=True)
    return b"".join(
        _packed(places[node], 4) + packed[at + 4 : at + 24]
        for node, kind, at in records
        if kind in OF_TIME
    )


def _lines(packed: bytes, positions: dict[int, int], left_out: set[int]) -> bytes:
    codes = memoryview(packed).cast("I")[::6]
    return b"".join(
        _packed(positions[code], 4) + packed[24 * place + 4 : 24 * (place + 1)]
        for place, code in enumerate(codes)
        if code not in left_out
    )


def _pairs(packed: bytes) -> Iterable[tuple[int, int]]:
    words = memoryview(packed).cast("I")
    return zip(words[::2], words[1::2], strict=True)


def _counted(packed: bytes) -> Iterable[tuple[int, int, int]]:
    words, longs = memoryview(packed).cast("I"), memoryview(packed).cast("Q")
    return zip(words[::4], words[1::4], longs[1::2], strict=True)


def _packed(number: int, size: int) -> bytes:
    return number.to_bytes(size, sys.byteorder)
