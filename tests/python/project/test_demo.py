"""`make demo`, the first thing that is run in a clone, in a folder that has what it takes of one.
Nothing is built here: tests/tools/bare_debian.sh does that."""

import platform
import shutil
import subprocess
import sys

import pytest

from docblocks import ROOT
from launch import environment, good

PARTS = ["Makefile", "benchmarks/programs/julia.py", "tests/tools/hottest.py"]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


@pytest.fixture
def clone(tmp_path):
    clone = tmp_path / "a clone, où" / "tracer"
    for part in PARTS:
        (clone / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, clone / part)
    (clone / "venv").symlink_to(sys.prefix)
    return clone


def test_it_ends_with_the_first_screen_callers_and_the_page(clone):
    built = f"venv/.built-{platform.python_version()}"
    words = ["make", "--silent", "-o", built, "demo", "VENV=venv", f"PYTHON={sys.executable}"]
    # What an outer make hands on is not of this one.
    ours = {name: value for name, value in environment().items() if "MAKE" not in name}
    found = subprocess.run(words, cwd=clone, env=ours, capture_output=True)
    assert (found.returncode, found.stderr) == (0, b"tracer: wrote profile.html\n")
    said = found.stdout.decode()
    ran, screen = "160801 points, 5320430 steps\n\n", good("show", "profile.out", cwd=clone)
    assert said.startswith(ran + screen)
    (row,) = [line for line in said.removeprefix(ran + screen).splitlines() if "<-" in line]
    function, _, calls, *_, caller = row.split()
    assert (function, calls) == ("julia.py:38(escape_time)", "160801")
    assert caller.startswith("julia.py:")
    assert all(str(place) not in said for place in (clone, ROOT, sys.prefix))
    assert (clone / "profile.html").read_bytes().startswith(b"<!DOCTYPE html>")
