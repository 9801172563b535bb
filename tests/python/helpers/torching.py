"""Programs under tracer.compat.torch, by a clock that they move themselves. A tick is a
microsecond."""

import os

import pytest

from rows import Clock
from tracer.compat import torch
from tracer.compat.torch_parts import names

CLOCK = Clock()


class Profile(torch.profile):
    """profile() by the clock, in one thread."""

    _options = {"timer": CLOCK, "timeunit": 1e-6, "threads": False}  # noqa: RUF012


def load():
    CLOCK.now += 7


def forward():
    CLOCK.now += 10
    matmul()
    matmul()


def matmul():
    CLOCK.now += 20


def backward():
    CLOCK.now += 3_000


def train():
    """One step of a loop: 6 of its own; 7 of load; 52 of `forward`, 2 of them its own; 3,004 of
    `backward`, 4 of them its own."""
    CLOCK.now += 1
    load()
    CLOCK.now += 3
    with torch.record_function("forward"):
        CLOCK.now += 1
        forward()
        CLOCK.now += 1
    with torch.record_function("backward"):
        CLOCK.now += 4
        backward()
    CLOCK.now += 2


def loop(profiler, steps, work=train):
    with profiler:
        go_on(profiler, steps, work)
    return profiler


def go_on(profiler, steps, work=train):
    for _ in range(steps):
        work()
        profiler.step()


def place(function):
    """The key of a function of the test programs."""
    file = os.path.basename(function.__code__.co_filename)
    return f"{file}({function.__code__.co_firstlineno}): {function.__qualname__}"


def rows(events):
    """{bare name: (calls, own, total)} in whole microseconds, without the clock's own."""
    return {
        bare(event.key): (
            event.count,
            round(event.self_cpu_time_total),
            round(event.cpu_time_total),
        )
        for event in events
        if "Clock" not in event.key
    }


def bare(key):
    """A row's name, without the file and the line of a function."""
    return key.rpartition(": ")[2]


def steps_of(events):
    return [event.trace_name for event in events if event.name == "ProfilerStep*"]


@pytest.fixture
def told(monkeypatch, capsys):
    """What is said from here on: a function that gives its lines."""
    monkeypatch.setattr(names, "_said", set())
    return lambda: capsys.readouterr().err.splitlines()
