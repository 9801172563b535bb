# function: Job.__lt__
# share: 77
# caller: plan
"""A plan of jobs on a heap. Most of its time goes into the comparison that a dataclass has made."""

import heapq
from dataclasses import dataclass

GROUP = tuple(range(300))  # alike in all


@dataclass(order=True, frozen=True)
class Job:
    place: tuple[int, ...]
    name: str


def plan(count):
    heap = []
    for number in range(count):
        place = (*GROUP, number * 7919 % count)
        heapq.heappush(heap, Job(place, f"job {number}"))
    return [heapq.heappop(heap) for _ in range(count)]


print(plan(20_000)[0].name)
