"""Profiles to export: of a program with names and calls that are hard on readers. reading.py makes
the exports and runs the readers.

These tests are not among those of `make test-python`: `make test-readers` runs them, once, on one
interpreter.
"""

import sys
from pathlib import Path

import pytest

import tracer
from logs import Log
from reading import run

sys.path.append(str(Path(__file__).parents[1] / "python" / "helpers"))
pytest_plugins = ["once_more", "workers"]

PROGRAM = """
import sys
import threading
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ping(n):
    time.sleep(0.001)
    if n:
        pong(n - 1)


def pong(n):
    leaf()
    if n:
        ping(n - 1)


def leaf():
    return sum(range(200))


class Reader:
    def read(self):
        return [sorted(range(9), key=lambda number: -number) for _ in range(3)]

    class Cursor:
        def read(self):
            return leaf()


def numbers():
    for number in range(5):
        leaf()
        yield number


def two():
    return (lambda: leaf()), (lambda: fib(3))


def work():
    for _ in range(20):
        ping(5)
        pong(4)


def main():
    fib(12)
    ping(6)
    Reader().read()
    Reader.Cursor().read()
    list(numbers())
    for function in two():
        function()
    space = {"leaf": leaf}
    exec("def f(): leaf()", space)
    for name in HOSTILE:
        space["f"].__code__ = space["f"].__code__.replace(co_name=name)
        space["f"].__qualname__ = name
        exec(f"def f(): leaf()", space)
        code = space["f"].__code__.replace(co_name=name)
        if hasattr(code, "co_qualname"):
            code = code.replace(co_qualname=name)
        space["f"].__code__ = code
        space["f"]()
    main_thread_only()


def main_thread_only():
    leaf()


HOSTILE = ["semi;colon", "new\\nline", "</script><b>&amp;", "(3) number", "fn=(1)", "tab\\there"]
HOSTILE += ["\\udcff", "", " 12", "\\u2028", "=1+1", "caf\\xe9 \\U0001f600"]
HOSTILE = [] if sys.argv[1:] else HOSTILE

if __name__ == "__main__":
    thread = threading.Thread(target=work, name="worker; one")
    thread.start()
    main()
    thread.join()
"""

# Of threads, tasks, and what a program may say of itself in a timeline.
TIMED = """
import asyncio
import gc
import threading
import time

import tracer


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


async def fetch(number):
    with tracer.range("request", category="io", number=number):
        await asyncio.sleep(0.002)
        fib(6)
        await asyncio.sleep(0.001)


async def serve():
    await asyncio.gather(
        *(asyncio.create_task(fetch(number), name=f"fetch {number}") for number in range(5))
    )


def work(flow):
    with tracer.range("work"):
        flow.end()
        fib(10)


def main():
    flow = tracer.flow("handed on")
    thread = threading.Thread(target=work, args=(flow,), name="worker; one")
    with tracer.range("load", batch=3):
        flow.begin()
        thread.start()
        for number in range(3):
            with tracer.range("part"):
                fib(8)
            tracer.counter("parts", number)
            tracer.counter("loss", 0.5 * number)
    tracer.mark("epoch 2", seen=True)
    asyncio.run(serve())
    gc.collect()
    time.sleep(0.003)
    for name in HOSTILE:
        code = fib.__code__.replace(co_name=name)
        if hasattr(code, "co_qualname"):
            code = code.replace(co_qualname=name)
        type(fib)(code, {"fib": fib})(3)
    thread.join()


HOSTILE = ["semi;colon", "new\\nline", "</script><b>&amp;", "tab\\there", "\\udcff", "", " 12"]
HOSTILE += ["\\u2028", "caf\\xe9 \\U0001f600", '"quoted" {brace}']

if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """The path of a program."""
    path = tmp_path_factory.mktemp("readers") / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="session")
def profile(program):
    """A profile that the command tracer wrote."""
    path = program.with_name("profile.out")
    run(sys.executable, "-m", "tracer", "-o", str(path), str(program))
    return path


@pytest.fixture(scope="session")
def tame(program):
    """The same without hostile names, for readers that die of them."""
    path = program.with_name("tame.out")
    run(sys.executable, "-m", "tracer", "-o", str(path), str(program), "tame")
    return path


@pytest.fixture(scope="session")
def timed(program):
    """A profile with a timeline."""
    script, path = program.with_name("timed.py"), program.with_name("timed.out")
    script.write_text(TIMED)
    run(sys.executable, "-m", "tracer", "--timeline", "-o", str(path), str(script))
    return path


@pytest.fixture(scope="session")
def log(timed):
    """What its timeline holds."""
    return Log(timed)


@pytest.fixture(scope="session")
def qualified(profile):
    """The Stats of `profile`, by qualified names."""
    return tracer.Stats(profile, names="qualname")


@pytest.fixture(scope="session")
def of_cprofile(program):
    """A profile of the same program that cProfile wrote."""
    path = program.with_name("cprofile.out")
    run(sys.executable, "-m", "cProfile", "-o", str(path), str(program))
    return path


@pytest.fixture(params=["profile", "of_cprofile"])
def either(request):
    """tracer's profile, then cProfile's."""
    return request.getfixturevalue(request.param)
