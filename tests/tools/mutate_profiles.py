"""Loads damaged profile files: each must load or raise ProfileFormatError, and nothing else.

    mutate_profiles.py [COUNT] [--seed SEED]

Mutants of real profiles (flipped bits, lost tails, splices, repeated chunks, absurd counts; half of
them with a checksum made good again, so that the damage is reached) are loaded in a child process
that may grow by 256 MiB and spend 10 s on one. A mutant that goes wrong is saved, and the exit
status is then 1.
"""

from __future__ import annotations

import argparse
import io
import marshal
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import tracer
from tracer import _core
from tracer.analysis.tree.call_tree import paths_of
from tracer.data.capture import dumps_all

MEMORY = 256 * 2**20
SECONDS = 10
# mutate_lprof.py puts its own values in the place of these.
SUFFIX = ".out"
SCRIPT = __file__
HEADER = 24  # bytes before the payload of our section
MAGIC = b"\x89TRACER\n"
COUNTS = [0, 1, 2, 255, 2**15, 2**16 - 1, 2**24, 2**31 - 1, 2**31, 2**32 - 1]
CODES = b"0NFTiIlgfsutaAzZ()[{r"  # what begins a value in a profile

# -- Real profiles -------------------------------------------------------------------------------


def fall(depth: int) -> int:
    return depth if depth == 0 else (fall if depth % 3 else swing)(depth - 1)


def swing(depth: int) -> int:
    return sorted([fall(depth), len("swing" * depth)])[0]


def count_up(end: int) -> Iterator[int]:
    for number in range(end):
        yield fall(number % 4)


def work() -> None:
    for depth in range(8):
        swing(depth)
    list(zip(count_up(9), count_up(7), strict=False))


def originals() -> list[bytes]:
    """Profile files: ours, with its tree whole and folded, both merged, and one as cProfile writes
    it."""
    run = tracer.RunInfo(("work.py", "--caf\xe9"), 1.5e9, 0.25, 0.125, 0.0625, 2**24)
    captures = []
    for limit in (10**6, 5):
        profile = type("Profile", (tracer.Profile,), {"_limits": {"_node_limit": limit}})()
        profile.runcall(work)
        captures.append(profile.capture(run))
    merged = dumps_all(captures, tracer.Stats(*captures).stats)
    stats = captures[1].figures().stats
    return [*(capture.dumps() for capture in captures), merged, marshal.dumps(stats)]


# -- Mutants -------------------------------------------------------------------------------------


def flip(data: bytearray, dice: random.Random) -> None:
    for _ in range(dice.choice([1, 1, 2, 8])):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def truncate(data: bytearray, dice: random.Random) -> None:
    del data[dice.randrange(len(data)) :]


def drop(data: bytearray, dice: random.Random) -> None:
    start = dice.randrange(len(data))
    del data[start : start + dice.choice([1, 4, 5, 40, 400])]


def repeat(data: bytearray, dice: random.Random) -> None:
    start = dice.randrange(len(data))
    chunk = data[start : start + dice.choice([1, 5, 40, 400])]
    data[start:start] = chunk * dice.choice([1, 2, 50])


def recount(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(data))
    data[at : at + 4] = struct.pack("<I", dice.choice(COUNTS))


def recode(data: bytearray, dice: random.Random) -> None:
    data[dice.randrange(len(data))] = dice.choice(CODES) | dice.choice([0, 0x80])


CHANGES = [flip, truncate, drop, repeat, recount, recode]


def mutant(files: list[bytes], seed: int, number: int) -> bytes:
    """The mutant of that number, the same for the same files."""
    dice = random.Random(f"{seed}:{number}")
    original = dice.choice(files)
    split = original.find(MAGIC)
    mended = split >= 0 and dice.random() < 0.5
    data = bytearray(original[split + HEADER :] if mended else original)
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        if dice.random() < 0.15:
            other = dice.choice(files)
            data[dice.randrange(len(data)) :] = other[dice.randrange(len(other)) :]
        elif data:
            dice.choice(CHANGES)(data, dice)
        if not data:
            break
    if mended:
        return original[:split] + _core.pack_section(bytes(data)) + bytes(data)
    return bytes(data)


# -- Loading -------------------------------------------------------------------------------------


def load(data: bytes) -> bool:
    """Loads a file in every way there is. False when it is refused as it should be."""
    try:
        _core.read_profile(data)
        stats = tracer.Stats(io.BytesIO(data))
        paths_of(stats)
    except tracer.ProfileFormatError:
        return False
    for capture in stats.captures:
        for thread in capture.threads:
            capture.figures("qualname", thread)
    return True


def limit_memory() -> None:
    """Lets this process grow by MEMORY from here on."""
    if "asan" in os.environ.get("LD_PRELOAD", "") or not os.path.exists("/proc/self/statm"):
        print("mutate_profiles: memory is NOT limited here", file=sys.stderr)
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def load_all(folder: Path, count: int, seed: int) -> None:
    """The child: leaves in `progress` which mutant it is at, and prints how it went."""
    files = [path.read_bytes() for path in sorted(folder.glob(f"*{SUFFIX}"))]
    if not all(load(data) for data in files):
        raise SystemExit("mutate_profiles: an original does not load")
    limit_memory()
    loaded = 0
    slowest = 0.0
    with open(folder / "progress", "wb", buffering=0) as progress:
        for number in range(count):
            os.pwrite(progress.fileno(), b"%12d" % number, 0)
            data = mutant(files, seed, number)
            signal.alarm(SECONDS)
            start = time.process_time()
            loaded += load(data)
            slowest = max(slowest, time.process_time() - start)
            signal.alarm(0)
    print(f"{count} mutants: {loaded} loaded, {count - loaded} refused, slowest {slowest:.3f} s")


def run(count: int, seed: int) -> int:
    """The parent. Returns the exit status."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = originals()
        for index, data in enumerate(files):
            (folder / f"{index}{SUFFIX}").write_bytes(data)
        command = [sys.executable, SCRIPT, str(count), "--seed", str(seed), "--child", name]
        status = subprocess.run(command).returncode
        if status == 0:
            return 0
        reached = folder / "progress"
        if reached.exists():
            number = int(reached.read_bytes())
            handle, path = tempfile.mkstemp(prefix=f"mutant-{number}-", suffix=SUFFIX)
            with open(handle, "wb") as file:
                file.write(mutant(files, seed, number))
            how = signal.Signals(-status).name if status < 0 else f"status {status}"
            print(f"mutate_profiles: mutant {number} ended in {how}; it is {path}", file=sys.stderr)
    return 1


def main(description: str = __doc__) -> int:
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("count", nargs="?", type=int, default=100_000, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is None:
        return run(options.count, options.seed)
    load_all(options.child, options.count, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
