"""The benchmarks, for their tests: as modules, and run as scripts."""

import subprocess
import sys
from importlib import import_module

from launch import environment
from places import ROOT

FOLDER = ROOT / "benchmarks"


def load(name):
    """Import a script or a module of the harness. They find each other in their one folder."""
    sys.path.insert(0, str(FOLDER))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


def script(name, *words, **environ):
    command = [sys.executable, str(FOLDER / f"{name}.py"), *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=environment(**environ)
    )
