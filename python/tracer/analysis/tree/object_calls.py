"""Calls of objects that have no row, such as types, partials and ufuncs: whose own time has theirs.

--all-builtins gives them rows. Without it, they are known where calls come by sys.monitoring, of
runs with one Profile at a time.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer.data.records import OBJECT_CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label


class ObjectCalls(NamedTuple):
    """What a function called that has no row. objects: by the label that such a row would have,
    (calls, seconds of the function's own time), those that took most first."""

    caller: Label
    objects: dict[Label, tuple[int, float]]

    @property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.objects.values())


def object_calls_of(profiles: ProfileSet) -> list[ObjectCalls]:
    """Of each function, those whose objects took most first."""
    found: dict[Label, dict[Label, tuple[int, float]]] = defaultdict(dict)
    for part in profiles.parts:
        capture, names = part.capture, profiles.names
        for thread in part.threads:
            for caller, callee, calls, ticks in OBJECT_CALLS.iter_unpack(thread.object_calls):
                if caller in capture.left_out:
                    continue
                whose, what = (
                    capture.functions[it].label(names, part.stripped) for it in (caller, callee)
                )
                known, seconds = found[whose].get(what, (0, 0.0))
                more = ticks * capture.seconds_per_tick
                found[whose][what] = known + calls, seconds + more
    ranked = [
        ObjectCalls(
            caller,
            dict(sorted(objects.items(), key=lambda it: (-it[1][1], -it[1][0], it[0]))),
        )
        for caller, objects in found.items()
    ]
    return sorted(ranked, key=lambda it: (-it.seconds, it.caller))
