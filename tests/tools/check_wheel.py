"""Checks what a wheel holds: all that a user needs, and nothing of the tests or the C sources.

Whether it works once installed is tried elsewhere (dist.sh).
"""

import sys
import zipfile
from pathlib import PurePosixPath

NEEDED = (
    "tracer/_core.pyi",
    "tracer/page/page.html",
    "tracer/page/style.css",
    "tracer/page/steps.css",
    "tracer/page/timeline.css",
    "tracer/page/start.js",
    "tracer/page/ui/dom.js",
    "tracer/page/views/index.js",
    "tracer/page/views/steps.js",
    "tracer/page/views/timeline.js",
    "tracer/py.typed",
    ".dist-info/entry_points.txt",
    ".dist-info/licenses/LICENSE",
    ".dist-info/licenses/ext/LICENSES/uthash.txt",
)
WELCOME = {"tracer"}
UNWANTED = {".c", ".h", ".o", ".a"}


def faults(path: str) -> list[str]:
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if not name.endswith("/")]
    found = [f"lacks {needed}" for needed in NEEDED if not any(n.endswith(needed) for n in names)]
    if sum(PurePosixPath(name).match("tracer/_core.*.so") for name in names) != 1:
        found.append("does not hold exactly one extension")
    for name in names:
        top = PurePosixPath(name).parts[0]
        if top not in WELCOME and not top.endswith(".dist-info"):
            found.append(f"holds {name}, outside of the package")
        if PurePosixPath(name).suffix in UNWANTED:
            found.append(f"holds {name}")
    return found


def main(paths: list[str]) -> int:
    status = 0
    for path in paths:
        for fault in faults(path):
            print(f"{path}: {fault}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
