"""--workers=N: each file of tests is collected and run in a process of its own, N of them at a
time. Each is a fork of the process that pytest began in, and that one reports what they tell.

So a file of tests has the same process whatever runs beside it, and a small one: what all files
make when they are collected, a million objects, is in each collection of garbage, in each fork and
in each census of objects, which then take twice the time of all tests.

This is not pytest-xdist: each worker of that has a thread which waits for messages, and a profile
of all threads shows that thread.
"""

import os
import time
import traceback
from dataclasses import dataclass, field
from multiprocessing.connection import Pipe, wait
from pathlib import Path
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
    if config.getoption("workers") and not config.option.collectonly:
        config.pluginmanager.register(Workers(config))


@dataclass
class File:
    """A file of tests, and how far the run of it is."""

    path: Path
    words: list[str] = field(default_factory=list)  # pytest's, which name it, or tests of it
    first: int = 0  # the number of the test to begin with
    seconds: float = 0.0


@dataclass
class Worker:
    """The process that has a file, as the first one sees it."""

    pid: int
    file: File
    began: float = field(default_factory=time.monotonic)
    tests: int | None = None  # how many it has collected
    test: tuple | None = None  # at which it is: number, name and location
    done: bool = False

    def ended(self):
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return f"by signal {-status}" if status < 0 else f"with exit status {status}"


class Workers:
    def __init__(self, config):
        self.config, self.hook = config, config.hook
        self.waiting = []  # the files that nobody has, the next one last
        self.workers = {}  # by the connection to each

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session):
        """Finds the files alone: the process that runs one collects its tests."""
        session.testscollected = 0
        self.waiting = files_of(self.config)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.config._tmp_path_factory.getbasetemp()  # here, and so the same for all
        cache = getattr(self.config, "cache", None)  # none with -p no:cacheprovider
        known = cache.get(SECONDS, {}) if cache else {}
        files = list(self.waiting)
        # The file that took longest is begun first; before it those whose time is unknown, those
        # that are known to be long first, then the largest: one of them is at the end what the
        # others wait for.
        self.waiting.sort(key=lambda file: self.length(file, known))
        try:
            while self.waiting or self.workers:
                while self.waiting and len(self.workers) < self.config.getoption("workers"):
                    self.fork(session, self.waiting.pop())
                for connection in wait(self.workers):
                    self.hear(session, connection)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
        finally:
            for worker in self.workers.values():
                os.kill(worker.pid, 9)
                worker.ended()
        if cache:
            cache.set(SECONDS, known | {self.name_of(file): file.seconds for file in files})
        return True

    def name_of(self, file):
        return os.path.relpath(file.path, self.config.rootpath)

    def length(self, file, known):
        """What a file of tests is begun by: its seconds, or where none are known, its size."""
        name = self.name_of(file)
        if name in known:
            return (0, known[name])
        return (2 if file.path.name in LONG else 1, file.path.stat().st_size)

    def fork(self, session, file):
        ours, theirs = Pipe()
        pid = os.fork()
        if pid:
            theirs.close()
            self.workers[ours] = Worker(pid, file)
            return
        try:
            for connection in [ours, *self.workers]:
                connection.close()  # otherwise this process would not see the other end go
            work(session, file, theirs)
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
            worker.file.seconds += time.monotonic() - worker.began
            self.ended(session, worker)
            return
        if kind == "collected":
            [worker.tests] = told
            session.testscollected += worker.tests if worker.file.first == 0 else 0
        elif kind == "test":
            worker.test = tuple(told)
        elif kind == "report":
            report = self.hook.pytest_report_from_serializable(config=self.config, data=told[0])
            self.take(report)
        elif kind == "warning":
            message, path, line, when, name = told
            warning = WarningMessage(message, UserWarning, path, line)
            self.hook.pytest_warning_recorded.call_historic(
                kwargs={"warning_message": warning, "when": when, "nodeid": name, "location": None}
            )
        elif kind == "refused":
            raise pytest.UsageError(*told)
        elif kind == "done":
            worker.done = True

    def take(self, report):
        if isinstance(report, pytest.CollectReport):
            self.hook.pytest_collectreport(report=report)
        else:
            self.hook.pytest_runtest_logreport(report=report)

    def ended(self, session, worker):
        """A process has ended: after its last test, or at one, or while it collected them, which
        has failed then."""
        ended, file = worker.ended(), worker.file
        if worker.done:
            return
        said = f"the process that ran this ended {ended}"
        if worker.test is None:
            self.take(pytest.CollectReport(self.name_of(file), "failed", said, []))
            return
        number, name, location = worker.test
        self.take(pytest.TestReport(name, location, {}, "failed", said, "call"))
        file.first = number + 1
        if file.first < worker.tests:
            self.fork(session, file)


def files_of(config):
    """What pytest's arguments name, by file; in a folder, the files that no hook leaves out."""
    files = {}
    for word in config.args:
        path = (config.invocation_params.dir / word.partition("::")[0]).resolve()
        if not path.exists():
            raise pytest.UsageError(f"file or directory not found: {word}")
        found = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        for one in found:
            if not path.is_dir():
                files.setdefault(one, File(one)).words.append(word)
            elif not config.hook.pytest_ignore_collect(collection_path=one, config=config):
                files.setdefault(one, File(one)).words.append(str(one))
    return list(files.values())


# -- In a worker -----------------------------------------------------------------------------------


class Teller:
    def __init__(self, config, connection):
        self.config, self.connection = config, connection
        self.begun = False  # a plugin hears of all warnings before it, of other files, too

    def pytest_runtest_logreport(self, report):
        hook = self.config.hook
        data = hook.pytest_report_to_serializable(config=self.config, report=report)
        self.connection.send(("report", data))

    def pytest_collectreport(self, report):
        if not report.passed:
            self.pytest_runtest_logreport(report)

    def pytest_warning_recorded(self, warning_message, when, nodeid, location):
        if not self.begun:
            return
        said = f"{warning_message.category.__name__}: {warning_message.message}"
        where = (warning_message.filename, warning_message.lineno)
        self.connection.send(("warning", said, *where, when, nodeid))


def work(session, file, connection):
    manager = session.config.pluginmanager
    manager.unregister(manager.get_plugin("terminalreporter"))
    teller = Teller(session.config, connection)
    manager.register(teller)
    teller.begun = True
    capture = manager.get_plugin("capturemanager")
    capture.stop_global_capturing()  # into a file of all processes
    capture.start_global_capturing()
    try:
        items = session.perform_collect(file.words)
    except pytest.UsageError as error:
        connection.send(("refused", *error.args))
        return
    connection.send(("collected", len(items)))
    for number in range(file.first, len(items)):
        item = items[number]
        connection.send(("test", number, item.nodeid, item.location))
        following = items[number + 1] if number + 1 < len(items) else None
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    connection.send(("done",))
