"""What programs whose lines were timed printed or saved: a folder of programs, and their tables in
a form that tests can spell out.
"""

import os
import re

import pytest

from launch import write

DECORATED = """
@profile
def work(n):
    total = 0
    for i in range(n):
        total += abs(
            i
        )
    return total

@profile
def idle():
    pass

print(work(10))
"""
PROGRAM = """
import json
import helpers

class Thing:
    size = 3
    double = lambda self: 2 * self.size

def main():
    things = [Thing() for _ in range(4)]
    exec("x = 1")
    return helpers.total(thing.double() for thing in things) + len(json.dumps(1))

print(main())
"""
HELPERS = """def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lines")
    write(folder / "decorated.py", DECORATED)
    write(folder / "app" / "main.py", PROGRAM)
    write(folder / "app" / "helpers.py", HELPERS)
    write(folder / "app" / "venv" / "lib" / "site-packages" / "bought.py", "def buy():\n    pass\n")
    return folder


def hits(stats):
    """{qualified name, or file of a module: {line: hits}} of what was called."""
    return {
        os.path.basename(function.file) if function.name == "<module>" else function.qualname: {
            line.line: line.hits for line in function.lines
        }
        for function in stats.lines.functions
        if function.lines
    }


def table(output):
    """[(line, hits, contents)] of the rows with figures."""
    rows = re.findall(r"^ +(\d+) +(\d+) +[\d.]+ +[\d.]+ +[\d.]+  (.*)$", output, re.MULTILINE)
    return [(int(line), int(count), contents.strip()) for line, count, contents in rows]
