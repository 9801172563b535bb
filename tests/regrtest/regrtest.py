"""CPython's own tests as a load: does any of them notice that it runs under tracer?

    regrtest.py [--jobs N] [--seconds N] [--backends NAME,...] [MODULE...]

Runs each module plain and under `python -m tracer` with each back end, each time in a fresh
process that runs runner.py, and lists every test whose outcome is not the plain one. modules.toml
says which modules are run, which tests are left out, and which differences there have to be. Any
other difference that is there again in a second run of the module makes the exit status 1. runs.py
makes the runs.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path

from runs import PLAIN, Run, interrupted, make_run

from tracer._core import BACKENDS

TABLE = Path(__file__).with_name("modules.toml")
LOGS = Path(__file__).parents[2] / "build" / "regrtest" / platform.python_version()
VERSION = sys.version_info[:2]


# -- The table ------------------------------------------------------------------------------------


@dataclass
class Entry:
    """A pattern of tests, where it is in force, and why it stands in the table."""

    test: str
    reason: str
    backends: tuple[str, ...] = BACKENDS
    since: str = "3.11"
    until: str = "3.99"

    def holds(self) -> bool:
        return number(self.since) <= VERSION <= number(self.until)

    def matches(self, test: str) -> bool:
        return fnmatchcase(test, self.test)


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


@dataclass
class Table:
    modules: list[str]
    left_out: list[str]
    entries: list[Entry]

    def explains(self, backend: str, test: str) -> bool:
        return any(backend in entry.backends and entry.matches(test) for entry in self.entries)


def read_table(path: Path) -> Table:
    """The entries of the table that are in force for this Python."""
    with open(path, "rb") as file:
        table = tomllib.load(file)
    left_out = [Entry(test, **rest) for test, rest in table["left_out"].items()]
    entries = [Entry(test, **rest) for test, rest in table["differs"].items()]
    return Table(
        table["modules"].split(),
        [entry.test for entry in left_out if entry.holds()],
        [entry for entry in entries if entry.holds()],
    )


def is_here(module: str) -> bool:
    """Whether this Python has the module: not every installation has the whole test package."""
    spec = find_spec("test")
    folders = (spec and spec.submodule_search_locations) or []
    paths = [Path(folder, *module.split(".")) for folder in folders]
    return any(path.is_dir() or path.with_suffix(".py").is_file() for path in paths)


# -- Comparing ------------------------------------------------------------------------------------


def differences(plain: Run, traced: Run) -> dict[str, str]:
    """Test -> what is different, in words."""
    found = {}
    if traced.end != plain.end:
        found[plain.module] = f"the process {plain.end}; under tracer it {traced.end}"
    elif traced.fault:
        found[plain.module] = traced.fault
    whole = plain.whole and traced.whole
    for test in plain.outcomes.keys() | traced.outcomes.keys():
        before, after = plain.outcomes.get(test), traced.outcomes.get(test)
        # Where a run broke off, the tests that it did not come to are no news.
        if (whole or (before and after)) and (before or {}).keys() != (after or {}).keys():
            found[test] = f"{in_words(before)}; under tracer {in_words(after)}"
    return dict(sorted(found.items()))


def in_words(outcome: dict[str, str] | None) -> str:
    if outcome is None:
        return "not run"
    return " and ".join(
        f"{kind} ({detail})" if detail else kind for kind, detail in outcome.items()
    )


@dataclass
class Result:
    """The runs of one module, and how each back end's differs from the plain one."""

    module: str
    runs: dict[str, Run] = field(default_factory=dict)
    differ: dict[str, dict[str, str]] = field(default_factory=dict)  # by back end

    def unexplained(self, table: Table) -> dict[str, dict[str, str]]:
        found = {}
        for backend, differ in self.differ.items():
            rest = {test: differ[test] for test in differ if not table.explains(backend, test)}
            if rest:
                found[backend] = rest
        return found

    def expected(self, table: Table, backend: str) -> int:
        return sum(table.explains(backend, test) for test in self.differ[backend])


def run_module(
    module: str, backends: list[str], table: Table, seconds: float, folder: Path, logs: Path
) -> Result:
    logs.mkdir(exist_ok=True)
    result = Result(module)
    for backend in [PLAIN, *backends]:
        run = make_run(module, backend, table.left_out, seconds, folder, logs)
        result.runs[backend] = run
        if backend != PLAIN:
            result.differ[backend] = differences(result.runs[PLAIN], run)
    return result


def is_confirmed(first: Result, again: Result, backend: str, test: str) -> bool:
    """Whether a difference of `first` is there `again`, in a test that is steady when it runs
    plain. A death by a signal is one even if it happens once."""
    if test == first.module and first.runs[backend].died:
        return True
    unsteady = differences(first.runs[PLAIN], again.runs[PLAIN])
    return test in again.differ[backend] and test not in unsteady


