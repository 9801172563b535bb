"""Two modules that call each other, for the tests of a focus: `own`, which most of the tests look
at, and `out`. The clock is a rows.Clock.
"""

import re
from types import SimpleNamespace

from rows import Clock, record

IN = """
def top(f, *args):
    tick(1)
    value = f(*args)
    tick(1)
    return value

def leaf():
    tick(2)
    return len("leaf")

def again(depth):
    tick(1)
    return out.between(depth - 1) if depth else 0

def failing():
    tick(1)
    raise KeyError

def numbers():
    tick(1)
    yield 1
    tick(1)
    yield 2
    tick(1)

def summing():
    tick(1)
    return sum(out.counting())

def sorting():
    return sorted([2, 1], key=out.key)

def pausing():
    tick(1)
    out.back_to_hub()
    tick(1)

def catching():
    try:
        out.passing_on(failing)
    except KeyError:
        tick(1)
"""

IN_NAMES = re.findall(r"^def (\w+)", IN, re.MULTILINE)

MOVING = """
def tick(units):
    clock.now += units
"""

OUT = """
def leaf_of_out():
    tick(3)
    return len("out")

def calling(f):
    tick(5)
    abs(-1)
    f()
    tick(5)

def between(depth):
    tick(10)
    return own.again(depth)

def passing_on(f):
    tick(10)
    f()

def counting():
    tick(10)
    for number in own.numbers():
        tick(10)
        yield number

def key(number):
    tick(10)
    own.leaf()
    return number

def back_to_hub():
    tick(10)
    hub.switch()

def draining(generator):
    tick(10)
    for _ in generator:
        tick(10)
"""


def two_modules(tmp_path):
    """Two modules, `own` and `out`, that know each other, and a third that moves the clock."""
    clock = Clock()
    modules = {}
    for name, text in (("clock", MOVING), ("own", IN), ("out", OUT)):
        path = tmp_path / name / f"{name}.py"
        path.parent.mkdir()
        path.write_text(text)
        space = {"__name__": name, "__file__": str(path), "clock": clock}
        if modules:
            space["tick"] = modules["clock"].tick
        exec(compile(text, str(path), "exec"), space)
        modules[name] = SimpleNamespace(**space)
        modules[name].space = space
    modules["own"].space["out"] = modules["out"]
    modules["out"].space["own"] = modules["own"]
    return SimpleNamespace(
        clock=clock,
        own=modules["own"],
        out=modules["out"],
        path=tmp_path,
        tick=modules["clock"].tick,
    )


def focused(code, backend, function, *args, builtins=False, **focus):
    focus = focus or {"include": code.path / "own"}
    return record(
        function,
        *args,
        timer=code.clock,
        timeunit=1.0,
        builtins=builtins,
        backend=backend,
        **focus,
    )
