"""Measuring in a fresh process of this interpreter: a script that prints what it found as JSON."""

import json
import subprocess
import sys
from pathlib import Path

from harness.report import complain

HERE = Path(__file__).parents[1]


def measured_apart(what, *words, patience):
    """What `python WORDS`, run beside the scripts, prints last. None, and a line on stderr that
    names `what`, where it failed or took longer than `patience` seconds."""
    command = [sys.executable, "-W", "ignore", *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience, cwd=HERE)
    except subprocess.TimeoutExpired:
        complain(f"{what} took more than {patience} s, and is left out")
        return None
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no word").splitlines()[-1]
        complain(f"{what} ended with status {done.returncode}, and is left out: {reason}")
        return None
    return json.loads(done.stdout.splitlines()[-1])
