"""What is true of the figures of every profile, whatever events it had: they are held against its
records.

The records are read here in a way of their own (the structs are in ext/core/report/capture.h), so
that a mistake in adding them up shows.
"""

import struct
from collections import Counter
from math import isclose

import tracer
from work import CALLERS, NEVER_RECURSIVE, C

NODE = struct.Struct("<IIQQqq")
OVERFLOW = struct.Struct("<IIQQQQqq")
NOBODY = 2**32 - 1
ROUNDING = 1e-12  # of an addition of seconds, relative to all that was added


class Wrong(AssertionError):
    """A figure that cannot be."""


def require(truth, *words):
    if not truth:
        raise Wrong(" ".join(map(str, words)))


class Records:
    """One thread of a capture: its tree, and what overflowed when there was no more room for it."""

    def __init__(self, capture, thread):
        self.labels = [function.label("label") for function in capture.functions]
        self.left_out = capture.left_out
        self.nodes = list(NODE.iter_unpack(thread.records["nodes"]))
        self.overflow = list(OVERFLOW.iter_unpack(thread.records["folds"]))
        waits = struct.iter_unpack("<IIq", thread.records["waits"])
        self.waits = [ticks for _, _, ticks in waits]

    def ticks(self):
        """All the time that the thread was traced. The root's own time is time in no function."""
        return sum(node[4] for node in self.nodes) + sum(edge[6] for edge in self.overflow)

    def label(self, function):
        """The label of a function's row; None if it is in no row."""
        known = function != NOBODY and function not in self.left_out
        return self.labels[function] if known else None

    def callers(self):
        """For each node the label of its caller, as rows have it; None where there is no caller."""
        found = [None]
        for parent, *_ in self.nodes[1:]:
            label = self.label(self.nodes[parent][1])
            found.append(found[parent] if label is None else label)
        return found

    def nobodys_ticks(self):
        callers = self.callers()
        return sum(
            node[4]
            for node, caller in zip(self.nodes, callers, strict=True)
            if caller is None and self.label(node[1]) is None
        ) + sum(
            edge[6] for edge in self.overflow if not self.label(edge[0]) and not self.label(edge[1])
        )

    def calls_from_nowhere(self):
        counts = Counter()
        for node, caller in zip(self.nodes[1:], self.callers()[1:], strict=True):
            if caller is None:
                counts[self.label(node[1])] += node[2]
        for edge in self.overflow:
            if self.label(edge[0]) is None:
                counts[self.label(edge[1])] += edge[2]
        return counts

    def recursive(self):
        """The labels that are below themselves somewhere in the tree."""
        above = [frozenset()]
        found = set()
        for parent, function, *_ in self.nodes[1:]:
            label = self.label(function)
            if label in above[parent]:
                found.add(label)
            above.append(above[parent] | {label})
        found.discard(None)
        return found


def check_thread(capture, stats, total):
    """Checks the `stats` of one thread, and adds its calls to `total`."""
    records = Records(capture, stats.thread)
    seconds = capture.seconds_per_tick
    require(stats.thread.lost_calls == 0, "lost calls:", stats.thread)
    for node in records.nodes:
        require(node[4] >= 0 and node[5] >= 0, "negative time in", records.label(node[1]), node)
    for edge in records.overflow:
        require(edge[6] >= 0 and edge[7] >= 0, "negative time in", records.label(edge[1]), edge)
    require(all(ticks > 0 for ticks in records.waits), "negative waits", records.waits)
    tottimes = sum(row[2] for row in stats.stats.values())
    traced = (records.ticks() - records.nobodys_ticks()) * seconds
    require(isclose(tottimes, traced, rel_tol=1e-9, abs_tol=1e-9), "tottimes", tottimes, traced)
    for label, row in stats.stats.items():
        total[label] += row[1]
        require(0 <= row[0] <= row[1], "primitive calls", label, row)
        require(0 <= row[2] <= row[3] + ROUNDING, "tottime", label, row)
    if capture.subcalls:
        check_callers(records, stats)
        check_cumtimes(records, stats)


def is_of_work(label):
    return label[0].endswith("work.py") or label[2] == "made"


def check_callers(records, stats):
    nowhere = records.calls_from_nowhere()
    for label, (_, calls, _, _, callers) in stats.stats.items():
        called = sum(figures[0] for figures in callers.values())
        require(calls == called + nowhere[label], "calls", label, calls, callers, nowhere[label])
        known = CALLERS.get(label[2]) if is_of_work(label) else None
        for caller in callers if known else ():
            name = C if caller[0] == "~" else caller[2]
            require(name in known, label, "was never called by", caller, callers[caller])


def check_cumtimes(records, stats):
    """cumtime is tottime and the cumtime of callees, for a function that is never on the stack
    twice. Where paths were not kept, only functions of work.py are checked: below others a function
    of tracer's may lie, whose callees have no caller there."""
    below = Counter()
    for _, _, _, _, callers in stats.stats.values():
        for caller, figures in callers.items():
            below[caller] += figures[3]
    recursive = records.recursive()
    for label, (_, _, tottime, cumtime, _) in stats.stats.items():
        once = is_of_work(label) and label[2] in NEVER_RECURSIVE
        if label not in recursive and (once or not records.overflow):
            parts = tottime + below[label]
            require(
                isclose(cumtime, parts, rel_tol=1e-9, abs_tol=1e-9),
                "cumtime",
                label,
                cumtime,
                parts,
            )


def check(profile):
    """The profile's Stats. Raises Wrong when one figure contradicts another."""
    stats = tracer.Stats(profile)
    (capture,) = stats.captures
    total = Counter()
    for thread in stats.threads:
        try:
            check_thread(capture, thread, total)
        except Wrong as error:
            raise Wrong(f"{profile.title}, {thread.thread}: {error}") from None
    for label, row in stats.stats.items():
        require(total[label] == row[1], "threads do not add up:", label, total[label], row)
    return stats
