"""One mutant at a time: put into a tree, built, held against the tests that reach it, taken out.

Which mutants there are is not here, nor what is made of a verdict.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
from contextlib import suppress
from types import CodeType

from changes import Mutant
from reach import NO_PLUGINS, Reach, Test
from tree import Tree

MEMORY = 6 * 2**30  # bytes of address space that a test may take
START = 4.0  # seconds that pytest needs before the first test, at the most
FILE = 0.3  # seconds that it needs to collect one file, at the most
CHECK_LIMIT = 600.0  # seconds that the suites of the core may compute for without any change
PATIENCE = 3.0  # how many times longer than before a test may compute
WAITING = 5.0  # how many times longer than that it may take on a busy machine
UNSTEADY = 3  # after so many failures that do not repeat alone, the mutant counts as not noticed
TIMEOUT = 1000  # the status of a program that took too long
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+\.py(?:::.*?)?)(?: - .*)?$", re.MULTILINE)


class Trial:
    """One mutant at a time in a tree: put in, built, tested, taken out."""

    def __init__(self, tree: Tree, reach: Reach, check_seconds: float) -> None:
        self.tree = tree
        self.reach = reach
        self.backends = tree.backends()
        self.left_out: set[Test] = set()
        self.check_seconds = check_seconds  # of seconds_of_check()

    def put_in(self, mutant: Mutant) -> bool:
        """Makes the change. False, and nothing is changed, unless a different program compiles."""
        path = self.tree.place / mutant.path
        text = path.read_text()
        changed = mutant.change.applied(text)
        if mutant.path.endswith(".py") and not differs(text, changed):
            return False
        path.write_text(changed)
        if mutant.path.endswith(".py") or self.tree.remake(mutant.path) == "built":
            return True
        path.write_text(text)
        return False

    def take_out(self, mutant: Mutant) -> None:
        self.tree.put_back(mutant.path)

    def noticed_by(self, mutant: Mutant, budget: float) -> tuple[str, bool]:
        """The test that notices it, or ""; and whether all tests that reach it were tried."""
        if mutant.path.startswith("ext/core/") and self.check_fails():
            return "tests/core", True
        text = (self.tree.place / mutant.path).read_text()
        widely = mutant.path.endswith(".c") and budget == float("inf")
        reaching = self.reach.of(mutant.path, mutant.line, text, widely=widely)
        tests = [test for test in reaching if test not in self.left_out]
        tests.sort(key=lambda test: (self.reach.seconds[test], test))
        chosen, rest = self.affordable(tests, budget)
        for backend in self.backends:
            names = [name for one, name in chosen if one == backend]
            found = self.first_to_fail(backend, names)
            if found:
                return found, True
        return "", not rest

    def affordable(self, tests: list[Test], budget: float) -> tuple[list[Test], list[Test]]:
        """The first tests whose times add up to the budget, and the rest. Only the best of the back
        ends that reach it is for the first pass, which has a budget."""
        spent, chosen = 0.0, []
        best = min((backend for backend, _ in tests), key=self.backends.index, default=None)
        for test in tests:
            if budget < float("inf") and test[0] != best:
                continue
            spent += self.reach.seconds[test]
            if chosen and spent > budget:
                break
            chosen.append(test)
        taken = set(chosen)
        return chosen, [test for test in tests if test not in taken]

    def check_fails(self) -> bool:
        allowed = self.check_seconds * PATIENCE
        status, _ = run([str(self.tree.check)], self.tree, allowed, CK_FORK="no")
        return status != 0

    def first_to_fail(self, backend: str, names: list[str]) -> str:
        """The first of these tests that fails, and fails again when run alone. A test that fails
        only in the company of others tells nothing of the mutant."""
        names = self.by_file(backend, names)
        for _ in range(UNSTEADY):
            if not names:
                break
            status, said = self.pytest(backend, names)
            if status == 0:
                break
            found = FAILED.search(said)
            if found is None or found[1] not in names:
                return "a timeout" if status == TIMEOUT else f"a crash ({status})"
            if self.fails((backend, found[1])):
                return found[1]
            print(f"  {found[1]} failed in company alone", flush=True)
            names = [name for name in names if name != found[1]]
        return ""

    def by_file(self, backend: str, names: list[str]) -> list[str]:
        """The names with the quickest file first. The tests of a file stay in order, since some
        need what others of the file leave behind."""
        chosen, files = set(names), {name.partition("::")[0]: 0.0 for name in names}
        for name in names:
            files[name.partition("::")[0]] += self.reach.seconds[backend, name]
        in_order = [name for one, name in self.reach.seconds if one == backend and name in chosen]
        return sorted(in_order, key=lambda name: files[name.partition("::")[0]])

    def unknown(self) -> list[Test]:
        """Tests that pytest does not know by the name that it gave them."""
        found = []
        for backend in sorted({backend for backend, _ in self.reach.seconds}):
            names = [name for one, name in self.reach.seconds if one == backend]
            said = self.pytest(backend, names, "--collect-only", "--continue-on-collection-errors")[
                1
            ]
            found += [
                (backend, name)
                for name in names
                if f"not found: {self.tree.place / name}\n" in said
            ]
        return found

    def fails(self, test: Test) -> bool:
        return self.pytest(test[0], [test[1]])[0] != 0

    def pytest(self, backend: str, names: list[str], *words: str) -> tuple[int, str]:
        seconds = sum(self.reach.seconds.get((backend, name), 1.0) for name in names)
        files = len({name.partition("::")[0] for name in names})
        start = [self.tree.python, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
        allowed = (START + files * FILE + seconds) * PATIENCE + 10
        return run([*start, *words, *names], self.tree, allowed, TRACER_BACKEND=backend)


def seconds_of_check(tree: Tree) -> float:
    """The seconds that the suites of the core compute for, without any change."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status, _ = run([str(tree.check)], tree, CHECK_LIMIT, CK_FORK="no")
    if status != 0:
        raise SystemExit(
            f"mutants: the suites of the core fail without any change: status {status}"
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def differs(text: str, changed: str) -> bool:
    """Whether the changed text compiles to another program than before."""
    try:
        after = compile(changed, "module", "exec")
    except (SyntaxError, ValueError):
        return False
    return bare(after) != bare(compile(text, "module", "exec"))


def bare(code: CodeType) -> CodeType:
    """Code without its positions in the text."""
    constants = [bare(one) if isinstance(one, CodeType) else one for one in code.co_consts]
    return code.replace(co_linetable=b"", co_consts=tuple(constants))


def run(words: list[str], tree: Tree, seconds: float, **environment: str) -> tuple[int, str]:
    """Runs a program, which may compute for so many seconds: its status, and what it said. All
    processes that it started end with it."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))

    process = subprocess.Popen(
        words,
        cwd=tree.place,
        env={**os.environ, "COLUMNS": "1000", **NO_PLUGINS, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=limit,
    )
    try:
        said = process.communicate(timeout=seconds * WAITING)[0]
        return process.returncode, said
    except subprocess.TimeoutExpired:
        return TIMEOUT, ""
    finally:
        end_group(process)


def end_group(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
