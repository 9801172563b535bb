"""Runs pytest and writes, for each test: how long it takes, whether it fails, and what it reaches.

    recording.py HITS C_HITS OUT [PYTEST'S WORDS]

HITS and C_HITS are the files of bytes that the code under test sets: see reach.py.
"""

from __future__ import annotations

import json
import mmap
import re
import sys
import time
from pathlib import Path

import pytest

SET = re.compile(rb"[^\0]")


class Recorder:
    def __init__(self, hits: str, c_hits: str, out: str) -> None:
        self.maps = [mapped(Path(hits)), mapped(Path(c_hits))]
        self.out = Path(out)

    def take(self) -> list[int]:
        """The numbers of the bytes that are set, counted through both files. Sets them to zero."""
        reached, first = [], 0
        for one in self.maps:
            reached += [first + match.start() for match in SET.finditer(one)]
            first += len(one)
            one[:] = bytes(len(one))
        return reached

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.failed = False
        self.take()
        start = time.perf_counter()
        result = yield
        seconds = round(time.perf_counter() - start, 4)
        entry = {"test": item.nodeid, "seconds": seconds, "failed": self.failed}
        with self.out.open("a") as file:
            print(json.dumps({**entry, "hits": self.take()}), file=file)
        return result

    def pytest_runtest_logreport(self, report):
        self.failed = self.failed or report.failed


def mapped(path: Path) -> mmap.mmap:
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 0)


if __name__ == "__main__":
    hits, c_hits, out, *words = sys.argv[1:]
    # The tests must not find the modules beside this one.
    del sys.path[0]
    sys.exit(
        pytest.main(["-q", "-p", "no:cacheprovider", *words], plugins=[Recorder(hits, c_hits, out)])
    )
