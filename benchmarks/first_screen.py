"""The first screen: whether it names what a program's time went to, where that is known.

Programs of kinds that people profile state at their top which function takes which share of the
real time, and who calls it. Each runs under tracer, cProfile and pyinstrument, and what they print
gets a score (harness/screens.py): 2 for the answer at the top, with its share and its caller; 1 for
an answer that is there; 0 for none, or for one that leads elsewhere. What tracer tells is compared
with its own profile, too (harness/profiles.py). `make bench-first-screen` calls this script.
`--truth` measures the shares themselves, without a profiler.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median_low
from typing import NamedTuple

from harness import screens, truths
from harness.figures import middle
from harness.profiles import shares_in
from harness.report import Goal, complain, finish, need_tracer, number, parser, show, table
from harness.truths import Truth

MISSES = 3  # programs, at most, without a 2


# -- Running a program under a profiler ------------------------------------------------------------


class Shot(NamedTuple):
    """What a profiler printed. shares: those that the function has in its profile, in percent."""

    text: str
    shares: tuple[float, ...] = ()


def tracer_screen(folder: Path, truth: Truth) -> Shot:
    with tempfile.TemporaryDirectory() as made:
        file = str(Path(made, "profile.out"))
        truths.run(folder, "-m", "tracer", "-o", file, *truth.command)
        text = truths.run(folder, "-m", "tracer", "show", file).stdout
        return Shot(text, shares_in(file, lambda name: screens.names(name, truth.function)))


def cprofile_screen(folder: Path, truth: Truth) -> Shot:
    return Shot(truths.run(folder, "-m", "cProfile", "-s", "cumulative", *truth.command).stdout)


def pyinstrument_screen(folder: Path, truth: Truth) -> Shot:
    with tempfile.TemporaryDirectory() as made:
        file = Path(made, "screen.txt")
        options = ["-r", "text", "--unicode", "--no-color", "-o", str(file)]
        truths.run(folder, "-m", "pyinstrument", *options, *truth.command)
        return Shot(file.read_text() if file.exists() else "")


Shown = Callable[[Path, Truth], Shot]
Read = Callable[[str], screens.Screen]
Scores = dict[str, int]
PROFILERS: dict[str, tuple[Shown, Read]] = {
    "tracer": (tracer_screen, screens.of_tracer),
    "cProfile": (cprofile_screen, screens.of_cprofile),
    "pyinstrument": (pyinstrument_screen, screens.of_pyinstrument),
}


def shots_of(truth: Truth, profilers: list[str]) -> dict[str, Shot] | None:
    """What each profiler shows. None, with a line on stderr, where the program itself fails."""
    try:
        with truths.copied(truth.name) as folder:
            done = truths.run(folder, *truth.command)  # files are in memory from here on, too
        if done.returncode == 0:
            return {name: shown_by(truth, PROFILERS[name][0]) for name in profilers}
        reason = (done.stderr.strip() or "no word").splitlines()[-1]
        complain(f"{truth.name} ended with status {done.returncode}, and is left out: {reason}")
    except subprocess.TimeoutExpired:
        complain(f"{truth.name} took more than {truths.PATIENCE} s, and is left out")
    return None


def shown_by(truth: Truth, show_screen: Shown) -> Shot:
    with truths.copied(truth.name) as folder:
        return show_screen(folder, truth)


def scores_of(truth: Truth, rounds: list[dict[str, Shot]]) -> Scores | None:
    """The score of each profiler, the median of the rounds: a busy machine moves shares. None
    where the program failed."""
    found: dict[str, list[int]] = {}
    for shots in rounds:
        for name, shot in shots.items():
            screen = replace(PROFILERS[name][1](shot.text), shares=shot.shares)
            found.setdefault(name, []).append(screens.score(screen, truth))
    return {name: median_low(several) for name, several in found.items()} or None


# -- Telling ---------------------------------------------------------------------------------------


def told(truth: Truth) -> str:
    text = f"{truth.function} {truth.share:g}%"
    return f"{text} for {truth.caller}" if truth.caller else text


def goals_of(scores: dict[str, Scores | None]) -> list[Goal]:
    found = [of["tracer"] if of else 0 for of in scores.values()]
    return [
        Goal("programs without a 2", MISSES, sum(one < 2 for one in found)),
        Goal("programs with a 0", 0, sum(one == 0 for one in found)),
    ]


def render(stated: list[Truth], scores: dict[str, Scores | None], names: list[str]) -> str:
    rows = []
    for truth in stated:
        of = scores[truth.name] or {}
        rows.append([truth.name, told(truth), *(show(of.get(name), 0) for name in names)])
    for label, wanted in (("*sum*", None), ("*with a 2*", 2), ("*with a 0*", 0)):
        cells = []
        for name in names:
            found = [of[name] for of in scores.values() if of]
            cells.append(str(sum(found) if wanted is None else found.count(wanted)))
        rows.append([label, "", *cells])
    return table(["program", "truth", *names], rows)


def tell_truths(stated: list[Truth], rounds: int) -> int:
    """Prints the shares that plain runs have, beside those that the programs state."""
    rows = []
    well = True
    for truth in stated:
        found = [share for _ in range(rounds) if (share := truths.measured(truth)) is not None]
        share = middle(found)
        well = well and share is not None and abs(share - truth.share) <= screens.NEAR
        each = " ".join(f"{one:.1f}" for one in found)
        rows.append([truth.name, told(truth), show(share, 1), each])
    print(table(["program", "stated", "measured, %", "each"], rows))
    return 0 if well else 1


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--programs", nargs="+", choices=truths.names(), metavar="NAME", help="these alone"
    )
    options.add_argument("--only", choices=PROFILERS, help="this profiler alone")
    options.add_argument("--show", action="store_true", help="print what tracer shows of each, too")
    options.add_argument(
        "--truth", action="store_true", help="measure the shares themselves, without a profiler"
    )
    options.add_argument("--rounds", type=number(1), help="runs of each (1; of --truth 3)")
    options = options.parse_args(arguments)
    need_tracer()
    stated = [truths.truth_of(name) for name in options.programs or truths.names()]
    if options.truth:
        return tell_truths(stated, options.rounds or 3)
    rounds = options.rounds or 1
    names = [options.only] if options.only else list(PROFILERS)
    shots: dict[str, list[dict[str, Shot]]] = {truth.name: [] for truth in stated}
    for truth in stated * rounds:
        if shown := shots_of(truth, names):
            shots[truth.name].append(shown)
    scores = {truth.name: scores_of(truth, shots[truth.name]) for truth in stated}
    if options.show and "tracer" in names:
        for truth in stated:
            for shown in shots[truth.name]:
                print(f"### {truth.name}: {told(truth)}\n\n{shown['tracer'].text}")
    goals = goals_of(scores) if "tracer" in names else []
    found = {"scores": scores, "shots": shots}
    finish("First screen", render(stated, scores, names), goals, options, found)
    return int(any(goal.verdict == "missed" for goal in goals))


if __name__ == "__main__":
    sys.exit(main())
