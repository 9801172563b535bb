"""A processed profile: samples last as long as their weights, the rest are markers."""

import json
from collections import defaultdict

from formats import Drawn, add

GAPS = ("waited for a lock, the GIL or a CPU", "waited in C")


def draw(data):
    document = json.loads(data)
    meta, texts = document["meta"], document["shared"]["stringArray"]
    assert meta["preprocessedProfileVersion"] == 57
    schemas = {schema["name"]: schema for schema in meta["markerSchema"]}
    assert len(schemas) == len(meta["markerSchema"])
    found = Drawn(own={}, intervals={}, instants=[], counters=defaultdict(list), places={})
    flows = defaultdict(dict)
    for thread in document["threads"]:
        check(thread, document)
        found.own.update(own_times(thread, texts))
        found.places.update(places(thread, texts))
        for name, start, end, values in markers(thread, texts):
            kind = values.pop("type")
            assert set(values) <= {field["key"] for field in schemas[kind]["fields"]}
            if kind == "flow":
                flows[texts[values.get("begins", values.get("ends"))]]["ends" in values] = (
                    name,
                    thread["name"],
                    start,
                )
            elif kind.startswith("counter "):
                found.counters[name].append((start, values["value"]))
            elif end is None:
                found.instants.append((start, name, values))
            else:
                found.intervals[name, start, end] = values
    notes = " ".join(entry["value"] for it in meta["extra"] for entry in it["entries"])
    ends = [(*it[False], *it[True][1:]) for it in flows.values()]
    return found._replace(
        counters=dict(found.counters),
        flows=[(name.removeprefix("flow "), *rest) for name, *rest in ends],
        title=meta["product"],
        notes=notes,
    )


def nanoseconds(milliseconds):
    return None if milliseconds is None else round(milliseconds * 1e6)


def check(thread, document):
    """Every column is as long as its table, and every number names something."""
    for name in ("samples", "markers", "stackTable", "frameTable", "funcTable", "nativeSymbols"):
        table = thread[name]
        lengths = {len(column) for column in table.values() if isinstance(column, list)}
        assert lengths == {table["length"]}, name
    stacks = thread["stackTable"]
    assert all(it is None or it < at for at, it in enumerate(stacks["prefix"]))
    assert all(it < thread["frameTable"]["length"] for it in stacks["frame"])
    assert all(it is None or it < stacks["length"] for it in thread["samples"]["stack"])
    kinds = len(document["meta"]["categories"])
    assert all(it < kinds for it in thread["frameTable"]["category"])


def own_times(thread, texts):
    samples, stacks = thread["samples"], thread["stackTable"]
    functions = thread["frameTable"]["func"]
    names = [texts[name] for name in thread["funcTable"]["name"]]
    own, now = {}, 0
    deltas = list(map(nanoseconds, samples["timeDeltas"]))
    weights = list(map(nanoseconds, samples["weight"]))
    assert deltas[1:] == weights[:-1], "a sample lasts until the next"
    assert weights[-1:] in ([], [0])
    for stack, delta, weight in zip(samples["stack"], deltas, weights, strict=True):
        now += delta
        path = []
        while stack is not None:
            path.append(names[functions[stacks["frame"][stack]]])
            stack = stacks["prefix"][stack]
        if path:
            add(own, (thread["name"], *reversed(path)), weight)
    return own


def places(thread, texts):
    table = thread["funcTable"]
    each = zip(table["name"], table["fileName"], table["lineNumber"], strict=True)
    return {texts[name]: (texts[file], line) for name, file, line in each if file is not None}


def markers(thread, texts):
    table = thread["markers"]
    columns = (table[key] for key in ("name", "startTime", "endTime", "phase", "data"))
    for name, start, end, phase, values in zip(*columns, strict=True):
        assert phase == (end is not None)
        yield texts[name], nanoseconds(start), nanoseconds(end), dict(values)
