"""A short stress run; `make stress` is the long one, under the sanitizers."""

import random
import subprocess
import sys

from launch import environment
from places import TESTS

STRESS = TESTS / "stress" / "stress.py"


def test_threads_that_meddle_with_profiles_at_random():
    words = [sys.executable, STRESS, "--seconds", "10", "--seed", str(random.randrange(10**6))]
    ended = subprocess.run(
        words, env=environment(), capture_output=True, text=True, errors="replace", timeout=280
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
