"""The extension has thread-local variables that are found by one instruction. glibc has few bytes
for these in libraries that are loaded late, and other C libraries have none.
"""

import os
import platform
import shutil
import subprocess
import sys

import pytest

from clibrary import built, compiled
from places import ROOT

SIZE = 32
ON_GLIBC = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other C libraries load no such library at all"
)

# Loads copies of a library, as many as there is room for at most; then the extension.
PROGRAM = """
import ctypes, sys
folder, most, *modules = sys.argv[1:]
count = 0
while count < int(most):
    try:
        ctypes.CDLL(f"{folder}/{count}.so")
    except OSError as error:
        assert "static TLS" in str(error), error
        break
    count += 1
for name in modules:
    __import__(name)
print(count)
"""


def loaded(*words):
    """How many copies a process has loaded."""
    words = [sys.executable, "-c", PROGRAM, *map(str, words)]
    run = subprocess.run(words, capture_output=True, text=True, cwd=ROOT / "python")
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


@ON_GLIBC
@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer has such variables of its own"
)
def test_it_is_loaded_where_other_libraries_have_taken_most(tmp_path):
    library = compiled(tmp_path, "statictls", f"-DSIZE={SIZE}")
    for number in range(1000):
        shutil.copy(library, tmp_path / f"{number}.so")
    most = loaded(tmp_path, 1000)
    assert 0 < most < 1000
    assert loaded(tmp_path, most - 1, "tracer._core") == most - 1  # from 32 to 63 bytes are left


@ON_GLIBC
def test_elsewhere_it_asks_for_none(tmp_path):
    """Its sources, compiled as on another C library."""
    (tmp_path / "other.h").write_text("#include <features.h>\n#undef __GLIBC__\n")
    uthash = os.environ.get("UTHASH_INCLUDE", ".")
    library = built(
        *(tmp_path / "context.so", "-std=c11", "-imacros", tmp_path / "other.h"),
        *("-I", ROOT / "ext", "-I", uthash),
        *(ROOT / "ext/sources/allocators.c", ROOT / "ext/context/context.c"),
    )
    told = subprocess.run(["readelf", "-dlW", library], check=True, capture_output=True, text=True)
    assert " TLS " in told.stdout
    assert "STATIC_TLS" not in told.stdout
