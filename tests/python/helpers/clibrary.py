"""Libraries of C that tests load, made from a file of helpers by the compiler that is there."""

import os
import shutil
import subprocess
import sysconfig

import pytest

from places import HELPERS


def compiled(folder, name, *options):
    """The path of the library of helpers/<name>.c, which may ask the interpreter for things."""
    return built(folder / f"{name}.so", HELPERS / f"{name}.c", *options)


def built(library, *words):
    """The path of a library, which the compiler makes of sources, with options."""
    compiler = os.environ.get("CC") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    words = ["-shared", "-fPIC", "-I", sysconfig.get_path("include"), *words, "-o", library]
    subprocess.run([*compiler.split(), *words], check=True, capture_output=True)
    return library
