"""A file that is written piece by piece and appears whole or not at all.

atomic_files.py writes a file at once, without the modules that are slow to import here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from tracer.runtime.atomic_files import AnyPath, Replacement, destination


@contextmanager
def whole_file(path: AnyPath) -> Iterator[BinaryIO]:
    """An open binary file that becomes `path` when the block ends well, and vanishes otherwise.

    A pipe or a device is written to directly. Raises OSError, which names `path`.
    """
    try:
        target, mode = destination(os.fsdecode(path))
        if mode is not None and not stat.S_ISREG(mode):
            with open(target, "wb") as out:
                yield out
            return
        with Replacement(target, mode) as handle, open(handle, "wb") as out:
            yield out
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
