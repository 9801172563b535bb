"""Profiling by line: the profilers that are compared, and one program under one of them.

    python -m harness.lining find PROGRAM              the hottest functions of a program, as JSON
    python -m harness.lining run PROGRAM PROFILER NAME...    how long its body took, as JSON

Only functions of a module or of a class can be chosen: nobody can decorate others from outside. The
body runs once before anything else, so that it has imported what it needs. lines.py makes the
figures of the times.
"""

import gc
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, process_time
from types import FunctionType, ModuleType

from harness.programs import PROGRAMS

CHOSEN = 3  # functions of a program

Decorate = Callable[[FunctionType], Callable]
Session = tuple[Decorate, Callable[[], object], Callable[[], object]]  # decorates, starts, stops


def make_none() -> Session:
    return (lambda function: function), (lambda: None), (lambda: None)


def make_tracer() -> Session:
    from tracer._core import LineRecorder
    from tracer.source.statements import first_lines

    recorder = LineRecorder(first_lines=first_lines)

    def decorate(function):
        recorder.add_code(function.__code__)
        return function

    return decorate, recorder.enable, recorder.disable


def make_line_profiler() -> Session:
    """line_profiler starts and stops by itself, with every call of a decorated function."""
    from line_profiler import LineProfiler

    return LineProfiler(), (lambda: None), (lambda: None)


@dataclass(frozen=True)
class LineProfiler:
    name: str
    module: str  # which must be installed
    make: Callable[[], Session]
    every: int = 1  # it takes part in one of so many rounds over programs


LINE_PROFILERS = {
    profiler.name: profiler
    for profiler in (
        LineProfiler("none", "builtins", make_none),
        LineProfiler("tracer", "tracer", make_tracer),
        LineProfiler("line_profiler", "line_profiler", make_line_profiler, every=3),
    )
}


# -- The functions of a program --------------------------------------------------------------------


def reachable() -> dict[str, list[tuple[object, str, FunctionType]]]:
    """{name: places} of every function of every module and of its classes; name_of() gives the
    name. A place is an object, the name of its attribute, and the function that stands there."""
    found = {}
    modules = [one for one in sys.modules.values() if isinstance(one, ModuleType)]
    classes = {kind for one in modules for kind in vars(one).values() if isinstance(kind, type)}
    for owner in (*modules, *classes):
        for attribute, value in list(vars(owner).items()):
            if type(value) is FunctionType:
                found.setdefault(name_of(value), []).append((owner, attribute, value))
    return found


def name_of(function: FunctionType) -> str:
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}:{code.co_qualname}"


def hottest(program: str) -> list[str]:
    """The names of the functions with the largest tottime, the hottest first."""
    from tracer import Profile

    body = PROGRAMS[program].load()
    body()
    with Profile() as profile:
        body()
    profile.snapshot_stats()
    places = reachable()
    by_label = {tuple(name.rsplit(":", 2)[:2]): name for name in places}
    rows = sorted(profile.stats.items(), key=lambda row: -row[1][2])
    called = [label for label, row in rows if row[0]]
    names = [by_label.get((file, str(line))) for file, line, _ in called]
    return [name for name in names if name is not None][:CHOSEN]


def run(program: str, profiler: str, names: list[str]) -> dict[str, float]:
    body = PROGRAMS[program].load()
    body()
    decorate, start, stop = LINE_PROFILERS[profiler].make()
    places = [place for name, several in reachable().items() if name in names for place in several]
    made = {function: decorate(function) for _, _, function in places}  # several may have one name
    for owner, attribute, function in places:
        setattr(owner, attribute, made[function])
    gc.collect()
    start()
    used, started = process_time(), perf_counter()
    body()
    wall, cpu = perf_counter() - started, process_time() - used
    stop()
    return {"wall": wall, "cpu": cpu}


if __name__ == "__main__":
    verb, program, *words = sys.argv[1:]
    found = hottest(program) if verb == "find" else run(program, words[0], words[1:])
    print(json.dumps(found))
