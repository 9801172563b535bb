"""A format of shares and its reader: functions in percent, the small ones left out, and the calls
between the others. test_exports_contract.py tests it as it tests formats: so what is asked of
percent and of left-out functions is asked of one format at least.
"""

import json

from formats import Calls, Found, Function
from tracer.analysis.tree.call_costs import costs_of
from tracer.analysis.tree.pruning import large_functions, share, whole_time
from tracer.exports.format import Format
from tracer.exports.writing import write_text

FORMAT = Format(opened_by="nobody", suffix=".shares", prunes="functions", minimum=1.0)


def write(paths, stats, out, options):
    write_text(out, lines(paths, options))


def lines(paths, options):
    whole, kept = whole_time(paths), large_functions(paths, options.minimum)
    yield json.dumps(options.title) + "\n"
    for row, figures in kept.items():
        shares = (round(share(time, whole), 2) for time in (figures.tottime, figures.cumtime))
        yield json.dumps([row, *shares]) + "\n"
    for caller, callee, count, time in costs_of(paths, options.progress):
        if caller in kept and callee in kept:
            yield json.dumps([caller, callee, count, round(share(time, whole), 2)]) + "\n"


def names(paths):
    return list(range(len(paths.rows)))


def read(data):
    title, *lines = map(json.loads, data.splitlines())
    functions = (line for line in lines if len(line) == 3)
    return Found(
        functions={row: Function(None, own, cumulative) for row, own, cumulative in functions},
        edges={tuple(line[:2]): Calls(*line[2:]) for line in lines if len(line) == 4},
        title=title,
        percent=True,
        error=0.00501,
    )
