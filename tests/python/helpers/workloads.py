"""Real single-threaded programs for test_parity.py: what they do is the same in every run.

Each is made once, with a folder to write to, and is then called several times.
"""

import ast
import asyncio
import compileall
import contextlib
import copy
import dataclasses
import difflib
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
from pathlib import Path

from places import ROOT

PROGRAMS_FOLDER = ROOT / "benchmarks" / "programs"
DIFFLIB = Path(difflib.__file__)


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
