"""Counts instructions by valgrind's callgrind, and compares the counts with recorded ones.

A count does not depend on what else the machine does, so that a growth of 3% is found. A record
holds the counts of each kind of build: another compiler makes other instructions.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ALLOWED_GROWTH = 1.03


def instructions(command: list[str | Path], **options) -> int:
    """How many instructions a command takes, without the processes that it starts."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run([*callgrind, *command], capture_output=True, text=True, **options)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or collected is None:
        words = " ".join(map(str, command))
        raise SystemExit(f"callgrind failed on {words}:\n{run.stderr}")
    return int(collected[1])


def bare_environment(path: Path | None = None) -> dict[str, str]:
    """The variables for a counted run of Python: none of the shell's that change how it starts.
    `path` is a folder to import from."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    found = {} if path is None else {"PYTHONPATH": str(path.resolve())}
    return {**kept, **found, "PYTHONHASHSEED": "0"}


def grown(counts: dict[str, float], recorded: dict[str, float]) -> list[str]:
    """The scenarios that cost too much, or that are not recorded."""
    return [name for name in counts if counts[name] > ALLOWED_GROWTH * recorded.get(name, 0)]


@dataclass(frozen=True)
class Record:
    """The file that holds the counts of each kind of build, and the table of counts."""

    path: Path
    counted: str  # the head of the table's first column
    unit: str  # the head of its second column
    scenarios: dict[str, str]

    def table(self, counts: dict[str, float], recorded: dict[str, float]) -> str:
        lines = [f"| {self.counted} | {self.unit} | recorded |", "|---|---:|---:|"]
        for name, count in counts.items():
            lines.append(f"| {self.scenarios[name]} | {count} | {recorded.get(name, '-')} |")
        return "\n".join(lines)

    def tell(self, kind: str, counts: dict[str, float], rewrite: bool) -> int:
        """Print the counts beside the recorded counts of this kind of build; with `rewrite`, record
        them. Returns the exit status: 1 when a count has grown."""
        kinds = json.loads(self.path.read_text()) if self.path.exists() else {}
        recorded = kinds.get(kind, {})
        print(self.table(counts, recorded))
        if rewrite:
            kinds[kind] = counts
            self.path.write_text(json.dumps(kinds, indent=2, sort_keys=True) + "\n")
            return 0
        script = Path(sys.argv[0]).name
        if not recorded:
            nothing = f"nothing is recorded for {kind}, so nothing was compared"
            print(f"\n{script}: {nothing}", file=sys.stderr)
            return 0
        slow = grown(counts, recorded)
        if slow:
            print(f"\n{script}: grown by more than 3%: {', '.join(slow)}", file=sys.stderr)
        return 1 if slow else 0
