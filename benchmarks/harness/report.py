"""Tells what a benchmark found: a table in Markdown, goals met or missed, a JSON file.

Also has the options of the command line that all scripts know. The scripts say what figures mean.
"""

import argparse
import json
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from harness.figures import Figure

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "bench"


@dataclass(frozen=True)
class Goal:
    """A figure that is to be at most `limit`."""

    name: str
    limit: float
    measured: Figure

    @property
    def verdict(self) -> str:
        if self.measured is None:
            return "not measured"
        return "met" if self.measured <= self.limit else "missed"


def show(figure: Figure, digits: int = 2) -> str:
    return "-" if figure is None else f"{figure:z,.{digits}f}"


def table(headers: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; the first column is aligned left, the others right."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    rules = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = []
    for row in [headers, rules, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def goal_table(goals: list[Goal]) -> str:
    return table(
        ["goal", "at most", "measured", ""],
        [[goal.name, show(goal.limit), show(goal.measured, 3), goal.verdict] for goal in goals],
    )


def machine() -> dict[str, str]:
    """What was measured, and where: interpreter, machine, version of tracer."""
    import tracer

    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass  # not Linux
    return {
        "python": platform.python_version(),
        "compiler": platform.python_compiler(),
        "system": platform.platform(terse=True),
        "processor": f"{os.cpu_count()} x {model}",
        "load": "{:.1f} {:.1f} {:.1f}".format(*os.getloadavg()),
        "tracer": tracer.__version__,
        "back end": f"{tracer.Profile().backend}",
    }


def version() -> str:
    return "{}.{}".format(*sys.version_info)


def parser(description: str | None) -> argparse.ArgumentParser:
    """The parser of a script; `description` is the docstring of its module."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--json", type=Path, metavar="FILE", help="write the samples to FILE, too")
    return made


def number(at_least: int):
    """The type of an option that is a whole number of `at_least` or more."""

    def convert(text: str) -> int:
        value = int(float(text))  # 1e6 is easier to read than its zeros
        if value < at_least:
            raise argparse.ArgumentTypeError(f"{text} is less than {at_least}")
        return value

    convert.__name__ = "number"
    return convert


def finish(title: str, body: str, goals: list[Goal], options: argparse.Namespace, found) -> None:
    """Print the report of one benchmark, and write its JSON file if one is asked for."""
    print(f"## {title}\n\n{body}\n")
    if goals:
        print(f"{goal_table(goals)}\n")
    if options.json is None:
        return
    kept = {name: value for name, value in vars(options).items() if name != "json"}
    data = {"title": title, "machine": machine(), "options": kept, "found": found}
    data["goals"] = [
        {"name": g.name, "limit": g.limit, "measured": g.measured, "verdict": g.verdict}
        for g in goals
    ]
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(data, indent=1, default=str) + "\n")


def complain(sentence: str) -> None:
    print(f"benchmarks: {sentence}", file=sys.stderr)


def need_tracer() -> None:
    """Ends the script where this interpreter has no tracer to be measured."""
    try:
        import tracer  # noqa: F401
    except ImportError:
        complain(
            f"{sys.executable} has no tracer: run it by `make bench`, or `pip install .` there"
        )
        raise SystemExit(2) from None
