"""What the built libraries ask of glibc: nothing that came after 2.28, that of RHEL 8 and of
manylinux_2_28. A function that is missing there keeps the extension from being loaded at all."""

import glob
import os
import re
import shutil
import subprocess

import pytest

import tracer
import tracer._core
from sampled import HAS_GLIBC

NM = os.environ.get("NM", "nm")
OLDEST = (2, 28)
# Until 2.32 the headers made calls of other functions of these.
INLINED = re.compile(r"([fl]?stat|fstatat)(64)?|mknod(at)?|__isoc23_\w+")
BUILT = [
    tracer._core.__file__,
    *glob.glob(os.path.join(os.path.dirname(tracer.__file__), "libtracer_preload*")),
]

pytestmark = [
    pytest.mark.skipif(not HAS_GLIBC, reason="the C library is not glibc"),
    pytest.mark.skipif(shutil.which(NM) is None, reason=f"there is no {NM}"),
]


def versions(file, *options):
    """{name of a symbol: the versions of glibc that the file names with it}"""
    words = [NM, "-D", "--with-symbol-versions", *options, file]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = {}
    for name, version in re.findall(r"(\w+)@+GLIBC_([\d.]+)$", done.stdout, re.MULTILINE):
        found.setdefault(name, set()).add(tuple(int(part) for part in version.split(".")))
    return found


def offered():
    """What the libraries of glibc have that are loaded here."""
    with open("/proc/self/maps") as maps:
        files = set(re.findall(r"/\S+/lib(?:c|m|pthread|dl|rt)[-.]\S*so\S*", maps.read()))
    found = {}
    for file in files:
        for name, there in versions(file, "--defined-only").items():
            found.setdefault(name, set()).update(there)
    return found


def too_new(needed, there):
    """The names that no glibc as old as OLDEST has. One that moved to another library of glibc has
    a new version, and keeps the old one beside it."""
    return sorted(
        name
        for name, wanted in needed.items()
        if min(wanted | there.get(name, set())) > OLDEST and not INLINED.fullmatch(name)
    )


@pytest.mark.parametrize("file", BUILT, ids=os.path.basename)
def test_nothing_is_newer_than_glibc_2_28(file):
    needed = versions(file, "--undefined-only")
    assert needed
    assert too_new(needed, offered()) == []


def test_what_is_newer_is_seen():
    there = offered()
    assert too_new({"gettid": {(2, 30)}, "stat": {(2, 33)}}, there) == ["gettid"]
    assert too_new({"pthread_create": {(2, 34)}, "free": {(2, 2, 5)}}, there) == []
