"""viztracer beside tracer: of three programs, both have the same slices, in one order and depth.
test_read_perfetto.py has Perfetto read exports to chrome."""

import json
import os
import re
import sys
from collections import defaultdict

import pytest

from reading import PACKAGES, need, run

NEEDS = "pip:viztracer==1.1.1"

PROGRAMS = {
    "recursion": """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def ping(n):
    return pong(n - 1) if n else fib(5)

def pong(n):
    return ping(n - 1) if n else fib(4)

ping(9)
try:
    pong("no number")
except TypeError:
    fib(3)
""",
    "threads": """
import threading

def down(n):
    return down(n - 1) if n else 0

def work(n):
    return down(n) + down(n + 1)

threads = [threading.Thread(target=work, args=(n,), name=f"worker {n}") for n in range(3)]
for thread in threads:
    thread.start()
    thread.join()
""",
    "generators": """
def numbers(n):
    for number in range(n):
        yield number

def outer(n):
    yield from numbers(n)

class Reader:
    def read(self):
        return sum(outer(4))

for _ in range(3):
    Reader().read()
""",
}


def slices(path, script):
    """{thread: [(name, depth)]}: the functions of the script, in order of their start."""
    events = json.loads(path.read_text())["traceEvents"]
    threads = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    found, ends = defaultdict(list), defaultdict(list)
    calls = [e for e in events if e["ph"] == "X" and re.search(rf"\b{script}\b", e["name"])]
    for event in sorted(calls, key=lambda event: (event["ts"], -event["dur"])):
        around = ends[event["tid"]]
        while around and around[-1] <= event["ts"]:
            around.pop()
        name = event["name"].partition(" (")[0].rpartition(".")[2]
        found[threads[event["tid"]]].append((name, len(around)))
        around.append(event["ts"] + event["dur"])
    return dict(found)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_slices_are_those_of_viztracer(name, tmp_path):
    need((PACKAGES / "viztracer").exists(), "viztracer")
    script = tmp_path / f"{name}.py"
    script.write_text(PROGRAMS[name])
    theirs, profile, ours = (tmp_path / file for file in ("theirs.json", "own.out", "own.json"))
    words = ("-m", "viztracer", "--quiet", "--ignore_c_function", "-o", str(theirs), str(script))
    env = {**os.environ, "PYTHONPATH": str(PACKAGES)}
    run(sys.executable, *words, env=env)
    words = ("--no-builtins", "--timeline", "-o", str(profile), str(script))
    run(sys.executable, "-m", "tracer", *words)
    run(sys.executable, "-m", "tracer", "export", str(profile), "--to", "chrome", "-o", str(ours))
    found = slices(ours, name)
    assert found == slices(theirs, name)
    assert sum(map(len, found.values())) > 15