def stale(table: Table, results: list[Result]) -> list[str]:
    """The entries of the table that explain nothing, though the tests that they match were run."""
    found = []
    for entry in table.entries:
        for backend in entry.backends:
            ran = [
                test
                for result in results
                if backend in result.runs
                for test, outcome in result.runs[PLAIN].outcomes.items()
                if entry.matches(test) and "skipped" not in outcome
                if test in result.runs[backend].outcomes
            ]
            differ = any(entry.matches(t) for r in results for t in r.differ.get(backend, ()))
            if ran and not differ:
                found.append(f"{entry.test} ({backend})")
    return found


# -- Printing -------------------------------------------------------------------------------------


def line_of(result: Result, table: Table) -> str:
    plain = result.runs[PLAIN]
    parts = [
        f"{result.module:<32}",
        f"{len(plain.outcomes):>5} tests",
        f"plain {plain.seconds:5.1f} s",
    ]
    for backend, differ in result.differ.items():
        expected = result.expected(table, backend)
        parts.append(f"{backend} {result.runs[backend].seconds:5.1f} s")
        if expected:
            parts.append(f"{expected} expected to differ")
        if len(differ) > expected:
            parts.append(f"{len(differ) - expected} DIFFER")
    return "  ".join(parts)


def run_again(first: Result, table: Table, run: Callable[..., Result]) -> int:
    """Runs a module that differs once more; prints what came of each difference; how many stay."""
    print(f"{first.module} again:", flush=True)
    again = run(first.module, "again")
    blamed = 0
    for backend, differ in first.unexplained(table).items():
        for test, words in differ.items():
            stays = is_confirmed(first, again, backend, test)
            blamed += stays
            verdict = "DIFFERS" if stays else "differed once"
            print(f"    {verdict} with {backend}: {test}\n        {words}", flush=True)
    return blamed


def run_all(options: argparse.Namespace, table: Table, modules: list[str], folder: Path) -> int:
    start = time.monotonic()
    results: list[Result] = []

    def run(module: str, logs: str = "") -> Result:
        place = options.logs / logs
        return run_module(module, options.backends, table, options.seconds, folder, place)

    with ThreadPoolExecutor(options.jobs) as pool:
        try:
            for future in as_completed([pool.submit(run, module) for module in modules]):
                results.append(future.result())
                print(line_of(results[-1], table), flush=True)
        except BaseException:
            interrupted.set()
            pool.shutdown(cancel_futures=True)
            raise
    # One after the other, so that nothing else in here is to blame.
    blamed = sum(run_again(result, table, run) for result in results if result.unexplained(table))
    broken = [r.module for r in results if not r.runs[PLAIN].outcomes or not r.runs[PLAIN].whole]
    for module in broken:
        print(f"{module}: it does not run plain, so nothing was compared: see {options.logs}")
    for entry in stale(table, results):
        print(f"{options.table.name}: out of date, for it does not differ any more: {entry}")

    tests = sum(len(result.runs[PLAIN].outcomes) for result in results)
    expected = sum(
        result.expected(table, backend) for result in results for backend in result.differ
    )
    print(
        f"Python {platform.python_version()}: {tests} tests of {len(results)} modules, plain and "
        f"with {' and '.join(options.backends)}: {blamed} differ, {expected} more are expected to; "
        f"{time.monotonic() - start:.0f} s"
    )
    return 1 if blamed or broken else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="test_json ... (default: those of modules.toml)")
    parser.add_argument("--jobs", type=int, default=2, help="how many modules at once")
    parser.add_argument("--seconds", type=float, default=180.0, help="how long one run may take")
    parser.add_argument(
        "--backends",
        type=lambda names: names.split(","),
        default=list(BACKENDS),
        help="default: %(default)s",
    )
    parser.add_argument("--logs", type=Path, default=LOGS, help="where what is printed is kept")
    parser.add_argument("--table", type=Path, default=TABLE, help="default: %(default)s")
    options = parser.parse_args()
    for module in options.modules:
        if not is_here(module):
            parser.error(f"this Python has no module test.{module}")
    # In the background or under nohup these are ignored, and the tests would inherit that.
    for ignored in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(ignored) is signal.SIG_IGN:
            signal.signal(ignored, lambda number, frame: None)
    table = read_table(options.table)
    modules = options.modules or [module for module in table.modules if is_here(module)]
    if not options.modules and (missing := set(table.modules).difference(modules)):
        print(f"NOT RUN, because this Python lacks them: {' '.join(sorted(missing))}", flush=True)
    if not modules:
        print(
            "regrtest: this Python lacks CPython's tests (Debian: libpython3.x-testsuite)",
            file=sys.stderr,
        )
        return 2
    shutil.rmtree(options.logs, ignore_errors=True)
    options.logs.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="regrtest-") as folder:
        return run_all(options, table, modules, Path(folder))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
