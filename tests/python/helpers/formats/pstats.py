"""A marshalled dict of functions and who called them, in seconds. What calls cost is as pstats has
it: at each level of a recursion."""

import marshal

from formats import Calls, Found, Function


def names(paths):
    return [tuple(row) for row in paths.rows]


def read(data):
    functions, edges = {}, {}
    for label, (_, calls, own, cumulative, callers) in marshal.loads(data).items():
        functions[label] = Function(calls, round(own * 1e9), round(cumulative * 1e9))
        for caller, (called, *_) in callers.items():
            edges[caller, label] = Calls(called, None)
    return Found(functions=functions, edges=edges)
