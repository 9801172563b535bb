"""What runs already but is no part of the program: frames of tracer, and under the command whatever
the process began with."""

import sys
from pathlib import Path

import pytest

import tracer
from launch import plain, traced, write
from rows import Clock, figures


def leaf():
    pass


def by_runcall(profile):
    profile.runcall(leaf)


def by_runctx(profile):
    profile.runctx("leaf()", {"leaf": leaf}, {})


def by_run(profile):
    sys.modules["__main__"].leaf = leaf
    profile.run("leaf()")
    del sys.modules["__main__"].leaf


def by_with(profile):
    with profile:
        leaf()


@pytest.mark.parametrize("way", [by_runcall, by_runctx, by_run, by_with])
def test_frames_of_tracer_are_in_no_row(way):
    profile = tracer.Profile()
    way(profile)
    stats = tracer.Stats(profile)
    assert figures(stats, way, leaf)["leaf"][0] == 1
    folder = str(Path(tracer.__file__).parent)
    assert [label for label in stats.stats if label[0].startswith(folder)] == []


def test_the_caller_of_what_runcall_calls_is_who_called_runcall():
    profile = tracer.Profile(Clock())
    by_runcall(profile)
    assert figures(profile, by_runcall, leaf)["leaf"][3] == {"by_runcall": (1, 0, 0)}


PROGRAM = """
import threading
import tracer

def leaf():
    pass

def work():
    with tracer.Profile() as profile:
        leaf()
    return profile

def outermost(profile):
    return [(label[2], row[1]) for label, row in tracer.Stats(profile).stats.items() if not row[4]]

profiles = [work()]
thread = threading.Thread(target=lambda: profiles.append(work()))
thread.start()
thread.join()
print(outermost(profiles[0]))
print(sorted(outermost(profiles[1])))
"""


@pytest.mark.parametrize("way", ["plain", "traced", "traced module"])
def test_a_profile_in_a_program(way, tmp_path):
    """Under the command, what the process began with is no part of the program."""
    path = write(tmp_path / "program.py", PROGRAM)
    if way == "traced module":
        ended = traced("-o", "profile.out", "-m", "program", cwd=tmp_path)
    elif way == "traced":
        ended = traced("-o", "profile.out", str(path), cwd=tmp_path)
    else:
        ended = plain(str(path), cwd=tmp_path)
    assert ended.stderr == b""
    module, bootstrap = ("<module>", 0), ("_bootstrap", 0)
    assert ended.stdout.decode().splitlines() == [str([module]), str([module, bootstrap])]


FRAMES = """\
import inspect, sys
from pathlib import PurePath

def levels(count):
    try:
        return levels(count + 1)
    except RecursionError:
        return count

sys.setrecursionlimit(300)
frames = [PurePath(frame.filename).parts for frame in inspect.stack()]
print(sum("tracer" in parts for parts in frames), len(frames), levels(0))
"""


@pytest.mark.parametrize("words", [[], ["--lines"], ["-m", "program"]])
def test_frames_below_the_program(tmp_path, words):
    """As docs/explain/limits.md says: five of tracer, and levels() ends some levels earlier."""
    write(tmp_path / "program.py", FRAMES)
    file = [] if "-m" in words else ["program.py"]
    found = traced("-o", "profile.out", *words, *file, cwd=tmp_path)
    ours, frames, levels = map(int, found.stdout.split())
    _, alone, without = map(
        int, plain(*(words if "-m" in words else file), cwd=tmp_path).stdout.split()
    )
    of_runpy = 0 if "-m" in words else 2
    assert (ours, frames) == (5, alone + 5 + of_runpy), found.stderr
    assert 0 < without - levels <= 12
