"""For the tests of tables of lines by memory: a function whose increments are known, and what a
table says of each line."""

import re

MIB = 2**20
ROW = re.compile(r" *(\d+) +(?:([\d.]+|-)(?: MiB)? +(-?[\d.]+) MiB +(\d+))?   ?(.*)")


def make(size):
    data = bytearray(size * MIB - 57)
    kept = bytearray(MIB)
    del data
    return kept


def rows_in(text):
    """{line: (increment, occurrences)} of the lines of a table that were reached."""
    found = {}
    for line in text.splitlines():
        row = ROW.fullmatch(line)
        if row and row[3]:
            found[int(row[1])] = float(row[3]), int(row[4])
    return found


def line_of(function):
    return function.__code__.co_firstlineno
