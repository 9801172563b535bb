"""The instructions that the core takes for an enter and a leave, counted by valgrind's callgrind.

    count.py PAIRS [--record]

PAIRS is the program made of pairs.c. Counts do not depend on what else the machine does, so a
growth of more than 3% over counts.json fails, for the architecture and the compiler that are
recorded there; --record writes what was counted. `make bench-core` calls this.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RECORD = Path(__file__).with_name("counts.json")
ALLOWED_GROWTH = 1.03
ROUNDS = 2_000, 12_000
SCENARIOS = {
    "one": "one callee, again and again",
    "two": "two callees in turn",
    "five": "five callees in turn, more than a node remembers",
    "deep": "50 levels down and up again",
    "raise": "two enters and one leave, of the outer",
    "resume": "a generator that is suspended and goes on",
    "new": "a new context each time",
    "fold": "five callees in turn, past the node limit",
}


def instructions(program: Path, scenario: str, rounds: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        out = f"--callgrind-out-file={folder}/out"
        command = ["valgrind", "--tool=callgrind", out, program, scenario, str(rounds)]
        run = subprocess.run(command, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or collected is None:
        raise SystemExit(f"count.py: callgrind failed on {scenario}:\n{run.stderr}")
    return int(collected[1])


def count_pairs(program: Path) -> dict[str, float]:
    """Instructions a pair, for each scenario: what more rounds cost more."""
    few, many = ROUNDS
    counts = {}
    for scenario in SCENARIOS:
        more = instructions(program, scenario, many) - instructions(program, scenario, few)
        counts[scenario] = round(more / (many - few), 1)
    return counts


def grown(counts: dict[str, float], recorded: dict[str, float]) -> list[str]:
    """The scenarios that cost too much, or that are not recorded."""
    return [name for name in counts if counts[name] > ALLOWED_GROWTH * recorded.get(name, 0)]


def table(counts: dict[str, float], recorded: dict[str, float]) -> str:
    lines = ["| an enter and a leave | instructions | recorded |", "|---|---:|---:|"]
    for name, count in counts.items():
        lines.append(f"| {SCENARIOS[name]} | {count} | {recorded.get(name, '-')} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="count.py", description=__doc__.splitlines()[0])
    parser.add_argument("program", metavar="PAIRS", type=Path)
    parser.add_argument("--record", action="store_true", help="write the counts to counts.json")
    options = parser.parse_args()
    compiler = subprocess.run([options.program], capture_output=True, text=True, check=True).stdout
    kind = f"{platform.machine()} {compiler.strip()}"
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    counts = count_pairs(options.program.resolve())
    recorded = record.get(kind, {})
    print(table(counts, recorded))
    if options.record:
        record[kind] = counts
        RECORD.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
        return 0
    if not recorded:
        print(
            f"\ncount.py: nothing is recorded for {kind}, so nothing was compared", file=sys.stderr
        )
        return 0
    slow = grown(counts, recorded)
    if slow:
        print(f"\ncount.py: grown by more than 3%: {', '.join(slow)}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
