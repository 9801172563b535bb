"""The work of looking at a profile is in no row of it, nor of another that is enabled."""

import inspect
import io
import os
import sys
from pathlib import Path

import pytest

import tracer
from launch import plain, write
from tracer.api.stats import Threads
from tracer.results.comparison import compare
from tracer.runtime.unrecorded import all_aside

FOLDERS = str(Path(tracer.__file__).parent), os.path.dirname(os.__file__)


def leaf():
    yield


def looks(folder, stream):
    """Ways to look at a Profile, which may be enabled: every public method of each class."""
    path = folder / "profile.out"
    return {
        "Stats": tracer.Stats,
        "capture": lambda p: p.capture(),
        "snapshot_stats": lambda p: p.snapshot_stats(),
        "getstats": lambda p: p.getstats(),
        "repr": lambda p: repr(tracer.Stats(p)),
        "html": lambda p: tracer.Stats(p)._repr_html_(),
        "print": lambda p: printed(tracer.Stats(p, stream=stream)),
        "again": lambda p: printed(tracer.Stats(tracer.Stats(p), stream=stream).add(p)),
        "threads": lambda p: threads(tracer.Stats(p, stream=stream)),
        "profile": repr,
        "another": lambda p: tracer.Profile(include="tracer"),
        "captured": lambda p: captured(p.capture(), path),
        "dump": lambda p: tracer.Stats(p).dump_stats(path),
        "pstats": lambda p: tracer.Stats(p).get_stats_profile(),
        "run": lambda p: tracer.Profile().runcall(list, "ab"),
        "runctx": lambda p: tracer.runctx("pass", {}, {}, path),
        "compared": lambda p: compared(compare(tracer.Stats(p), tracer.Stats(p))),
        "finished": lambda p: finished(tracer.Profile(), path),
    }


def printed(stats):
    stats.sort_stats().strip_dirs().reverse_order().print_stats(1).print_stats("nobody")
    stats.print_callers("leaf").print_callees("leaf").print_suspended()
    stats.print_resumes().print_threads(1).print_tree(percent=0.0)
    return stats.resumes, stats.captures


def threads(stats):
    return stats.threads[0], repr(stats.threads["MainThread"]), stats.threads[0].print_stats(1)


def captured(capture, path):
    capture.write(path)
    names = repr(capture), capture.total_calls, capture.lost_calls, capture.thread_count
    return names, capture.figures(), capture.check(), capture.dumps(), tracer.Stats(path)


def compared(comparison):
    one = comparison.only("leaf").changes[0]
    figures = one.delta("calls"), one.ratio("calls"), one.is_own, one.name, one.state
    return comparison.biggest("calls"), comparison.grown("calls", 0.0), figures


def finished(other, path):
    other.create_stats()
    other.dump_stats(path)
    sys.stdout, stdout = io.StringIO(), sys.stdout
    other.print_stats()
    sys.stdout = stdout


ALL = {"Stats", "capture", "run", *looks(Path(), None)}


@pytest.mark.parametrize("name", sorted(ALL))
def test_looking_is_in_no_row(name, tmp_path):
    look = looks(tmp_path, io.StringIO())[name]
    list(leaf())
    with tracer.Profile() as profile:
        list(leaf())
        look(profile)
    known = tracer.Stats(profile)
    rows = [label for label, row in known.stats.items() if row[1]]
    assert [label for label in rows if label[0].startswith(FOLDERS)] == []
    # Of C functions, only those that this file calls have rows.
    callers = {label: known.stats[label][4] for label in rows if label[0] == "~"}
    assert {caller[0] for found in callers.values() for caller in found} <= {__file__, "<string>"}
    assert {label[2] for label in callers} <= {
        "<built-in method builtins.repr>",
        "<built-in method builtins.exec>",
    }
    entries = [entry.code for entry in profile.getstats() if entry.callcount]
    files = [code.co_filename for code in entries if inspect.iscode(code)]
    assert [file for file in files if file.startswith(FOLDERS)] == []


def test_the_classes_are_in_no_row_either():
    if tracer.Profile().backend != "monitoring":
        pytest.skip("PyEval_SetProfile does not report classes")
    with tracer.Profile(builtins="all") as profile:
        tracer.Stats(tracer.Profile())
        complex("1")
    rows = [label[2] for label, row in tracer.Stats(profile).stats.items() if row[1]]
    assert rows == ["<type 'complex'>"]


def test_the_first_look(tmp_path):
    """In a fresh process, where looking is what imports tracer's modules."""
    program = (
        "import tracer\ndef leaf(): pass\nwith tracer.Profile() as p:\n    leaf()\n"
        "    s = tracer.Stats(p)\n    s.print_stats('tracer')\n"
        "print(sorted(label[2] for label, row in tracer.Stats(p).stats.items() if row[1]))\n"
    )
    ended = plain(write(tmp_path / "program.py", program))
    assert ended.stderr == b""
    assert ended.stdout.splitlines()[-1] == b"['leaf']"


@pytest.mark.parametrize("kind", [tracer.Stats, tracer.Capture, Threads])
def test_it_looks_as_it_would(kind):
    for name, value in inspect.getmembers(kind, inspect.isfunction):
        if hasattr(value, "__wrapped__"):
            assert value.__name__ == name
            assert inspect.signature(value) == inspect.signature(value.__wrapped__)


def test_all_aside_leaves_alone_what_is_private():
    class Kind:
        def public(self):
            return 1

        def _private(self):
            return 2

        @property
        def value(self):
            "What it says."
            return 3

    class Derived(Kind):
        def more(self):
            return 4

    private = Kind._private
    assert all_aside(Kind) is Kind
    assert all_aside(Derived) is Derived
    assert Derived.public is Kind.public
    assert Derived().more() == 4
    assert hasattr(Derived.more, "__wrapped__")
    kind = Kind()
    assert (kind.public(), kind._private(), kind.value) == (1, 2, 3)
    assert Kind._private is private
    assert Kind.value.__doc__ == "What it says."
