"""Programs that a defect would crash or hang, and so have a process each.

What they share is PRELUDE: a function to call, and what a profile must still do in the end.
"""

import os
import subprocess
import sys
from textwrap import dedent

from launch import environment

PRELUDE = f"""
import gc, os, sys, threading, time
sys.path.append({os.path.dirname(__file__)!r})
import tracer
from hooks import held

def leaf():
    pass

def calls(profile):
    return sum(entry.callcount for entry in profile.getstats() if entry.code is leaf.__code__)

def still_works(profile):
    assert not profile.enabled
    assert held() == []
    before = calls(profile)
    with profile:
        leaf()
    assert calls(profile) == before + 1
    assert held() == []
"""


def survives(program, **variables):
    """Assert that a program comes to its end, with nothing to report."""
    ended = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PRELUDE + dedent(program)],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), (
        f"status {ended.returncode}:\n{ended.stderr}"
    )
