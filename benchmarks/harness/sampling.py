"""The sampling reference: py-spy, which looks at a process from outside. The process is fresh, and
runs the body of a program again and again. ranking.py says what the samples mean.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.apart import HERE
from harness.ranking import Figures, samples_below
from harness.report import complain
from harness.weighed import looped

RATE = 1000  # samples a second
PATIENCE = 60  # seconds beyond those for which the body runs


def sampler() -> str | None:
    """The command py-spy. None, with a line on stderr, where it is missing or may not look."""
    beside = Path(sys.executable).parent
    command = shutil.which("py-spy", path=str(beside)) or shutil.which("py-spy")
    if command is None:
        complain("py-spy is missing, so there is no order to compare with (`make bench` has it)")
    elif _stacks(command, "py-spy", 0.2, "-c", "import time; time.sleep(0.2)") is not None:
        return command
    return None


def samples_of(command: str, program: str, seconds: float, *, idle: bool = True) -> Figures | None:
    """How often py-spy saw each function of the program below the loop, in the main thread.
    idle: also where that waited. None, with a line on stderr, if it saw none."""
    what = f"{program} under py-spy"
    words = ["-m", "harness.weighed", program, looped.__name__, str(seconds)]
    text = _stacks(command, what, seconds, *words, idle=idle)
    if text is None:
        return None
    found = samples_below(text, looped.__name__)
    if not found:
        complain(f"{what} gave no samples, and is left out")
        return None
    return found


def _stacks(command: str, what: str, seconds: float, *words: str, idle: bool = True) -> str | None:
    """All stacks of `python WORDS`, those that wait included if so asked, with full file names and
    the first line of each function. py-spy starts the process: so it may look at it without
    privileges."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "stacks")
        options = ["--format", "raw", "--function", "--full-filenames", *["--idle"] * idle]
        options += ["--rate", str(RATE), "--output", str(file)]
        try:
            done = subprocess.run(
                [command, "record", *options, "--", sys.executable, "-W", "ignore", *words],
                capture_output=True,
                text=True,
                timeout=seconds + PATIENCE,
                cwd=HERE,
            )
        except subprocess.TimeoutExpired:
            complain(f"{what} took more than {seconds + PATIENCE:.0f} s, and is left out")
            return None
        if done.returncode != 0 or not file.exists():
            reason = (done.stderr.strip() or "no word").splitlines()[-1]
            complain(f"{what} ended with status {done.returncode}, and is left out: {reason}")
            return None
        return file.read_text()
