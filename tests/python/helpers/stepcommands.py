"""Programs that are run under --steps, and what the command recorded of them."""

import tracer
from launch import traced, write
from stepping import steps_in

LOOP = """
def load(number):
    return [number] * 3

def train_step(batch):
    return helper(batch)

def helper(batch):
    return sum(batch)

def main(steps):
    for number in range(steps):
        train_step(load(number))

if __name__ == "__main__":
    main(20)
"""
MODULE = """
import sys

def train_step(batch):
    return helper(batch)

def helper(batch):
    return sum(batch)

class Trainer:
    def method(self, batch):
        return helper(batch)

    @classmethod
    def by_class(cls, batch):
        assert cls is Trainer
        return helper(batch)

    @staticmethod
    def alone(batch):
        return helper(batch)

    class Inner:
        def method(self, batch):
            return helper(batch)
"""
USER = """
from lib import train_step
from lib import Trainer
import lib

for number in range(20):
    {}([number])
"""
SCHEDULE = "skip_first=10,wait=1,warmup=1,active=3"
CHOSEN = [12, 13, 14, 17, 18, 19]


def recorded(tmp_path, program, *options, steps=SCHEDULE, function="train_step", **more):
    """The Stats of a program under --steps, and what the command printed on stderr."""
    path = write(tmp_path / "program.py", program)
    chosen = [] if steps is None else ["--steps", steps]
    words = [*chosen, "--step-function", function, "-o", "out.prof", *options, path.name]
    found = traced(*words, cwd=tmp_path, **more)
    assert found.returncode == more.get("status", 0), found.stderr.decode()
    return tracer.Stats(tmp_path / "out.prof"), found.stderr.decode()


def numbers(stats):
    return [number for number, *_ in steps_in(stats)]


def labels(stats):
    return {name for _, _, name in stats.stats}
