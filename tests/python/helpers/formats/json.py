"""An object, as docs/guide/exports.md has it: functions, and of threads figures, edges, nodes."""

import json

from formats import Found, Function, add
from tracer.exports.names import shown


def names(paths):
    return [(shown(row.file), row.line, shown(row.name)) for row in paths.rows]


def read(data):
    document = json.loads(data)
    names = [(f["file"], f["line"], f["name"]) for f in document["functions"]]
    functions, paths, calls = {}, {}, {}
    for thread in document["threads"]:
        for f in thread["figures"]:
            more = f["ncalls"], f["tottime_ns"], f["cumtime_ns"]
            known = functions.get(names[f["function"]], (0, 0, 0))
            functions[names[f["function"]]] = Function(*map(sum, zip(known, more, strict=True)))
        path = [thread["name"]]
        nodes = thread["nodes"]
        columns = (nodes[key] for key in ("depth", "function", "calls", "time_ns"))
        for depth, function, called, time in zip(*columns, strict=True):
            path[depth:] = [names[function]]
            if called or time:
                add(paths, tuple(path), time)
                add(calls, tuple(path), called)
    rule = document["estimated"] or ""
    return Found(functions, None, paths, calls, rule, document["title"])
