"""What it takes to count all live objects: by tracer.heap(), and by guppy3's heap().

Each counts in a process of its own, which has made so many objects of one type before. The seconds
are CPU time; the memory is by how much the resident memory rises meanwhile. The number of these
objects that each finds is checked.
"""

import importlib.util
import json
import subprocess
import sys

from harness.report import Goal, complain, finish, need_tracer, number, parser, show, table, version

COUNTS = [10**6, 10**7]
PEERS = ["tracer", "guppy"]
# At most, for 10^7 objects: of tracer.heap(), and of tracer.why().
SECONDS, MEGABYTES, WHY_SECONDS = 1.0, 150.0, 0.5

PROGRAM = """
import gc, json, sys, time
gc.disable()


class Thing:
    __slots__ = ("held",)


def memory(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key))


kept = [Thing() for _ in range(int(sys.argv[1]))]
if sys.argv[2] == "tracer":
    import tracer

    heap, count = tracer.heap, lambda heap: heap["__main__.Thing"].count
else:
    from guppy import hpy

    heap, count = hpy().heap, lambda heap: (heap & Thing).count
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before, began = memory("VmRSS"), time.process_time()
found = heap()
seconds, most = time.process_time() - began, memory("VmHWM")
told = {"seconds": seconds, "bytes": max(0, most - before), "counted": count(found), "why": None}
if sys.argv[2] == "tracer":
    began = time.process_time()
    tracer.why(kept[len(kept) // 2])
    told["why"] = time.process_time() - began
print(json.dumps(told))
"""


def measure(count, peer):
    if importlib.util.find_spec(peer) is None:
        complain(f"{peer} is missing, its figures are left out (`make bench-objects` has it)")
        return None
    command = [sys.executable, "-c", PROGRAM, str(count), peer]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def render(found):
    rows = []
    for count, peers in found.items():
        for peer, one in peers.items():
            one = one or dict.fromkeys(("seconds", "bytes", "why"))
            megabytes = None if one["bytes"] is None else one["bytes"] / 1e6
            row = [f"{int(count):,}", peer, show(one["seconds"]), show(megabytes, 0)]
            rows.append([*row, show(one["why"])])
    return table(["objects", "by", "heap, s", "heap, MB", "why, s"], rows)


def goals_of(found):
    """Those of 10^7 objects; and that everybody counts right."""
    wrong = sum(
        one is not None and one["counted"] != int(count)
        for count, peers in found.items()
        for one in peers.values()
    )
    goals = [Goal("counts that are wrong", 0, wrong)]
    if ours := found.get(str(COUNTS[-1]), {}).get("tracer"):
        goals += [
            Goal("heap() of 10^7 objects, s", SECONDS, ours["seconds"]),
            Goal("heap() of 10^7 objects, MB", MEGABYTES, ours["bytes"] / 1e6),
            Goal("why() among 10^7 objects, s", WHY_SECONDS, ours["why"]),
        ]
    return goals


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--counts", type=number(1), nargs="+", default=COUNTS, help="of objects (10^6 and 10^7)"
    )
    options = options.parse_args(arguments)
    need_tracer()
    found = {str(n): {peer: measure(n, peer) for peer in PEERS} for n in options.counts}
    finish(f"Objects, Python {version()}", render(found), goals_of(found), options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
