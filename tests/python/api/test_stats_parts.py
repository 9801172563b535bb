"""What a Stats knows of the captures that it is made of: rows that become one, files it writes,
what it says of suspensions."""

import io
import marshal
import pstats

import pytest

import tracer
from rows import Clock, record


def functions(clock):
    """Two functions of one name and line, in files of one name, that call each other."""
    space = {"clock": clock}
    source = "def work(n):\n  clock.now += 2\n  if n: OTHER(n - 1)\n"
    for folder, other in ("one", "two"), ("two", "one"):
        names = {"clock": clock}
        exec(compile(source.replace("OTHER", other), f"/{folder}/pm.py", "exec"), names)
        space[folder] = names["work"]
    for name in "one", "two":
        space[name].__globals__.update(one=space["one"], two=space["two"])
    return space


@pytest.fixture
def profile():
    clock = Clock()
    return record(functions(clock)["one"], 3, timer=clock, timeunit=1.0)


LABEL = ("pm.py", 1, "work")


def test_rows_that_become_one_are_added_up_as_one_function(profile):
    stats = tracer.Stats(profile)
    assert sorted(row[:4] for row in stats.stats.values()) == [(1, 2, 4.0, 6.0), (1, 2, 4.0, 8.0)]
    resumes = stats.strip_dirs().resumes
    assert stats.stats == {LABEL: (1, 4, 8.0, 8.0, {LABEL: (3, 1, 6.0, 6.0)})}
    assert resumes == {}
    assert stats.total_tt == 8
    assert stats.strip_dirs().stats == stats.stats


def test_so_they_are_in_every_thread_and_in_several_files(profile, tmp_path):
    profile.dump_stats(tmp_path / "profile.out")
    stats = tracer.Stats(profile, tmp_path / "profile.out").strip_dirs()
    assert stats.stats == {LABEL: (2, 8, 16.0, 16.0, {LABEL: (6, 2, 12.0, 12.0)})}
    assert stats.threads[0].stats == {LABEL: (1, 4, 8.0, 8.0, {LABEL: (3, 1, 6.0, 6.0)})}
    thread = tracer.Stats(profile).threads[0].strip_dirs()
    assert thread.stats == stats.threads[0].stats


def test_without_a_capture_they_are_as_in_pstats(profile, tmp_path):
    path = tmp_path / "profile.out"
    path.write_bytes(marshal.dumps(tracer.Stats(profile).stats))
    assert tracer.Stats(path).strip_dirs().stats == pstats.Stats(str(path)).strip_dirs().stats
    assert tracer.Stats(path, profile).strip_dirs().stats[LABEL][3] == 14 + 14


def numbers():
    yield 1
    yield 2


@pytest.fixture
def resumed():
    return record(list, numbers())


def test_dump_stats_keeps_threads_and_resumes(resumed, tmp_path):
    stats = tracer.Stats(resumed)
    stats.dump_stats(tmp_path / "profile.out")
    found = tracer.Stats(tmp_path / "profile.out")
    assert found.stats == stats.stats == pstats.Stats(str(tmp_path / "profile.out")).stats
    assert found.resumes == stats.resumes != {}
    assert found.threads[0].stats == stats.threads[0].stats


@pytest.mark.parametrize("change", ["stripped", "foreign", "names", "thread"])
def test_dump_stats_of_what_is_no_capture(resumed, tmp_path, change):
    stats = tracer.Stats(resumed, names="qualname" if change == "names" else "label")
    stats = {
        "stripped": stats.strip_dirs,
        "foreign": lambda: stats.add(pstats.Stats(resumed)),
        "names": lambda: stats,
        "thread": lambda: stats.threads[0],
    }[change]()
    stats.dump_stats(tmp_path / "profile.out")
    found = tracer.Stats(tmp_path / "profile.out")
    assert found.stats == stats.stats
    assert (found.captures, found.resumes) == ([], {})


# -- print_suspended() -------------------------------------------------------------------------


def suspended(source, *amount):
    stream = io.StringIO()
    tracer.Stats(source, stream=stream).print_suspended(*amount)
    return stream.getvalue()


def test_a_file_that_does_not_record_suspensions(resumed, tmp_path):
    path = tmp_path / "profile.out"
    path.write_bytes(marshal.dumps(tracer.Stats(resumed).stats))
    assert suspended(path) == (
        "   No suspended times are recorded here: another profiler wrote this.\n\n"
    )
    assert suspended(record(list)) == "   No generator or coroutine was resumed.\n\n"


def test_suspensions_of_which_none_matches(resumed):
    assert suspended(resumed, "nobody") == (
        "   Ordered by: suspended time\n"
        "   List reduced from 1 to 0 due to restriction <'nobody'>\n\n"
    )
    assert suspended(resumed, "numbers").count("filename:lineno(function)") == 1
