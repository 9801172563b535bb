"""Measures in a fresh process of this interpreter, by a script that prints its findings as JSON."""

import json
import subprocess
import sys
from pathlib import Path

from harness.report import complain

HERE = Path(__file__).parents[1]


def measured_apart(what, *words, patience):
    """The JSON that `python WORDS` prints as its last line, run in the folder of the scripts.
    Returns None, with a line on stderr that names `what`, when the process fails or takes longer
    than `patience` seconds."""
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
