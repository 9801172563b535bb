"""The kinds of events that are measured one by one: for each, a loop that makes one pair of an
enter and a leave each time round. Nothing is measured here.

To a filter that code is of this file."""

from collections.abc import Callable
from typing import Any

Drive = Callable[[int, Callable[[], float]], float]  # (pairs, a clock) -> what the clock went on

# By kind: the code before the loop, the loop's head and its body. Where a generator yields and is
# resumed, the loop itself makes the pair.
KINDS = {
    "Python call": ("def callee(): pass", "_ in range(count)", "callee()"),
    "builtin call": ("", "_ in range(count)", "abs(1)"),
    "method call": ("word = 'tracer'", "_ in range(count)", "word.isascii()"),
    "yield + resume": (
        "def numbers(count):\n    for number in range(count): yield number",
        "_ in numbers(count)",
        "pass",
    ),
}

DRIVER = """
{before}
def drive(count, now):
    started = now()
    for {head}:
        {body}
    return now() - started
"""


def driver(kind: str) -> Drive:
    """The loop for a kind, compiled afresh."""
    before, head, body = KINDS[kind]
    namespace: dict[str, Any] = {"__file__": __file__}
    exec(DRIVER.format(before=before, head=head, body=body), namespace)
    return namespace["drive"]
