"""Parity: real single-threaded programs once under cProfile and once under tracer, row by row.

Calls, primitive calls and every caller's counts are equal; with a clock that the program itself
advances every time is, too. What cProfile gets wrong or defines otherwise is set aside by the rules
in `Figures`, `of_cprofile` and `compare`, and by nothing else. What rows ought to hold where there
is no cProfile to compare with is in test_profile.py.
"""

import ast
import asyncio
import compileall
import contextlib
import copy
import cProfile
import dataclasses
import difflib
import functools
import gc
import importlib
import importlib.util
import io
import json
import pprint
import re
import runpy
import shutil
import sys
import tokenize
import unittest
from collections import Counter
from pathlib import Path

import pytest

import tracer

PROGRAMS_FOLDER = Path(__file__).parents[2] / "benchmarks" / "programs"
DIFFLIB = Path(difflib.__file__)


# -- The programs ------------------------------------------------------------------------------
# Each is made once, with a folder to write to, and then called several times.


def benchmark(name, *arguments):
    def make(folder):
        spec = importlib.util.spec_from_file_location(name, PROGRAMS_FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return lambda: module.main(list(arguments))

    return make


def compiling_a_package(folder):
    package = folder / "package"
    shutil.copytree(Path(json.__file__).parent, package)
    return lambda: compileall.compile_dir(package, quiet=1, force=True, workers=1)


def json_tool(folder):
    source, target = folder / "source.json", folder / "target.json"
    source.write_text(json.dumps([{"id": i, "tags": ["ä", None, 1.5, [i]]} for i in range(60)]))
    main = importlib.import_module("json.tool").main

    def program():
        sys.argv = ["json.tool", "--sort-keys", str(source), str(target)]
        main()

    return program


def tokenizing(folder):
    source = DIFFLIB.read_bytes()[:12000]
    source = source[: source.rindex(b"\ndef ") + 1]

    def program():
        tokens = list(tokenize.tokenize(io.BytesIO(source).readline))
        tokenize.untokenize(tokens)

    return program


def diffing(folder):
    before = DIFFLIB.read_text().splitlines()[:150]
    after = [line.replace("self", "me") for line in before[5:]] + ["the end"]

    def program():
        list(difflib.unified_diff(before, after))
        list(difflib.ndiff(before[:20], after[:20]))
        difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"])

    return program


class SomeTests(unittest.TestCase):
    """Run by a program below, not by pytest."""

    __test__ = False

    def setUp(self):
        self.addCleanup(list.clear, [1])

    def test_equal(self):
        self.assertEqual({"a": [1, 2]}, {"a": [1, 2]})

    def test_different(self):
        self.assertEqual([1, 2, 3], [1, 2, 4])

    def test_raises(self):
        with self.assertRaisesRegex(ValueError, "literal"):
            int("x")

    def test_error(self):
        raise KeyError("missing")

    def test_parts(self):
        for number in range(4):
            with self.subTest(number=number):
                self.assertLess(number, 3)

    @unittest.skip("to have one")
    def test_skipped(self):
        pass


def running_a_suite(folder):
    def program():
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(SomeTests)
        unittest.TextTestRunner(stream=io.StringIO(), verbosity=2).run(suite)

    return program


def printing_prettily(folder):
    structure = {
        f"key {i}": [list(range(i)), {"nested": (i, str(i) * 20)}, {1, i}, b"x" * i]
        for i in range(40)
    }
    structure["recursive"] = structure
    return lambda: pprint.pformat(structure, width=60)


def unparsing(folder):
    source = DIFFLIB.read_text()[:20000]
    source = source[: source.rindex("\ndef ")]
    return lambda: ast.unparse(ast.parse(source))


def compiling_patterns(folder):
    patterns = [r"(a|b)*?c{2,3}", r"(?P<x>[^\W\d]+)(?=y)(?:z|(?P=x))", r"\b(?i:ab|[c-f])+$"]

    def program():
        re.purge()
        for pattern in patterns:
            re.compile(pattern)

    return program


def running_a_script(folder):
    script = folder / "script.py"
    script.write_text("import string\nprint(string.capwords('some words'), __name__)\n")
    return lambda: runpy.run_path(str(script), run_name="__main__")


def making_classes(folder):
    """Many functions with one label: what dataclasses makes is all of line 1 or 2 of <string>."""

    def program():
        one = dataclasses.make_dataclass("One", ["x", "y"], order=True)
        two = dataclasses.make_dataclass("Two", [("z", one), ("w", int, 3)], frozen=True)
        items = sorted(one(i % 3, -i) for i in range(10))
        both = [two(item) for item in items]
        return copy.deepcopy(both) == both, {hash(dataclasses.astuple(item)) for item in both}

    return program


def numbers(limit):
    for number in range(limit):
        try:
            yield number
        except ZeroDivisionError:
            yield -number


def flattened(tree):
    for branch in tree:
        if isinstance(branch, list):
            yield from flattened(branch)
        else:
            yield branch


async def chain(depth):
    await asyncio.sleep(0)
    if depth:
        return 1 + await chain(depth - 1)
    return 0


async def ticks(limit):
    for number in range(limit):
        await asyncio.sleep(0)
        yield number


async def tasks():
    async with contextlib.AsyncExitStack():
        depths = await asyncio.gather(*(chain(depth) for depth in range(4)))
        waiting = asyncio.create_task(asyncio.sleep(1000))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        return depths, [number async for number in ticks(3)]


def suspending(folder):
    """Generators and coroutines: resumed, thrown into, closed, dropped, nested in each other."""

    def program():
        sum(numbers(5))
        thrown = numbers(5)
        next(thrown)
        thrown.throw(ZeroDivisionError)
        with contextlib.suppress(KeyError):
            thrown.throw(KeyError)
        closed = numbers(5)
        next(closed)
        closed.close()
        numbers(5).close()
        dropped = numbers(5)
        next(dropped)
        del dropped
        list(flattened([1, [2, [3, 4], 5], [[6]]]))
        asyncio.run(tasks())

    return program


def even(number):
    return True if number == 0 else odd(number - 1)


def odd(number):
    return False if number == 0 else even(number - 1)


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


def descend(depth):
    if depth == 0:
        raise LookupError("bottom")
    try:
        descend(depth - 1)
    finally:
        sorted([3, 1, 2], key=lambda x: even(x))


def recursing(folder):
    def program():
        even(20)
        ackermann(2, 3)
        with contextlib.suppress(LookupError):
            descend(12)

    return program


PROGRAMS = {
    "ast": unparsing,
    "compileall": compiling_a_package,
    "dataclasses": making_classes,
    "difflib": diffing,
    "generators": suspending,
    "json.tool": json_tool,
    "julia": benchmark("julia", "12", "40"),
    "pipeline": benchmark("pipeline", "40"),
    "pprint": printing_prettily,
    "queens": benchmark("queens", "5"),
    "re": compiling_patterns,
    "recursion": recursing,
    "runpy": running_a_script,
    "tokenize": tokenizing,
    "unittest": running_a_suite,
    "words": benchmark("words", "200"),
}


@pytest.fixture(params=PROGRAMS)
def program(request, tmp_path, monkeypatch):
    """A program, its imports and caches warm, its output going nowhere."""
    monkeypatch.setattr(sys, "argv", ["program"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    run = PROGRAMS[request.param](tmp_path)
    run()
    run()
    return run


# -- The clock ---------------------------------------------------------------------------------


class LineClock:
    """A clock that the program advances: by `step` at each line that it runs.

    The interpreter calls the trace function with all profiling off, so it is in no row; the timer
    has no lines.
    """

    def __init__(self, step):
        self.now = self.zero = 0 * step
        self.step = step
        self.timer = functools.partial(getattr, self, "now")

    def trace(self, frame, event, arg):
        if event == "line":
            self.now += self.step
        return self.trace

    @contextlib.contextmanager
    def running(self):
        self.now = self.zero
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(before)


# (seconds a line, timeunit). The float is one that whole nanoseconds hold exactly, as do cProfile's
# units of 2**-32 seconds.
INTEGER_TIMER = (1, 0.001)
FLOAT_TIMER = (2.0**-9, 0.0)


# -- The comparison ----------------------------------------------------------------------------


@dataclasses.dataclass
class Figures:
    """What is compared of a row, or of a caller in it."""

    calls: int = 0
    primitive: int = 0
    tottime: float = 0.0
    cumtime: float = 0.0

    def add(self, entry):
        """Add an entry or subentry of cProfile."""
        self.calls += entry.callcount
        self.primitive += entry.callcount - entry.reccallcount
        self.tottime += entry.inlinetime
        self.cumtime += entry.totaltime


def of_cprofile(profile):
    """(rows, labels that several functions share). Keys are a label, or (callee, caller) labels.

    Set aside: the profiler's own methods. Taken from getstats(), because in cProfile's `stats` the
    last function of a label overwrites the others.
    """

    def label(entry):
        code = entry.code
        if isinstance(code, str):
            return ("~", 0, code)
        return (code.co_filename, code.co_firstlineno, code.co_name)

    def own(entry):
        return isinstance(entry.code, str) and "_lsprof.Profiler" in entry.code

    rows = {}
    labels = Counter()
    for entry in profile.getstats():
        if own(entry):
            continue
        labels[label(entry)] += 1
        rows.setdefault(label(entry), Figures()).add(entry)
        for callee in entry.calls or ():
            if not own(callee):
                rows.setdefault((label(callee), label(entry)), Figures()).add(callee)
    return rows, {label for label, count in labels.items() if count > 1}


def of_tracer(profile):
    """The same of a tracer.Profile, with resumes added to the calls as cProfile has them."""
    stats = tracer.Stats(profile)
    rows = {}
    for label, (primitive, calls, tottime, cumtime, callers) in stats.stats.items():
        rows[label] = Figures(calls, primitive, tottime, cumtime)
        for caller, of_caller in callers.items():
            rows[label, caller] = Figures(*of_caller)
    for label, resumes in stats.resumes.items():
        rows[label].calls += resumes.total
        rows[label].primitive += resumes.primitive
        for caller, of_caller in resumes.callers.items():
            rows[label, caller].calls += of_caller.total
            rows[label, caller].primitive += of_caller.primitive
    return rows


def record(profile, program, during=contextlib.nullcontext(), **options):
    """Both calls stand in one frame, so no frame that ran before enable() ends before disable().
    The garbage collector would run finalizers at moments of its own."""
    gc.collect()
    gc.disable()
    try:
        with during:
            profile.enable(**options)
            program()
            profile.disable()
    finally:
        gc.enable()
    return profile


def compare(theirs, shared, ours, times):
    """Set aside: where a label is shared by several functions, what is primitive and so cumtime.
    cProfile decides it function by function, tracer by row. Calls and tottime simply add up."""
    assert ours.keys() == theirs.keys()
    for key, expected in theirs.items():
        row = ours[key]
        assert row.calls == expected.calls, key
        if times:
            assert row.tottime == times(expected.tottime), key
        labels = (key,) if isinstance(key[0], str) else key
        if shared.isdisjoint(labels):
            assert row.primitive == expected.primitive, key
            if times:
                assert row.cumtime == times(expected.cumtime), key


def exact(seconds):
    return pytest.approx(seconds, rel=1e-12, abs=0)


# -- The tests ---------------------------------------------------------------------------------


def test_counts(program):
    theirs, shared = of_cprofile(record(cProfile.Profile(), program))
    ours = of_tracer(record(tracer.Profile(), program))
    assert len(ours) > 5
    compare(theirs, shared, ours, times=None)


@pytest.mark.parametrize("step, timeunit", [INTEGER_TIMER, FLOAT_TIMER])
def test_times(program, step, timeunit):
    clock = LineClock(step)
    profiles, ends = [], []
    for profile in cProfile.Profile(clock.timer, timeunit), tracer.Profile(clock.timer, timeunit):
        profiles.append(record(profile, program, clock.running()))
        ends.append(clock.now)
    assert ends[0] == ends[1] > 100 * step
    theirs, shared = of_cprofile(profiles[0])
    compare(theirs, shared, of_tracer(profiles[1]), times=exact)


def test_without_builtins_and_without_callers(program):
    """Asked of enable(): from 3.14 on cProfile forgets what its constructor was asked."""
    options = {"subcalls": False, "builtins": False}
    theirs, shared = of_cprofile(record(cProfile.Profile(), program, **options))
    ours = of_tracer(record(tracer.Profile(), program, **options))
    compare(theirs, shared, ours, times=None)
    assert not any(label[0] == "~" or isinstance(label[0], tuple) for label in ours)
