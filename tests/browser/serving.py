"""Chromium, and serving a page to it by the command, as a user would."""

import os
import re
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

from launch import environment, start

NAMES = ("chromium", "chromium-browser", "google-chrome")
PICTURES = Path(__file__).parents[2] / "build" / "browser"  # pictures of pages are kept there
PATIENCE = 60  # seconds; only what will never come takes as long


def chromium_in(playwright):
    """The Chromium of this machine."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    assert path, "there is no Chromium: tests/tools/need.sh chromium installs it"
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []  # for root Chromium has no sandbox
    return playwright.chromium.launch(executable_path=path, args=flags, timeout=1000 * PATIENCE)


@contextmanager
def viewed(*words, cwd=None, verb=("view", "--no-browser"), stream="stdout"):
    """The address at which `tracer view` serves what the words name, and the process."""
    unseen = environment()
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        unseen.pop(name, None)
    process = start("-m", "tracer", *verb, *words, cwd=cwd, env=unseen)
    try:
        line = getattr(process, stream).readline().decode()
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read().decode()
        yield found[0], process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
