"""What holds for all tests: the back end they run with is named at the head of a run and in its
closing line; no collection of garbage calls a function of the tools that test; a test ends its
threads. Then the fixtures of several files; what else they share is in the helper modules beside
this (see ../README.md).
"""

import _thread
import ctypes
import functools
import gc
import os
import re
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE / "helpers"))

try:
    import tracer
    from allocations import KEPT
    from asking import port_of
    from clibrary import compiled
    from foreign import ForeignThread
    from hooks import BACKENDS, held
    from rows import Clock
except ImportError as error:  # told at the head, and by each test that imports it
    tracer, BACKENDS, BROKEN = None, [], error

pytest_plugins = ["once_more", "workers"]

# What the tests of a room are about, unless their file has marks of its own: pytestmark.
# pyproject.toml says what each mark means.
MARKS = {
    "analysis": {"results"},
    "cli": {"programs"},
    "compat": {"programs"},
    "data": {"results"},
    "exports": {"results"},
    "ext/lines": {"lines"},
    "integrations": {"lines", "programs"},
    "launch": {"programs"},
    "page": {"results"},
    "project": {"project"},
    "report": {"results"},
    "results": {"results"},
    "server": {"results"},
}


class Part(NamedTuple):
    """What a run has: the files with one of these marks (None: any file), but for others."""

    of: set[str] | None
    without: set[str]

    def has(self, marks):
        return (self.of is None or bool(self.of & marks)) and not self.without & marks


# What a run with --only= has.
PARTS = {
    "package": Part(None, {"project"}),
    "interpreter": Part(None, {"project", "results"}),
    "backend": Part(None, {"project", "results", "lines"}),
    "extension": Part(None, {"project", "results", "programs"}),
    "programs": Part({"programs"}, {"project", "results"}),
}
ONCE_IS_ENOUGH = os.environ.get("TRACER_BACKEND") in BACKENDS[1:]


def pytest_addoption(parser):
    parser.addoption(
        "--only",
        choices=sorted(PARTS),
        action="append",
        default=["backend"] if ONCE_IS_ENOUGH else [],
        help="run the tests alone that another version of the interpreter can change, or another "
        "of its back ends; or those that enter the extension in a way of their own; or, of what an "
        "interpreter can change, the others",
    )


@functools.cache
def marks_of(file):
    """The marks of a file of tests: its own, else those of its room."""
    own = re.search(r"^pytestmark = (.+)", file.read_text(), re.MULTILINE)
    if own:
        return set(re.findall(r"pytest\.mark\.(\w+)", own[1]))
    room = file.parent.relative_to(HERE).as_posix() if file.is_relative_to(HERE) else ""
    return MARKS.get(room, set())


def pytest_ignore_collect(collection_path, config):
    """A file is left out before it is imported, which takes longer than some tests."""
    only = config.getoption("only")
    if not only or not fnmatch(collection_path.name, "test_*.py"):
        return None
    marks = marks_of(collection_path)
    return None if all(PARTS[part].has(marks) for part in only) else True


def pytest_itemcollected(item):
    for mark in marks_of(item.path):
        item.add_marker(mark)


def pytest_report_header(config):
    if tracer is None:
        return f"tracer: cannot be imported: {BROKEN}"
    backend = tracer.Profile().backend
    only = config.getoption("only")
    rest = f"; tests that the {' and the '.join(only)} can change" if only else ""
    return f"tracer: back end {backend}, {backend.reason}{rest}"


def pytest_runtest_setup(item):
    """Takes away the function that hypothesis has called at each collection: it would be a row. And
    collects a profile that a cycle of an earlier test keeps: it holds what this test asks for."""
    gc.callbacks.clear()
    if held():
        gc.collect()


@pytest.fixture(autouse=True)
def nothing_runs_on():
    """Waits for the threads of a test: they would be in the profiles of the next."""
    before = _thread._count()
    yield
    end = time.monotonic() + 300
    while _thread._count() > before:
        assert time.monotonic() < end, "a thread that this test started runs on"
        time.sleep(0.001)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    counts, _ = reporter.build_summary_stats_line()
    counted = ", ".join(text for text, _ in counts)
    backend = tracer.Profile().backend if tracer is not None else "unknown"
    reporter.write_sep("=", f"back end {backend}: {counted}")
    return result


# -- Fixtures of several files ---------------------------------------------------------------------


@pytest.fixture
def clock():
    """A clock that stands still until the test moves it."""
    return Clock()


@pytest.fixture(params=BACKENDS)
def backend(request):
    """Each back end that the interpreter has, in turn."""
    return request.param


@pytest.fixture
def unasked(monkeypatch):
    """Nothing in the environment asks for a back end."""
    monkeypatch.delenv("TRACER_BACKEND", raising=False)


@pytest.fixture
def no_collections():
    """Garbage is collected before, and not meanwhile: a collection would free blocks at any
    moment."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def nothing_is_kept(no_collections):
    """Before the test and after, there is no block that allocations.py keeps."""
    KEPT[:] = [None] * len(KEPT)
    yield
    KEPT[:] = [None] * len(KEPT)


@pytest.fixture
def port(server):
    """The port of the `server` that a file of tests has."""
    return port_of(server)


@pytest.fixture
def home(server):
    """The path of the page of that server."""
    return f"/{server.token}/"


@pytest.fixture
def take():
    """take(id ...): other tools hold these tool ids, and want an event each."""
    taken = []

    def hold(*tools):
        for tool in tools:
            sys.monitoring.use_tool_id(tool, f"other {tool}")
            taken.append(tool)
            sys.monitoring.set_events(tool, sys.monitoring.events.RAISE)

    yield hold
    for tool in dict.fromkeys(taken):
        assert sys.monitoring.get_tool(tool) == f"other {tool}"
        assert sys.monitoring.get_events(tool) == sys.monitoring.events.RAISE
        sys.monitoring.set_events(tool, 0)
        sys.monitoring.free_tool_id(tool)


@pytest.fixture(scope="session")
def foreign(tmp_path_factory):
    """foreign(function, times): a thread of C that calls a Python function, to be joined."""
    library = compiled(tmp_path_factory.mktemp("foreign"), "foreign")
    return functools.partial(ForeignThread, ctypes.CDLL(library))


@pytest.fixture
def full_disk(tmp_path):
    """A folder with room for a few files' names, but not for a profile."""
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("a full disk is made by mounting a tmpfs, which takes root on Linux")
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=4k", "none", disk]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"cannot mount a tmpfs here: {done.stderr.strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)
