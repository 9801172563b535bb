"""What a run of the command leaves behind: a profile where it was wanted, or where it could be had;
or nothing, and a line that says why. And a copy of a profile, to be added to it.
"""

import re
import shutil
from pathlib import Path

from docblocks import ROOT
from launch import traced

# A row of tracer's own, or of what stands for the builtins.
OWN = re.compile(r"tracer|posix\.(_exit|exec)")
SAVED = re.compile(rb"the profile is saved as (\S+)\n")


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def second(file):
    """The name of a copy beside the file: where files are added up, each counts once."""
    path = Path(file)
    return shutil.copy(path, path.with_stem(f"{path.stem}2")).name


def assert_profile(path):
    """Assert that the profile can be shown, and is of a program.py."""
    found = traced("show", "--strip-dirs", "--limit=0", path)
    assert (found.returncode, found.stderr) == (0, b"")
    assert b"program.py:1(<module>)" in found.stdout


def assert_refused(found, message):
    """Assert that a finished process has said this one line, and done nothing."""
    assert found.stderr.decode() == f"tracer: {message}\n"
    assert (found.stdout, found.returncode) == (b"", 2)


def own_rows(labels):
    """The labels that are tracer's. The clone itself is called tracer, too, and so may be what is
    above it: a library in its .venv is none of tracer's."""
    kept = {label: (str(label[0]).removeprefix(str(ROOT)), label[2]) for label in labels}
    return [label for label, (file, name) in kept.items() if OWN.search(f"{file}:{name}")]
