"""%memit and %mprun for IPython and Jupyter, as memory_profiler has them."""

from __future__ import annotations

import gc
import io
from dataclasses import dataclass
from typing import Any

from tracer.compat.magics import (
    Options,
    function_named,
    number_in,
    parse_line,
    refusal,
    run_statement,
    save_table,
)
from tracer.compat.memory_lines import LineProfiler, show_results
from tracer.compat.memory_usage import memory_usage

MEMIT = "r:t:i:coq"
MPRUN = "rf:T:c"


@dataclass(eq=False, repr=False)
class MemitResult:
    """What %memit measured. mem_usage: the most MiB of each repeat. baseline: MiB before."""

    mem_usage: list[float]
    baseline: float
    repeat: int
    timeout: float | None
    interval: float
    include_children: bool

    def __str__(self) -> str:
        most = max(self.mem_usage)
        return f"peak memory: {most:.02f} MiB, increment: {most - self.baseline:.02f} MiB"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(f"<MemitResult : {self}>")


def register(ip: Any) -> None:
    """Give an IPython shell %memit, %%memit, %mprun and %%mprun."""

    def memit(line: str, cell: str | None = None) -> MemitResult | None:
        """Measure the memory that a statement takes.

        %memit [-r N] [-t SECONDS] [-i SECONDS] [-c] [-o] [-q] STATEMENT

        In cell mode the line is run before, and the cell is measured. -r N: run it N times. -i: the
        seconds between two measurements (0.1); -t: how long it is repeated at most. -c: add child
        processes. -o: give back the result. -q: print nothing.
        """
        return run_memit(ip, line, cell)

    def mprun(line: str, cell: str | None = None) -> LineProfiler | None:
        """Execute a statement and print the lines of functions by memory.

        %mprun -f FUNCTION [-f FUNCTION ...] [-T FILE] [-r] STATEMENT

        In cell mode the cell is run, too. -f FUNCTION: record its lines. -T FILE: also write the
        table to FILE. -r: give back the LineProfiler.
        """
        return run_mprun(ip, line, cell)

    for name, magic in {"memit": memit, "mprun": mprun}.items():
        ip.register_magic_function(magic, magic_kind="line_cell", magic_name=name)


def run_memit(ip: Any, line: str, cell: str | None) -> MemitResult | None:
    options, statement = parse_line("memit", line, MEMIT)
    setup, measured = ("", statement) if cell is None else (statement, cell)
    repeat = max(1, int(number_of(options, "r", 1)))
    timeout = number_of(options, "t", 0) or None
    interval = number_of(options, "i", 0.1)
    children = "c" in options
    gc.collect()
    space = ip.user_ns
    exec(setup, space)
    baseline = memory_usage(include_children=children)[0]
    found = [
        memory_usage(
            (exec, (measured, space)),
            timeout=timeout,
            interval=interval,
            max_usage=True,
            max_iterations=1,
            include_children=children,
        )
        for _ in range(repeat)
    ]
    result = MemitResult(found, baseline, repeat, timeout, interval, children)
    if "q" not in options:
        print(result)
    return result if "o" in options else None


def run_mprun(ip: Any, line: str, cell: str | None) -> LineProfiler | None:
    options, statement = parse_line("mprun", line, MPRUN)
    profiler = LineProfiler(include_children="c" in options)
    for name in options.get("f", ()):
        profiler.add_function(function_named(ip, name, repr(name)))
    text = statement if cell is None else f"{statement}\n{cell}"
    ended = run_statement(ip, profiler, text)
    stream = io.StringIO()
    show_results(profiler, stream)
    print(stream.getvalue(), end="")
    print(ended, end="")
    save_table(options, stream.getvalue(), ended)
    return profiler if "r" in options else None


def number_of(options: Options, letter: str, default: float) -> float:
    if letter not in options:
        return default
    text = options[letter][-1]
    number = number_in(text)
    if not number >= 0:
        raise refusal(f"-{letter} {text}: give a number")
    return number
