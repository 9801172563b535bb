"""What a LineRecorder holds, in a form that tests can spell out: beside the lines of the program.

A line of a program under test says in a comment what is expected of it: `#: 3 15` is 3 hits and 15
ticks, `#: 3 15 c=4 own=2 waits=7 cost=9` more. What it does not say is expected to be 0, or is not
looked at: c, own and cost. A line without such a comment must have no record.
"""

import inspect
import re
import struct
import sys
from typing import NamedTuple

import pytest

from rows import Clock
from tracer._core import LineRecorder, unrecorded

HAS_MONITORING = sys.version_info >= (3, 12)
needs_monitoring = pytest.mark.skipif(
    not HAS_MONITORING, reason="sys.settrace, the way to lines on 3.11, tells of no calls"
)
# With and without calls.
each_way = pytest.mark.parametrize("calls", [False, pytest.param(True, marks=needs_monitoring)])
RECORD = struct.Struct("=IIQqqqqq")
WAIT = struct.Struct("=IIq")

clock = Clock()


class Line(NamedTuple):
    hits: int
    ticks: int
    c: int
    own: int
    waits: int
    cost: int

    def __add__(self, other):
        return Line(*map(sum, zip(self, other, strict=True)))


def code_of(function):
    return getattr(function, "__code__", function)


def label_of(code):
    return (code.co_filename, code.co_firstlineno, code.co_name, code.co_qualname)


def recorder_of(*functions, timer=clock, timeunit=1.0, **options):
    """A LineRecorder of some functions or code objects, that is told the time by `clock`."""
    recorder = LineRecorder(timer, timeunit, **options)
    for function in functions:
        recorder.add_code(code_of(function))
    return recorder


def merged(snapshot):
    """{(file, first line, name, qualified name): {line: Line}}, all threads together."""
    found = {label: {} for label in snapshot["codes"]}
    for thread in snapshot["threads"]:
        for place, line, *figures in RECORD.iter_unpack(thread["lines"]):
            lines = found[snapshot["codes"][place]]
            figures = Line(*figures)
            lines[line] = lines[line] + figures if line in lines else figures
    return found


def lines_of(recorder, function):
    """{line: Line} of one code object."""
    with unrecorded:  # the recorder may be enabled
        return merged(recorder.snapshot())[label_of(code_of(function))]


def numbered(recorder, function):
    """{line, counted from the first of the code object: Line}"""
    code = code_of(function)
    return {line - code.co_firstlineno: found for line, found in lines_of(recorder, code).items()}


def hits(recorder, function):
    """{line, counted from the first of the code object: hits}"""
    return {line: found.hits for line, found in numbered(recorder, function).items()}


def ticks(recorder, function):
    """{line, counted from the first of the code object: ticks}"""
    return {line: found.ticks for line, found in numbered(recorder, function).items()}


def hits_and_ticks(recorder, function):
    """{line, counted from the first of the code object: (hits, ticks)}"""
    return {line: found[:2] for line, found in numbered(recorder, function).items()}


def waits(recorder, function):
    """{line, counted from the first of the code object: ticks that it waited, if any}"""
    found = numbered(recorder, function)
    return {line: entry.waits for line, entry in found.items() if entry.waits}


def waited(recorder, function):
    """{line, counted from the first of the code object: ticks in which the thread did not run, if
    any}, all threads together."""
    code, found = code_of(function), {}
    with unrecorded:  # the recorder may be enabled
        snapshot = recorder.snapshot()
    for thread in snapshot["threads"]:
        lines = list(RECORD.iter_unpack(thread["lines"]))
        for position, nothing, ticks in WAIT.iter_unpack(thread["line_waits"]):
            assert nothing == 0
            place, line, *_ = lines[position]
            if snapshot["codes"][place] == label_of(code):
                line -= code.co_firstlineno
                found[line] = found.get(line, 0) + ticks
    return found


def by_thread(recorder, function):
    """{native id: {line: Line}} of one code object, in the threads that ran it."""
    snapshot = recorder.snapshot()
    found = {
        thread["native_id"]: merged({**snapshot, "threads": (thread,)})[label_of(code_of(function))]
        for thread in snapshot["threads"]
    }
    return {ident: lines for ident, lines in found.items() if lines}


COMMENT = re.compile(r"#: (\d+) (\d+)((?: \w+=-?\d+)*)$")


def expected_of(code):
    """{line: {field: number}} that the comments of a code object's lines say."""
    source, _ = inspect.findsource(code)
    expected = {}
    for number in {line for _, _, line in code.co_lines() if line}:
        match = COMMENT.search(source[number - 1].rstrip())
        if match:
            more = dict(item.split("=") for item in match[3].split())
            fields = {"hits": match[1], "ticks": match[2], "waits": 0, **more}
            expected[number] = {field: int(value) for field, value in fields.items()}
    return expected


def told_of(lines, expected):
    """The figures of lines; of each line, those that are expected of it."""
    return {
        number: {field: getattr(line, field) for field in expected.get(number, Line._fields)}
        for number, line in lines.items()
    }


def check(recorder, *functions):
    """Assert that each line has what its comment says."""
    for function in functions:
        expected = expected_of(code_of(function))
        assert expected, f"nothing is expected of {function}"
        told = told_of(lines_of(recorder, function), expected)
        assert told == expected, f"{told}\nbut expected are\n{expected}"


def measure(program, *functions, **options):
    """A finished LineRecorder of one call; of `program` and other functions."""
    recorder = recorder_of(program, *functions, **options)
    with recorder:
        program()
    return recorder


def inner(function, name):
    """The code object of a function that is written within another."""
    (found,) = (
        const
        for const in code_of(function).co_consts
        if hasattr(const, "co_code") and const.co_name == name
    )
    return found
