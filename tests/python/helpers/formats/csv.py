"""A row for each function, of all threads; what a spreadsheet would compute begins with an
apostrophe."""

import csv
import io
from decimal import Decimal

from formats import Found, Function
from tracer.exports.names import shown

FORMULAS = ("=", "+", "-", "@")


def names(paths):
    return [
        (tuple(shown(text) if text else "" for text in (row.file, row.name)), row.line)
        for row in paths.rows
    ]


def read(data):
    found = {}
    for row in csv.DictReader(io.StringIO(data.decode(), newline="")):
        name = row["name"]
        assert not name.startswith(FORMULAS)
        key = row["file"], name[1:] if name[:1] == "'" and name[1:].startswith(FORMULAS) else name
        times = (int(Decimal(row[column]) * 10**9) for column in ("tottime", "cumtime"))
        assert (key, int(row["line"])) not in found
        found[key, int(row["line"])] = Function(int(row["ncalls"]), *times)
    return Found(functions=found)
