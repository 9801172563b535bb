"""Source archives of other projects' releases, and packages that their tests import, fetched by pip
once for all interpreters of this tree."""

import os
import subprocess
import sys

from places import ROOT


def archive_of(release, room):
    """build/ROOM/NAME-VERSION.tar.gz of "NAME==VERSION". Raises RuntimeError, which says why it
    cannot be had."""
    name = release.partition("==")[0]
    archive = ROOT / "build" / room / f"{release.replace('==', '-')}.tar.gz"
    if not archive.exists():
        # Another interpreter may fetch it at the same time: it appears whole.
        folder = archive.parent / f"fetched-by-{os.getpid()}"
        options = ("--no-deps", "--no-build-isolation", "--no-binary", name)
        pip("download", *options, "--dest", folder, release)
        (folder / archive.name).replace(archive)
        folder.rmdir()
    return archive


def packages_of(requirement, room):
    """The folder where this interpreter finds them. Raises RuntimeError as archive_of() does."""
    folder = ROOT / "build" / room / "helpers-{}.{}".format(*sys.version_info)
    if not folder.exists():
        pip("install", "--target", folder, requirement)
    return folder


def pip(verb, *words):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", verb, "-q", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:]
        raise RuntimeError(f"pip could not fetch {words[-1]}: {reason}")
