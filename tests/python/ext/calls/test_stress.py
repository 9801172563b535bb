"""Short stress runs. `make stress` is the long one of the first, under the sanitizers, and
`make stress-programs` of the other."""

import random
import subprocess
import sys

from launch import environment
from places import TESTS

STRESS = TESTS / "stress"


def test_threads_that_meddle_with_profiles_at_random():
    run("stress.py", "--seconds", "10", "--seed", str(random.randrange(10**6)))


def test_random_programs_have_the_figures_of_the_model():
    run("programs.py", "--count", "500", "--seed", "1")


def run(script, *words):
    ended = subprocess.run(
        [sys.executable, STRESS / script, *words],
        env=environment(),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=280,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
