"""--workers=N: the tests run in N processes side by side, a file of tests at a time. Each is a fork
of the process that collected the tests, and that one reports what they tell.

This is not pytest-xdist: each worker of that has a thread which waits for messages, and a profile
of all threads shows that thread.
"""

import os
import traceback
from itertools import groupby
from multiprocessing.connection import Pipe, wait
from operator import attrgetter
from warnings import WarningMessage

import pytest

# Files of few tests which take long. A run that knows no times begins with these.
LONG = ["test_line_conformance.py", "test_benchmarks_timeline.py", "test_benchmarks_memory.py"]
LONG += ["test_memory_conformance.py", "test_mutants.py", "test_build_refusals.py"]
LONG += ["test_memory_survival.py", "test_lines_beside.py", "test_lprof.py"]
SECONDS = "tracer/seconds"  # what each file of tests took the last time, in pytest's cache


def pytest_addoption(parser):
    parser.addoption("--workers", type=int, metavar="N", help="run the tests in N processes")


def pytest_configure(config):
    if config.getoption("workers"):
        config.pluginmanager.register(Workers(config))


class Worker:
    """One of the processes, as the first one sees it."""

    def __init__(self, pid):
        self.pid = pid
        self.file = self.test = None  # at which it is: numbers

    def ended(self):
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return f"by signal {-status}" if status < 0 else f"with exit status {status}"


class Workers:
    def __init__(self, config):
        self.config, self.hook = config, config.hook
        self.files = []  # the tests of each
        self.waiting = []  # (a file that nobody has, its first test to be run), the next one last
        self.workers = {}  # by the connection to each
        self.seconds = {}  # by file

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        if session.testsfailed or self.config.option.collectonly:
            return None  # pytest sees to it
        self.files = [list(items) for _, items in groupby(session.items, attrgetter("path"))]
        self.config._tmp_path_factory.getbasetemp()  # here, and so the same for all
        cache = getattr(self.config, "cache", None)  # none with -p no:cacheprovider
        known = cache.get(SECONDS, {}) if cache else {}
        self.waiting = [(number, 0) for number in range(len(self.files))]
        # The file that took longest is begun first; before it those whose time is unknown, those
        # that are known to be long first, then the one with the most tests: one of them is at the
        # end what the others wait for.
        self.waiting.sort(key=lambda one: self.length(self.files[one[0]], known))
        try:
            for _ in range(self.config.getoption("workers")):
                self.fork(session)
            while self.workers:
                for connection in wait(self.workers):
                    self.hear(session, connection)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
        finally:
            for worker in self.workers.values():
                os.kill(worker.pid, 9)
                worker.ended()
        if cache:
            cache.set(SECONDS, known | self.seconds)
        return True

    @staticmethod
    def length(items, known):
        """What a file of tests is begun by: its seconds, or where none are known, its tests."""
        name = name_of(items[0])
        if name in known:
            return (0, known[name])
        return (2 if os.path.basename(name) in LONG else 1, len(items))

    def fork(self, session):
        ours, theirs = Pipe()
        pid = os.fork()
        if pid:
            theirs.close()
            self.workers[ours] = Worker(pid)
            return
        try:
            for connection in [ours, *self.workers]:
                connection.close()  # otherwise this worker would not see the other end go
            work(session, self.files, theirs)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)

    def hear(self, session, connection):
        worker = self.workers[connection]
        try:
            kind, *told = connection.recv()
        except (EOFError, ConnectionResetError):
            del self.workers[connection]
            self.lost(session, worker)
            return
        if kind == "next":
            worker.file, worker.test = self.waiting.pop() if self.waiting else (None, None)
            connection.send((worker.file, worker.test))
        elif kind == "test":
            [worker.test] = told
        elif kind == "report":
            report = self.hook.pytest_report_from_serializable(config=self.config, data=told[0])
            name = name_of(report)
            self.seconds[name] = self.seconds.get(name, 0.0) + report.duration
            self.hook.pytest_runtest_logreport(report=report)
        elif kind == "warning":
            message, path, line, when, name = told
            warning = WarningMessage(message, UserWarning, path, line)
            self.hook.pytest_warning_recorded.call_historic(
                kwargs={"warning_message": warning, "when": when, "nodeid": name, "location": None}
            )

    def lost(self, session, worker):
        """A worker has ended: after its last file, or at a test, which has failed then."""
        ended = worker.ended()
        if worker.file is None:
            return
        items = self.files[worker.file]
        item = items[worker.test]
        said = f"the process that ran this test ended {ended}"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
        self.hook.pytest_runtest_logreport(report=report)
        if worker.test + 1 < len(items):
            self.waiting.append((worker.file, worker.test + 1))
        self.fork(session)


def name_of(test):
    """The file of a test or a report."""
    return test.nodeid.partition("::")[0]


# -- In a worker -----------------------------------------------------------------------------------


class Teller:
    def __init__(self, config, connection):
        self.config, self.connection = config, connection

    def pytest_runtest_logreport(self, report):
        hook = self.config.hook
        data = hook.pytest_report_to_serializable(config=self.config, report=report)
        self.connection.send(("report", data))

    def pytest_warning_recorded(self, warning_message, when, nodeid, location):
        said = f"{warning_message.category.__name__}: {warning_message.message}"
        where = (warning_message.filename, warning_message.lineno)
        self.connection.send(("warning", said, *where, when, nodeid))


def work(session, files, connection):
    manager = session.config.pluginmanager
    manager.unregister(manager.get_plugin("terminalreporter"))
    manager.register(Teller(session.config, connection))
    capture = manager.get_plugin("capturemanager")
    capture.stop_global_capturing()  # into a file of all processes
    capture.start_global_capturing()
    while True:
        connection.send(("next",))
        file, first = connection.recv()
        if file is None:
            return
        items = files[file]
        for number in range(first, len(items)):
            connection.send(("test", number))
            following = items[number + 1] if number + 1 < len(items) else None
            session.config.hook.pytest_runtest_protocol(item=items[number], nextitem=following)
