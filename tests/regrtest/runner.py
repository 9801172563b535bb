"""The program that is run plain and under tracer: one module of CPython's tests, by unittest.

    runner.py OUTCOMES MODULE [PATTERN...]

Appends a line of JSON to the file OUTCOMES when a test begins and when it has ended, so that a
crash leaves what came before it; tests that match a PATTERN are left out. Knows nothing of tracer.
"""

import faulthandler
import fnmatch
import importlib
import json
import os
import sys
import time
import unittest

PID = os.getpid()


def plain_id(test):
    return test.id().removeprefix("test.")


class Outcomes(unittest.TestResult):
    """Writes down what became of each test; prints the traceback of what failed."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.seen = {}
        self.current = None
        self.kinds = {}

    def write(self, *line):
        # Opened each time, because tests close file descriptors; and not by a child that a test
        # forked and that came here by an exception.
        if os.getpid() == PID:
            with open(self.path, "a", encoding="utf-8") as file:
                print(json.dumps(line), file=file)

    def name_of(self, test):
        """The id of a test; of a later one with the same id, as doctests have, with a number."""
        name = plain_id(test)
        self.seen[name] = number = self.seen.get(name, 0) + 1
        return name if number == 1 else f"{name} #{number}"

    def startTest(self, test):
        super().startTest(test)
        self.current = self.name_of(test)
        self.kinds = {}
        self.write("begin", self.current)
        self.started = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        if self.current is None:
            return  # skipped: 3.12.1 says so without a beginning
        seconds = time.monotonic() - self.started
        self.write("end", self.current, self.kinds or {"ok": ""}, round(seconds, 3))
        self.current = None

    def note(self, kind, test, detail):
        """Subtests are noted in the test they belong to, fixtures under a name of their own."""
        detail = detail.strip()
        if kind in ("failure", "error"):
            print(f"\n=== {kind}: {test.id()}\n{detail}", file=sys.stderr, flush=True)
            detail = detail.rpartition("\n")[2]
        if self.current is not None:
            self.kinds.setdefault(kind, detail)
        else:
            self.write("end", self.name_of(test), {kind: detail}, 0.0)

    def addError(self, test, err):
        self.note("error", test, self._exc_info_to_string(err, test))

    def addFailure(self, test, err):
        self.note("failure", test, self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        self.note("skipped", test, reason)

    def addExpectedFailure(self, test, err):
        self.note("expected failure", test, "")

    def addUnexpectedSuccess(self, test):
        self.note("unexpected success", test, "")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            kind = "failure" if issubclass(err[0], test.failureException) else "error"
            self.note(kind, subtest, self._exc_info_to_string(err, subtest))


def selected(suite, patterns):
    """The same suite without the tests that match one of `patterns`."""
    chosen = unittest.TestSuite()
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            chosen.addTest(selected(part, patterns))
        elif not any(fnmatch.fnmatchcase(plain_id(part), pattern) for pattern in patterns):
            chosen.addTest(part)
    return chosen


def main(path, name, *patterns):
    # On SIGABRT, which a run that takes too long is sent, each thread says where it is.
    faulthandler.enable()
    from test import support

    # No test is asked for that needs a network, a display, much memory or much time.
    support.use_resources = []
    outcomes = Outcomes(path)
    try:
        importlib.import_module(name)
    except unittest.SkipTest as reason:
        outcomes.write("end", name.removeprefix("test."), {"skipped": str(reason)}, 0.0)
    else:
        suite = unittest.defaultTestLoader.loadTestsFromName(name)
        selected(suite, patterns).run(outcomes)
    outcomes.write("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
