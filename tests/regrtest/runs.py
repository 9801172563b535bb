"""One run of runner.py, plain or under tracer: the process, its folder, time limit and outcomes.

What the outcomes of two runs mean when they differ is regrtest.py's business.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import tracer

PLAIN = "plain"
OTHER = "cProfile"  # not ours: it shows what any profiler changes
RUNNER = Path(__file__).with_name("runner.py")
GRACE = 10.0  # seconds to say where each thread is, after the time is up
# What tracer, or the interpreter about it, says on standard error when something went wrong.
COMPLAINT = re.compile(r"^(?:(?:python -m )?tracer: |Exception ignored .*tracer).*$", re.MULTILINE)

interrupted = threading.Event()  # when set, every run ends as if its time were up


@dataclass
class Run:
    module: str
    outcomes: dict[str, dict[str, str]]  # test -> kind of outcome -> detail
    end: str  # how the process ended, in words that follow "the process"
    died: bool  # whether a signal ended it
    whole: bool  # whether it came to its end
    fault: str  # what is wrong with the profile, or what tracer complained of
    seconds: float


def make_run(
    module: str, backend: str, left_out: list[str], seconds: float, folder: Path, logs: Path
) -> Run:
    """Run a module in a folder of its own below `folder`, and leave what it prints in `logs`."""
    place = Path(tempfile.mkdtemp(dir=folder))
    work = place / "work"
    work.mkdir()
    outcomes = place / "outcomes"
    profile = place / "profile.out"
    log = logs / f"{module}.{backend}.log"
    environment = {
        k: v for k, v in os.environ.items() if not re.match("(?i)PYTHON|TRACER|.*_proxy$", k)
    }
    environment |= {"PYTHONHASHSEED": "0", "TMPDIR": str(work)}
    command = [sys.executable]
    if backend != PLAIN:
        environment["TRACER_BACKEND"] = backend
        command += ["-m", "cProfile" if backend == OTHER else "tracer", "-o", str(profile)]
    command += [str(RUNNER), str(outcomes), f"test.{module}", *left_out]
    start = time.monotonic()
    with open(log, "wb") as output:
        status = wait(command, work, environment, output, seconds)
    seconds = time.monotonic() - start
    found, current, whole = read_outcomes(outcomes)
    run = Run(module, found, describe(status, current), (status or 0) < 0, whole, "", seconds)
    if backend != PLAIN:
        text = log.read_text(errors="replace")
        complaint = COMPLAINT.search(text)
        run.fault = complaint[0] if complaint else fault_of(profile, backend)
    shutil.rmtree(place, ignore_errors=True)
    return run


def wait(
    command: list[str],
    work: Path,
    environment: dict[str, str],
    output: BinaryIO,
    seconds: float,
) -> int | None:
    """The exit status of the command, None if it took too long. Its children end with it."""
    process = subprocess.Popen(
        command,
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end and not interrupted.is_set():
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(0.5)
        process.send_signal(signal.SIGABRT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def read_outcomes(path: Path) -> tuple[dict[str, dict[str, str]], str | None, bool]:
    """The outcomes, the test that was begun and did not end, and whether the run is whole."""
    outcomes: dict[str, dict[str, str]] = {}
    current = None
    whole = False
    for line in path.read_text().splitlines() if path.exists() else ():
        what, *rest = json.loads(line)
        if what == "begin":
            (current,) = rest
        elif what == "end":
            test, outcome, _ = rest
            outcomes[test] = outcome
            current = None
        else:
            whole = True
    return outcomes, current, whole


def describe(status: int | None, current: str | None) -> str:
    during = f" in {current}" if current else ""
    if status is None:
        return f"took too long{during}"
    if status < 0:
        return f"died of {signal.Signals(-status).name}{during}"
    return f"ended with status {status}{during}"


def fault_of(profile: Path, backend: str) -> str:
    """What is wrong with a profile; the empty string if nothing is."""
    if not profile.exists():
        return "no profile was written"
    try:
        stats = tracer.Stats(profile)
    except tracer.ProfileFormatError as error:
        return f"the profile does not load: {error}"
    if stats.problems:
        return stats.problems[0]
    if stats.total_calls < 1:
        return "the profile holds no calls"
    if any(time < 0 for row in stats.stats.values() for time in row[2:4]):
        return "the profile holds a negative time"
    if backend != OTHER and stats.captures[0].backend != backend:
        return f"the profile was made by {stats.captures[0].backend}"
    return ""
