"""What the tests reach: lines and branches of the extension, of python/tracer and of the page.

    measure.py [--report FILE] [--tests PATH ...]

It builds a private copy with counters in build/coverage, runs every test, and prints a table. With
--report it also writes the table, and what is not reached, to a file; reasons that stand in that
file are kept. With --tests it runs only these, as a try: without the page, and without a report.
The exit status is 1 if a layer has less than its least. It does not trace, since the tests trace.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/mutants"))

import c_code  # noqa: E402
import page_code  # noqa: E402
import python_code  # noqa: E402
from reach import OTHERS  # noqa: E402
from report import Layer, written  # noqa: E402
from tree import copy_of  # noqa: E402

LEAST = {"ext/core": 97, "the rest of ext": 92, "python/tracer": 92, "the page": 92}
# Counting imports mmap, opens a descriptor, writes files at exit and takes time; some tests see it.
FAILED = "what failed may have failed since it was counted: only `make {}` tells whether it passes"
NO_PAGE = "the page is left out, and no report is written: there is no {}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--report", type=Path)
    parser.add_argument("--tests", nargs="+", metavar="PATH")
    options = parser.parse_args()
    place = ROOT / "build/coverage"
    shutil.rmtree(place, ignore_errors=True)
    tree = copy_of(ROOT, place / "tree")
    python = python_code.Marked(tree, place / "hits")
    c_code.build(tree)
    tree.run([str(tree.check)], check=True)
    for backend in tree.backends():
        words = [tree.python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        words += [f"--ignore-glob=*/test_{name}.py" for name in OTHERS]
        words += options.tests or ["tests/python"]
        test("test-python", words, tree.place, TRACER_BACKEND=backend)
    core, others = c_code.layers(tree)
    layers = [
        Layer("ext/core", core),
        Layer("the rest of ext", others),
        Layer("python/tracer", python.files()),
    ]
    missing = [] if options.tests else lacking()
    if missing:
        say(NO_PAGE.format(" and no ".join(missing)))
    with_page = not (options.tests or missing)
    if with_page:
        layers.append(Layer("the page", of_page(place / "page")))
    about = f"CPython {platform.python_version()}, {' and '.join(tree.backends())}, {sources()}"
    text = written(layers, LEAST, about, options.report)
    if options.report and with_page:
        options.report.write_text(text)
    print(text)
    return int(any(layer.share < LEAST[layer.name] for layer in layers))


def sources() -> str:
    """The commit of the sources that are measured."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=sources of %cs (%h)"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def test(target: str, words: list[str], place: Path, **environment: str) -> None:
    code = subprocess.run(words, cwd=place, env={**os.environ, **environment}).returncode
    if code == 1:
        say(FAILED.format(target))
    elif code != 0:
        sys.exit(f"measure.py: {words[0]} ended with {code}: nothing is known of what is reached")


def say(text: str) -> None:
    print(f"measure.py: {text}", file=sys.stderr, flush=True)


# -- The page ------------------------------------------------------------------------------------


def lacking() -> list[str]:
    """The programs that the tests of the page need and that are not here."""
    chromium = subprocess.run([str(ROOT / "tests/tools/need.sh"), "has-chromium"]).returncode == 0
    return [*([] if shutil.which("node") else ["node"]), *([] if chromium else ["Chromium"])]


def of_page(place: Path) -> list:
    in_node, in_browser = place / "node", place / "browser"
    for folder in (in_node, in_browser):
        folder.mkdir(parents=True)
    tests = sorted(str(path) for path in (ROOT / "tests/page").glob("*.test.mjs"))
    test("test-python", ["node", "--test", *tests], ROOT, NODE_V8_COVERAGE=str(in_node))
    words = [sys.executable, "-m", "pytest", "-q", "tests/browser"]
    test("test-browser", words, ROOT, TRACER_PAGE_COVERAGE=str(in_browser))
    return page_code.files(ROOT, in_node, in_browser)


if __name__ == "__main__":
    sys.exit(main())
