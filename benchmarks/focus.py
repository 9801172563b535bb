"""What a focus costs: a program with 95% of its calls in excluded code, plain and under a Profile.

    python benchmarks/focus.py [ROUNDS]

Prints a Markdown table of slow-downs. All Profiles take turns in one process, and the best round of
each counts. Ends with status 1 when, on sys.monitoring, a focus that leaves out 95% of the calls
slows the program down by more than a tenth.
"""

import math
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import tracer

BAR = 1.10
WORK = 4_000

LIBRARY = """
def fold(a, b):
    return a * 31 + b & 0xFFFF

def chunk(text):
    total = 0
    for character in text:
        total = fold(total, ord(character))
    return total

def caught(text):
    try:
        fold(text, None)
    except TypeError:
        return 1
    return 0

def pieces(text):
    for start in range(0, len(text), 4):
        yield text[start : start + 4]
"""

# One of 20 calls of Python functions is in this file: chunk calls fold 18 times.
PROGRAM = """
def step(text):
    return library.chunk(text)

def functions(count):
    for _ in range(count):
        step("eighteen letters..")

def generators(count):
    for _ in range(count):
        step_by_pieces("seventy-two letters, in pieces of four letters each: that is eighteen..")

def step_by_pieces(text):
    return sum(map(len, library.pieces(text)))

def exceptions(count):
    for _ in range(count):
        step_by_exceptions("text")

def step_by_exceptions(text):
    return [library.caught(text) for _ in range(9)]
"""


def load(folder):
    """The program's functions. The program and the library are files of their own."""
    spaces = {}
    for name, text in (("library", LIBRARY), ("program", PROGRAM)):
        path = Path(folder, f"{name}.py")
        path.write_text(text)
        spaces[name] = {"__name__": name, "__file__": str(path)}
        exec(compile(text, str(path), "exec"), spaces[name])
    spaces["program"]["library"] = type("library", (), {})
    for name, value in spaces["library"].items():
        if callable(value):
            setattr(spaces["program"]["library"], name, staticmethod(value))
    return [spaces["program"][name] for name in ("functions", "generators", "exceptions")]


def timed(program, profile):
    if profile is None:
        begin = perf_counter()
        program(WORK)
        return perf_counter() - begin
    profile.clear()
    with profile:
        program(WORK // 100)  # the first sight of the code does not count
        begin = perf_counter()
        program(WORK)
        return perf_counter() - begin


def share(program, folder):
    """The part of the calls and resumes of Python functions that is in the library, in percent."""
    with tracer.Profile(builtins=False) as profile:
        program(WORK // 100)
    stats = tracer.Stats(profile)
    often = {"library.py": 0, "program.py": 0}
    for label, row in stats.stats.items():
        if label[0].startswith(folder):
            resumes = stats.resumes[label].total if label in stats.resumes else 0
            often[Path(label[0]).name] += row[1] + resumes
    return 100 * often["library.py"] / sum(often.values())


def measure(programs, profiles, rounds):
    best = {}
    for _ in range(rounds):
        for program in programs:
            for name, profile in profiles.items():
                key = program.__name__, name
                best[key] = min(best.get(key, math.inf), timed(program, profile))
    return best


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    with tempfile.TemporaryDirectory() as folder:
        programs = load(folder := str(Path(folder).resolve()))
        profiles = {
            "plain": None,
            "everything": tracer.Profile(),
            "exclude": tracer.Profile(exclude=f"{folder}/library.py"),
            "exclude, no builtins": tracer.Profile(exclude=f"{folder}/library.py", builtins=False),
            "all excluded": tracer.Profile(exclude=folder),
        }
        shares = [share(program, folder) for program in programs]
        best = measure(programs, profiles, rounds)
    backend = profiles["exclude"].backend
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Python {version}, {backend}, best of {rounds} rounds, times the plain time\n")
    print(
        "| program | of calls and resumes excluded |", *(f"{name} |" for name in list(profiles)[1:])
    )
    print("|---|---|" + "---|" * (len(profiles) - 1))
    for program, percent in zip(programs, shares, strict=True):
        plain = best[program.__name__, "plain"]
        ratios = [best[program.__name__, name] / plain for name in list(profiles)[1:]]
        print(f"| {program.__name__} | {percent:.0f}% |", *(f"{ratio:.2f} |" for ratio in ratios))
    found = best["functions", "exclude"] / best["functions", "plain"]
    if backend == "monitoring" and found > BAR:
        print(f"\nthe focus costs {found:.2f} times the plain time, more than {BAR}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
