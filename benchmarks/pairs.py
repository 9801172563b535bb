"""The instructions that the core takes for an enter and a leave.

    pairs.py PAIRS [--record]

PAIRS is the program made of core/pairs.c. The script fails when a count has grown by more than 3%
over core/counts.json, for an architecture and a compiler that are recorded there. --record writes
the counts. `make bench-core` calls this script.
"""

import argparse
import platform
import subprocess
import sys
from pathlib import Path

from harness.instructions import Record, instructions

ROUNDS = 2_000, 12_000
SCENARIOS = {
    "one": "one callee, again and again",
    "two": "two callees in turn",
    "five": "five callees in turn",
    "deep": "50 levels down and up again",
    "raise": "two enters and one leave, of the outer",
    "resume": "a generator that is suspended and goes on",
    "new": "a new context each time",
    "overflow": "five callees in turn, past the node limit",
    "below": "five callees in turn and their caller",
    "log": "the same, each in the log of a timeline",
    "thin": "the same, when the log has the caller only",
    "bins": "the same, each in the log, when a bin ends every sixty calls",
    "log resume": "a generator that is suspended and goes on, in the log",
}
RECORD = Record(
    Path(__file__).with_name("core") / "counts.json",
    "an enter and a leave",
    "instructions",
    SCENARIOS,
)


def count_pairs(program: Path) -> dict[str, float]:
    """Instructions a pair, for each scenario: the cost of more rounds, for each of them."""
    few, many = ROUNDS
    counts = {}
    for scenario in SCENARIOS:
        fewer, more = (instructions([program, scenario, str(rounds)]) for rounds in ROUNDS)
        counts[scenario] = round((more - fewer) / (many - few), 1)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(prog="pairs.py", description=__doc__.splitlines()[0])
    parser.add_argument("program", metavar="PAIRS", type=Path)
    parser.add_argument("--record", action="store_true", help="write the counts to counts.json")
    options = parser.parse_args()
    compiler = subprocess.run([options.program], capture_output=True, text=True, check=True).stdout
    kind = f"{platform.machine()} {compiler.strip()}"
    return RECORD.tell(kind, count_pairs(options.program.resolve()), options.record)


if __name__ == "__main__":
    sys.exit(main())
