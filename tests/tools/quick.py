"""`make quick`: of lint and tests, what a change of these files needs, in three minutes at most.

    python tests/tools/quick.py [--since REVISION] [--list] [--seconds N]

The change is what differs from REVISION, new files included, committed or not; without it, from
what upstream has, or from the last commit. A test is asked the sooner the more it is about the
change: the changed files of tests, those that name a changed module, that of the page of messages,
those of the verbs that name the module, those of its room (tests/README.md). The last line counts
them, and those that find no room in the time. `make test` runs all there are.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON_TESTS = ROOT / "tests" / "python"
sys.path.append(str(PYTHON_TESTS / "helpers"))

from workers import LONG  # noqa: E402

SECONDS = ROOT / ".pytest_cache" / "v" / "tracer" / "seconds"  # by helpers/workers.py
UNKNOWN, LONG_ONE = 3.0, 60.0  # seconds for a file of tests that no run has timed
MOST = 110.0  # seconds for the Python tests: lint and the C tests have the rest of three minutes
WORKERS = (os.cpu_count() or 1) + 1
MESSAGES = PYTHON_TESTS / "project" / "test_docs_messages.py"  # of each message of the sources
# Where the tests of a folder of sources stand, unless a room has its name.
ROOMS = {
    "ext": [
        "ext/calls",
        "ext/threads",
        "ext/suspensions",
        "ext/lines",
        "ext/memory",
        "ext/timeline",
        "ext/native",
    ],
    "python/tracer/runtime": ["launch"],
    "tests/page": ["page"],
    "benchmarks": ["project"],
    "docs": ["project"],
    "tests/tools": ["project"],
    "tests/mutants": ["project"],
    "tests/coverage": ["project"],
    "tests/regrtest": ["project"],
}


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return [name for name in done.stdout.split("\0") if name]


def changed_since(revision: str | None) -> list[str]:
    """The changed files that are there, as paths from the root."""
    if revision is None:
        upstream = subprocess.run(
            ["git", "merge-base", "HEAD", "@{upstream}"], cwd=ROOT, capture_output=True, text=True
        )
        revision = upstream.stdout.strip() or "HEAD"
    names = git("diff", "--name-only", "-z", revision)
    names += git("ls-files", "-z", "--others", "--exclude-standard")
    if not names:
        names = git("diff", "--name-only", "-z", "HEAD~1")
    return [name for name in dict.fromkeys(names) if (ROOT / name).is_file()]


def rooms_of(name: str) -> Iterator[str]:
    """The rooms of the tests of a source file, the nearest first."""
    for folder in Path(name).parents:
        if folder.parts[:2] == ("python", "tracer") and len(folder.parts) == 3:
            room = PYTHON_TESTS / folder.name
            yield from [folder.name] if room.is_dir() else ROOMS.get(folder.as_posix(), [])
        else:
            yield from ROOMS.get(folder.as_posix(), [])
    if name.endswith(".md"):
        yield "project"


def words_of(name: str) -> re.Pattern[str] | None:
    """What a test that is about this file has in its text."""
    path = Path(name)
    if path.suffix == ".py" and path.parts[:2] == ("python", "tracer"):
        module = ".".join(path.with_suffix("").parts[1:])
        package, _, last = (re.escape(part) for part in module.rpartition("."))
        return re.compile(rf"\b{package}\.{last}\b|\bfrom {package} import .*\b{last}\b")
    if path.is_relative_to("tests/python/helpers"):
        return re.compile(rf"\b(?:from|import) {path.stem}\b|\b{re.escape(path.name)}\b")
    if path.is_relative_to("ext") or path.is_relative_to("tests"):
        return re.compile(rf"\b{re.escape(path.name)}\b")
    return None


def verbs_of(name: str) -> list[str]:
    """The verbs whose modules name this one, or are it."""
    wanted = words_of(name) if name.startswith("python/") else None
    commands = sorted((ROOT / "python/tracer/cli/commands").glob("[a-z]*.py"))
    return [
        file.stem
        for file in commands
        if file == ROOT / name or (wanted and wanted.search(file.read_text()))
    ]


def tests_of(changed: Iterable[str]) -> list[Path]:
    """The files of tests, those that are most about the change first."""
    files = sorted(PYTHON_TESTS.glob("**/test_*.py"))
    texts = {file: file.read_text() for file in files}
    own = [ROOT / name for name in changed if ROOT / name in texts]
    about = [
        file
        for name in changed
        if (wanted := words_of(name))
        for file in files
        if wanted.search(texts[file])
    ]
    if any(name.startswith(("python/tracer/", "ext/")) for name in changed):
        about.append(MESSAGES)
    through = [
        file
        for name in changed
        for verb in verbs_of(name)
        for file in files
        if file.name.startswith(f"test_command_{verb}")
    ]
    near = [
        file
        for name in changed
        for room in rooms_of(name)
        for file in files
        if file.parent == PYTHON_TESTS / room
    ]
    return list(dict.fromkeys([*own, *about, *through, *near]))


def chosen(tests: list[Path], most: float) -> list[Path]:
    """As many of them as fit into the time; a changed file of tests always does."""
    known = json.loads(SECONDS.read_text()) if SECONDS.exists() else {}
    taken, left = [], most * (os.cpu_count() or 1)
    for file in tests:
        guess = LONG_ONE if file.name in LONG else UNKNOWN
        seconds = known.get(file.relative_to(ROOT).as_posix(), guess)
        if seconds <= left:
            taken.append(file)
            left -= seconds
    return taken


def lint(changed: list[str]) -> Iterator[list[str]]:
    """The commands that look at the form of the changed files."""
    tools = Path(sys.executable).parent
    python = [name for name in changed if name.endswith(".py")]
    c = [name for name in changed if name.endswith((".c", ".h"))]
    if python:
        yield [str(tools / "ruff"), "check", *python]
        yield [str(tools / "ruff"), "format", "--check", *python]
    if any(name.startswith("python/") for name in changed):
        yield [str(tools / "mypy")]
    if c:
        yield [str(tools / "clang-format"), "--dry-run", "-Werror", *c]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--since", metavar="REVISION")
    parser.add_argument("--list", action="store_true", help="print the tests, and run nothing")
    parser.add_argument("--seconds", type=float, default=MOST, help="for the Python tests")
    options = parser.parse_args()
    changed = changed_since(options.since)
    tests = tests_of(changed)
    files = [str(file.relative_to(ROOT)) for file in chosen(tests, options.seconds)]
    if options.list:
        print(*files, sep="\n")
        return 0
    commands = list(lint(changed))
    if any(name.startswith(("ext/core/", "tests/core/")) for name in changed):
        commands.append(["make", "--no-print-directory", "test-core"])
    if files:
        commands.append([sys.executable, "-m", "pytest", "-q", f"--workers={WORKERS}", *files])
    failed = [words for words in commands if subprocess.run(words, cwd=ROOT).returncode]
    for words in failed:
        print("quick: FAILED:", *words[:6], *(["..."] if len(words) > 6 else []))
    share = f"{len(files)} of the {len(tests)} files of tests that are near them"
    print(f"quick: {len(changed)} changed files; {share}; make test has all")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
