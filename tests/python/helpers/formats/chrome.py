"""Trace events: complete ones are slices, and those with "b" and "e" are beside them."""

import json
from collections import defaultdict

from formats import Drawn, opened_and_closed, own_of

KINDS = set("XiCsfbeM")


def draw(data):
    document = json.loads(data)
    assert document["displayTimeUnit"] == "ns"
    by_phase = defaultdict(list)
    for event in document["traceEvents"]:
        assert event["ph"] in KINDS
        assert event["ph"] == "M" or event["ts"] >= 0
        by_phase[event["ph"]].append(event)
    names = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in by_phase["M"]
        if event["name"] == "thread_name"
    }
    whole = [event for event in by_phase["X"] if event.get("cat") != "flow"]
    slices = nested(whole, names)
    arrows = {event["id"]: event for event in by_phase["f"]}
    counters = defaultdict(list)
    for event in by_phase["C"]:
        counters[event["name"]].append((nanoseconds(event), event["args"]["value"]))
    return Drawn(
        slices=slices,
        own=own_of(slices),
        opened={event["name"] for event in whole if event.get("args") == {"ended": False}},
        intervals=intervals(e for e in document["traceEvents"] if e["ph"] in "be"),
        instants=[(nanoseconds(event), event["name"], event["args"]) for event in by_phase["i"]],
        counters=dict(counters),
        flows=[
            (event["name"], *place(event, names), *place(arrows[event["id"]], names))
            for event in by_phase["s"]
        ],
        title=document["otherData"]["title"],
        notes=" ".join(document["otherData"]["notes"]),
    )


def nanoseconds(event, key="ts"):
    return round(event[key] * 1000)


def place(event, names):
    return names[event["pid"], event["tid"]], nanoseconds(event)


def nested(events, names):
    found = {name: [] for name in names.values()}
    ends = defaultdict(list)  # of those that are around, outermost first
    for event in events:
        thread, start = place(event, names)
        end, around = start + nanoseconds(event, "dur"), ends[thread]
        while around and around[-1] <= start:
            around.pop()
        assert not around or end <= around[-1]
        found[thread].append((event["name"], start, end, len(around)))
        around.append(end)
    return found


def intervals(events):
    rows = defaultdict(list)
    for event in events:
        step = event["ph"] == "b", nanoseconds(event), event["name"], event.get("args")
        rows[event["pid"], event["cat"], event["id2"]["local"]].append(step)
    return {
        (name, start, end): values
        for steps in rows.values()
        for name, start, end, _, values in opened_and_closed(steps)
    }
