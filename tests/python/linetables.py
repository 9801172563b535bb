"""What programs whose lines were timed printed or saved: a program, and its tables in a form that
tests can spell out.
"""

import os
import re

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
