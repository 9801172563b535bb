"""Long runs of a program, played to the core with a timeline of 64 MiB, against what is promised.

    replay.py PROGRAM [--calls N]     PROGRAM: build/bench/replay, which the Makefile builds

Five shapes of programs, in benchmarks/core/replay.c. With fewer calls than 10^9 a run is shorter,
so T is, too; the bars stay the same.

- T: the shortest calls that are all there, beside the length of the run
- ns a call: of CPU time, with the log and the bins less without
- pause: the longest time that one event took, of CPU time
- bins: their share of the run, and their bytes
"""

import argparse
import json
import subprocess
import sys

BUDGET = 64 * 1024 * 1024
# A call of that part of the run is there.
PARTS = {"tree": 1e6, "flat": 1e6, "recursion": 1e6, "chains": 1e4, "phases": 1e6}
NS_A_CALL = 6.0
PAUSE_NS = 5e6
BINS_SHARE = 0.03
BINS_BYTES = 16 * 1024 * 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--calls", type=int, default=10**9)
    options = parser.parse_args()
    print(f"{options.calls:,} calls in 64 MiB")
    print("shape       T, us   run/T       ns   pause, ms   bins %   bins MiB   contexts   log MiB")
    missed = []
    for shape, part in PARTS.items():
        command = [options.program, shape, str(options.calls), str(BUDGET)]
        told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        least, added = told["least"], told["ns"] - told["bare_ns"]
        parts = told["run"] / max(least, 1)
        in_bins = told["bins_share"] * told["ns"] * options.calls / told["run"]
        print(
            f"{shape:9} {least / 1000:7.1f} {parts:7.0e} {added:8.2f} {told['pause_ns'] / 1e6:11.2f}"
            f" {100 * in_bins:8.2f} {told['bins_bytes'] / 2**20:10.2f} {told['nodes']:10}"
            f" {told['bytes'] / 2**20:9.1f}",
            flush=True,
        )
        bars = {
            "T": least > 0 and parts < part,
            "ns a call": added > NS_A_CALL,
            "pause": told["pause_ns"] > PAUSE_NS,
            "share of bins": in_bins > BINS_SHARE,
            "bytes of bins": told["bins_bytes"] > BINS_BYTES,
            "lost": told["lost"] > 0,
        }
        missed += [f"{shape}: {bar}" for bar, is_missed in bars.items() if is_missed]
    for each in missed:
        print(f"replay: missed: {each}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
