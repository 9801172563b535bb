"""Functions with their own cost, and calls between them with theirs. What nobody called is called
by <program>; a function's cumulative cost is what the calls into it add up to."""

import re

from formats import Calls, Found, Function, add
from tracer.exports.formats.callgrind import names_in_files

PROGRAM = "<program>"


def names(paths):
    return names_in_files(list(paths.rows))


def read(data):
    calls, own = read_callgrind(data)
    assert own.pop(PROGRAM, 0) == 0
    count, cost = {}, {}
    for (_, callee), (called, spent) in calls.items():
        add(count, callee, called)
        add(cost, callee, spent)
    functions = {
        name: Function(count.get(name, 0), time, cost.get(name, 0)) for name, time in own.items()
    }
    edges = {call: Calls(*told) for call, told in calls.items() if call[0] != PROGRAM}
    [title] = re.findall("^cmd: (.*)$", data.decode(), re.MULTILINE)
    return Found(functions=functions, edges=edges, title=title)


def read_callgrind(data):
    """{(caller, callee): (calls, cost)} and {function: own cost}, by names."""
    head, _, body = data.decode().partition("summary: ")
    assert head.startswith("# callgrind format\n")
    names, calls, own = {}, {}, {}
    function = callee = count = None
    for line in body.splitlines()[1:]:
        key, equals, value = line.partition("=")
        if key in ("fn", "cfn") and equals:
            number, _, name = value.partition(" ")
            name = names.setdefault(number, name)
            function, callee = (name, None) if key == "fn" else (function, name)
        elif key == "calls" and equals:
            count = int(value.split()[0])
        elif line and key not in ("fl", "cfi"):
            cost = int(line.split()[1])
            if callee is None:
                own[function] = cost
            else:
                calls[function, callee] = (count, cost)
    return calls, own
