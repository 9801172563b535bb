"""Libraries of C that tests load, made from a file of helpers by the compiler that is there."""

import os
import shutil
import subprocess
import sysconfig

import pytest

from places import HELPERS


def compiled(folder, name, *options):
    """The path of the library of helpers/<name>.c, which may ask the interpreter for things."""
    compiler = os.environ.get("CC") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    built = folder / f"{name}.so"
    words = [*compiler.split(), "-shared", "-fPIC", "-I", sysconfig.get_path("include"), *options]
    subprocess.run([*words, HELPERS / f"{name}.c", "-o", built], check=True, capture_output=True)
    return built
