"""Run the benchmarks one after the other: what `make bench` and `make bench-quick` do.

Their tables go to standard output and, with the samples as JSON, to build/bench/.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from harness.report import BUILD, complain, machine, need_tracer, parser, version

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Stage:
    name: str
    full: list[str]
    quick: list[str] | None  # None: not in the quick run
    of: str | None = None  # its script, where that is not <name>.py

    @property
    def script(self) -> Path:
        return HERE / f"{self.of or self.name}.py"


# They run in this order. The full ones take 20 minutes at most, the quick ones about one.
STAGES = [
    Stage("events", ["--rounds", "25"], ["--rounds", "15"]),
    Stage("ends", [], ["--quick"]),
    Stage("exports", [], None),
    Stage("live", [], None),
    Stage("growth", ["--events", "1e9"], None),
    Stage("bias", ["--rounds", "3"], None),
    Stage("truth", ["--rounds", "5", "--minutes", "4"], None),
    Stage("lines", ["--rounds", "1"], ["--turns", "10", "--programs", "julia"]),
    Stage("programs", ["--rounds", "5", "--minutes", "9"], ["--rounds", "2", "--quick"]),
    Stage("others", ["--set", "other", "--rounds", "5", "--minutes", "3"], None, of="programs"),
]


def heading():
    lines = [f"# tracer beside its peers, Python {version()}", ""]
    lines += [f"- {name}: {value}" for name, value in machine().items()]
    return "\n".join(lines)


def run_stage(stage, arguments):
    """The stage's table, and whether it ended well. Its complaints go to stderr as they come."""
    file = BUILD / f"{stage.name}-{version()}.json"
    command = [sys.executable, str(stage.script), *arguments, "--json", str(file)]
    began = monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        complain(f"{stage.name} FAILED with status {done.returncode}")
    return f"{done.stdout}*{stage.name}: {monotonic() - began:.0f} s*\n", done.returncode == 0


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--quick", action="store_true", help="a minute instead of twenty")
    options.add_argument(
        "--only", nargs="+", choices=[stage.name for stage in STAGES], help="run only these stages"
    )
    options = options.parse_args(arguments)
    need_tracer()
    report = [heading()]
    print(f"{report[0]}\n", flush=True)
    well = True
    for stage in STAGES:
        chosen = stage.quick if options.quick else stage.full
        if chosen is None or (options.only and stage.name not in options.only):
            continue
        text, ended_well = run_stage(stage, chosen)
        well = well and ended_well
        report.append(text)
        print(text, flush=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    kind = "quick" if options.quick else "bench"
    (BUILD / f"{kind}-{version()}.md").write_text("\n".join(report))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
