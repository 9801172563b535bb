"""Trace events: complete ones are slices, those without an end to them are beside."""

import json
from collections import defaultdict

from formats import Drawn, opened_and_closed


def draw(data):
    document = json.loads(data)
    assert document["displayTimeUnit"] == "ns"
    events = [event for event in document["traceEvents"] if event["ph"] != "M"]
    names = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in document["traceEvents"]
        if event["name"] == "thread_name"
    }
    assert all(event["ts"] >= 0 for event in events)
    by_phase = defaultdict(list)
    for event in events:
        by_phase[event["ph"]].append(event)
    assert set(by_phase) <= set("XiCsfbe")
    whole = [event for event in by_phase["X"] if event.get("cat") != "flow"]
    marks = [(nanoseconds(event["ts"]), event["name"], event["args"]) for event in by_phase["i"]]
    arrows = {event["id"]: event for event in by_phase["f"]}
    return Drawn(
        slices=nested(whole, names),
        is_open={event["name"] for event in whole if event.get("args") == {"ended": False}},
        intervals=intervals(by_phase["b"], by_phase["e"]),
        instants=marks,
        counters=[(nanoseconds(e["ts"]), e["name"], e["args"]["value"]) for e in by_phase["C"]],
        flows=[
            (event["name"], *place(event, names), *place(arrows[event["id"]], names))
            for event in by_phase["s"]
        ],
        title=document["otherData"]["title"],
        notes=document["otherData"]["notes"],
    )


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def place(event, names):
    return names[event["pid"], event["tid"]], nanoseconds(event["ts"])


def nested(events, names):
    """{thread: [(name, start, end, depth)]}."""
    found = {name: [] for name in names.values()}
    ends = defaultdict(list)
    for event in events:
        thread, start = place(event, names)
        end = start + nanoseconds(event["dur"])
        around = ends[thread]
        while around and (around[-1] <= start and (around[-1], end) != (start, start)):
            around.pop()
        assert not around or end <= around[-1]
        found[thread].append((event["name"], start, end, len(around)))
        around.append(end)
    return found


def intervals(begins, ends):
    rows = defaultdict(list)
    for kind, event in [("b", event) for event in begins] + [("e", event) for event in ends]:
        rows[event["cat"], event["id2"]["local"]].append((kind, event))
    found = []
    for events in rows.values():
        steps = sorted(events, key=lambda it: it[1]["ts"])
        found += opened_and_closed(
            (kind == "b", nanoseconds(event["ts"]), event["name"], event.get("args"))
            for kind, event in steps
        )
    return found
