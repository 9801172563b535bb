"""Programs whose threads wait, for as long as their source says, by a clock of two hands: the time,
and the time that the threads ran. A unit is a millisecond."""

import re

import tracer

UNIT = 1e-3
FILE = "/here/app/work.py"


class TwoHands:
    def __init__(self):
        self.now = 0
        self.ran = 0

    def __call__(self):
        return self.now, self.ran


def space_of(source, file=FILE, space=None):
    """What the source defines. WORK(5) in it moves both hands, WAIT(5) only the first. WAIT_IN_C(5)
    does so within a call of setattr()."""
    space = {"hands": TwoHands(), "__name__": "app.work"} if space is None else space
    source = re.sub(r"WORK\((\d+)\)", r"hands.now += \1; hands.ran += \1", source)
    source = re.sub(r"WAIT_IN_C\((\d+)\)", r"setattr(hands, 'now', hands.now + \1)", source)
    source = re.sub(r"WAIT\((\d+)\)", r"hands.now += \1", source)
    exec(compile(source, file, "exec"), space)
    return space


def profile_of(space, name="main", *, builtins=False, **options):
    """A finished Profile of one call of a function."""
    profile = tracer.Profile(space["hands"], UNIT, builtins=builtins, **options)
    profile.record_call(space[name])
    profile.disable()
    return profile
