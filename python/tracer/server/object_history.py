"""How many live objects a program had of each type, over the time that somebody looked."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracer.data.heap import Share

MOST = 120  # censuses that are kept; more are merged, the oldest first
ROWS = 100  # types that a page shows
MEASURES = ("size", "count")


class Sample(NamedTuple):
    """A census, or the most that several censuses had of each type."""

    at: float  # seconds; of the last one
    types: dict[str, Share]


class History:
    """The censuses, the oldest first. The first one stays as it is: growth is told since then."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []

    def add(self, at: float, types: dict[str, Share]) -> None:
        """Add a census, taken at this moment. Of too many, the older half is merged in pairs."""
        self.samples.append(Sample(at, types))
        if len(self.samples) > MOST:
            first, *old = self.samples[: MOST // 2 + 1]
            pairs = zip(old[::2], old[1::2], strict=True)
            self.samples[: MOST // 2 + 1] = [first, *(merged(*pair) for pair in pairs)]

    def as_json(self, measure: str, search: str = "") -> dict[str, Any]:
        """What a page shows, as JSON: `at` in seconds since the first census; `kinds`, of which the
        ones that grew most come first, then the largest. measure: "size" or "count". search: only
        types whose names contain it, in whichever case."""
        if not self.samples:
            return {"at": [], "types": 0, "count": 0, "size": 0, "kinds": []}
        first, last = self.samples[0], self.samples[-1]
        place = 0 if measure == "count" else 1
        none = 0, 0
        names = first.types.keys() | last.types.keys()
        sought = search.lower()

        def rank(name: str) -> tuple[int, int, str]:
            now = last.types.get(name, none)[place]
            return -max(0, now - first.types.get(name, none)[place]), -now, name

        found = [name for name in names if sought in name.lower()]
        kinds = []
        for name in sorted(found, key=rank)[:ROWS]:
            shares = [sample.types.get(name, none) for sample in self.samples]
            counts, sizes = [count for count, _ in shares], [size for _, size in shares]
            kinds.append({"name": name, "counts": counts, "sizes": sizes})
        return {
            "at": [round(sample.at - first.at, 3) for sample in self.samples],
            "types": len(found),
            "count": sum(count for count, _ in last.types.values()),
            "size": sum(size for _, size in last.types.values()),
            "kinds": kinds,
        }


def merged(one: Sample, other: Sample) -> Sample:
    types = dict(one.types)
    for name, (count, size) in other.types.items():
        counted, sized = types.get(name, (0, 0))
        types[name] = max(count, counted), max(size, sized)
    return Sample(other.at, types)
