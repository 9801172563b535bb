"""What two profiles are compared by: the figures of each function in one of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tracer.analysis.memory.memory import has_memory, shares_by
from tracer.results.function_tables import EXACT, trust_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label


class Metrics(NamedTuple):
    """What METRICS name, of a function in one profile. Times are seconds, memory is bytes of its
    own. waited: 0 where the profile tells no waits. allocated, peak, live: 0 where the profile has
    no memory. own_error, error: two standard errors of tottime and of cumtime, where these come
    from samples. is_counted: whether calls are exact, and known."""

    calls: int = 0
    tottime: float = 0.0
    cumtime: float = 0.0
    waited: float = 0.0
    allocated: int = 0
    peak: int = 0
    live: int = 0
    own_error: float = 0.0
    error: float = 0.0
    is_counted: bool = True

    @property
    def busy(self) -> float:
        return max(0.0, self.tottime - self.waited)

    def of(self, metric: str) -> float:
        """The metric of this name. Raises ValueError for another."""
        check_metric(metric)
        value: float = getattr(self, metric)
        return value


NONE = Metrics()
SUMS, ERRORS = Metrics._fields[:7], ("own_error", "error")
BYTES = ("allocated", "peak", "live")  # the metrics of memory
METRICS = ("calls", "tottime", "cumtime", "waited", "busy", *BYTES)


def check_metric(metric: str) -> None:
    if metric not in METRICS:
        raise ValueError(f"unknown metric {metric!r}; choose from {', '.join(METRICS)}")


def metrics_of(profiles: ProfileSet) -> dict[Label, Metrics]:
    waits = profiles.totals.extras.get("waited", {}) if profiles.knows_calls else {}
    memory = [shares_by(profiles, it) if has_memory(profiles) else {} for it in BYTES]
    found = {}
    for label, (_, ncalls, tottime, cumtime, _) in profiles.stats.items():
        allocated, peak, live = (shares[label].bytes if label in shares else 0 for shares in memory)
        counted, own_error, error = trust_in(profiles, label)
        found[label] = Metrics(
            ncalls, tottime, cumtime, waits.get(label, 0.0), allocated, peak, live,
            own_error or 0.0, error or 0.0, counted == EXACT,
        )  # fmt: skip
    return found


def total_of(functions: Iterable[Metrics | None]) -> Metrics:
    """These functions as one. Errors add up as those of independent figures do."""
    known = [it for it in functions if it is not None]
    sums: dict[str, Any] = {name: sum(getattr(it, name) for it in known) for name in SUMS}
    sums |= {name: math.hypot(*(getattr(it, name) for it in known)) for name in ERRORS}
    return Metrics(**sums, is_counted=all(it.is_counted for it in known))
