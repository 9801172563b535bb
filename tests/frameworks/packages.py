"""The frameworks whose profilers are tried: `make test-frameworks` fetches them, or they are in the
folder that the environment variable TRACER_FRAMEWORKS names."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSION = f"python-{sys.version_info[0]}.{sys.version_info[1]}"
PACKAGES = Path(os.environ.get("TRACER_FRAMEWORKS") or ROOT / "build" / "frameworks" / VERSION)
REQUIRED = "TRACER_NEEDS_FRAMEWORKS"
SECONDS = 600  # until a program counts as hanging


def need(package, name):
    """Skip, or fail, where a framework could not be had."""
    if (PACKAGES / package).exists():
        return
    reason = f"{name} is not there: tracer is NOT tried beside it; run `make test-frameworks`"
    if os.environ.get(REQUIRED):
        pytest.fail(reason)
    pytest.skip(reason)
