"""Making exports, and running the programs that read them back, as tests/tools/get_readers.sh has
them. A reader that is not there is a skip, and a failure where TRACER_NEEDS_READERS is set.

Each test_read_<format>.py has a line NEEDS, words apart by blanks: what get_readers.sh fetches.
    package:COMMAND:NAME  the command, of the package of this name of the system
    pip:NAME==VERSION     a package of Python's, into PACKAGES
    npm:NAME@VERSION      a package of Node's, into MODULES; a script beside that can import it
    a word of its own     what the function get_<word> of get_readers.sh sees to
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FETCHED = ROOT / "build" / "readers"
PACKAGES = FETCHED / f"python-{sys.version_info[0]}.{sys.version_info[1]}"
MODULES = FETCHED / "node" / "node_modules"
REQUIRED = "TRACER_NEEDS_READERS"
SECONDS = 600  # until a program counts as hanging


def need(condition, what):
    """Skip, or fail, where a reader could not be had."""
    if condition:
        return
    reason = f"{what} is not there: exports are NOT read back by it; run `make test-readers`"
    if os.environ.get(REQUIRED):
        pytest.fail(reason)
    pytest.skip(reason)


def run(*words, **options):
    """Run a program to its end, far from the files: its output."""
    options = {"cwd": "/", "capture_output": True, "text": True, "timeout": SECONDS, **options}
    done = subprocess.run(words, **options)
    assert done.returncode == 0, done.stderr or done.stdout
    return done.stdout


def run_package(*words):
    """Run python with the fetched packages."""
    return run(sys.executable, *words, env={**os.environ, "PYTHONPATH": str(PACKAGES)})


def run_viewer(viewer, folder, queries, *files):
    """What viewers.py prints of these files. Skips, or fails, where there is no Chromium."""
    browsers = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    browser = next(filter(None, browsers), None)
    need(browser, "Chromium")
    script = Path(__file__).with_name("viewers.py")
    words = (viewer, folder, browser, json.dumps(queries), *files)
    return json.loads(run_package(str(script), *map(str, words)))


def exported(profile, name, *options):
    """The path of an export by the command."""
    path = profile.with_name(f"{profile.stem}-{len(options)}.{name}")
    words = ("export", str(profile), "--to", name, "-o", str(path), *options)
    run(sys.executable, "-m", "tracer", *words)
    return path


def there(command):
    return shutil.which(command) is not None


def nanoseconds(seconds):
    return round(seconds * 1e9)


def told_apart(stats, key):
    """{label: key(label)}, and the line behind it where several labels have the same key."""
    often = Counter(map(key, stats))
    return {
        label: key(label) if often[key(label)] == 1 else f"{key(label)}:{label[1]}"
        for label in stats
    }
