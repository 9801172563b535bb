"""What a program tells its timeline with: tracer.range, mark, counter and flow.

The package looks each up at its first use. A profile that runs then pauses, and what is on its
stacks is drawn as two slices. So a profile with a timeline looks them up before it begins.
"""

from __future__ import annotations

import sys

NAMES = ("range", "mark", "counter", "flow")


def load_timeline_api() -> None:
    for name in NAMES:
        getattr(sys.modules["tracer"], name)
