"""Changes one token of the sources at random, again and again, and runs the tests: do they notice?

    mutants.py [--count N] [--seed SEED] [--layers LAYER...] [--quick SECONDS] [--jobs N] [--again]

For each change it runs the tests that reach the line, the quickest first, as many as --quick
allows. A change that these do not notice is later held against all tests that reach it. --jobs
mutants are tried at a time, each in a tree of its own; without it, as many as there are processors.
--layers draws them from these alone: core, recording, python.
Each verdict is a line of build/mutants/<SEED>.jsonl, so that a run that was stopped can go on.
--again takes the tests as they are now and tries the survivors once more, except where the line has
been rewritten since. The report is SURVIVORS.md, beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path

from changes import Change, Mutant, c_changes, c_tokens, python_changes
from reach import Reach, Test, record
from survivors import write_report
from tree import Tree, copy_of, twin_of
from trial import Trial, seconds_of_check

HERE = Path(__file__).resolve().parents[2]
FOLDER = HERE / "build/mutants"
LAYERS = {
    "core": ("ext/core",),
    "recording": (
        *("ext/interp", "ext/heapwalk", "ext/context"),
        *("ext/sources", "ext/recorders", "ext/dispatch"),
    ),
    "python": ("python/tracer",),
}

# -- Drawing -------------------------------------------------------------------------------------


def sources(tree: Tree, layer: str) -> list[str]:
    pattern = "*.py" if layer == "python" else "*.[ch]"
    found = [path for folder in LAYERS[layer] for path in (tree.place / folder).rglob(pattern)]
    return sorted(str(path.relative_to(tree.place)) for path in found)


def lines_of_code(tree: Tree, path: str) -> int:
    text = (tree.place / path).read_text()
    if path.endswith(".py"):
        lines = [line.strip() for line in text.splitlines()]
        return sum(line != "" and not line.startswith("#") for line in lines)
    return len({text.count("\n", 0, token.offset) for token in c_tokens(text)})


def shares(tree: Tree, count: int, layers: Iterable[str] = LAYERS) -> dict[str, int]:
    """How many of the mutants each layer gets: as many as it has lines of code, in proportion."""
    sizes = {
        layer: sum(lines_of_code(tree, path) for path in sources(tree, layer)) for layer in layers
    }
    total = sum(sizes.values())
    given = {layer: count * size // total for layer, size in sizes.items()}
    given[list(given)[-1]] += count - sum(given.values())
    return given


def drawn(tree: Tree, layer: str, seed: int) -> Iterator[Mutant]:
    """Mutants of a layer, in an order that the seed decides: at most one a line."""
    chance = random.Random(f"{seed} {layer}")
    changes_of = python_changes if layer == "python" else c_changes
    lines: dict[tuple[str, int], list[Change]] = {}
    for path in sources(tree, layer):
        text = (tree.place / path).read_text()
        compiled = None if layer == "python" else tree.compiled_lines(path)
        for change in changes_of(text):
            line = text.count("\n", 0, change.offset) + 1
            if compiled is None or line in compiled:
                lines.setdefault((path, line), []).append(change)
    order = list(lines)
    chance.shuffle(order)
    for path, line in order:
        yield Mutant(path, line, chance.choice(lines[path, line]))


# -- The run -------------------------------------------------------------------------------------


class Journal:
    """The verdicts so far, a line each; the last one of a mutant holds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.verdicts: dict[Mutant, dict] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            entry = json.loads(line)
            self.verdicts[Mutant(entry["path"], entry["line"], Change(**entry["change"]))] = entry

    def add(self, mutant: Mutant, layer: str, **verdict: object) -> None:
        entry = {**asdict(mutant), "layer": layer, **verdict}
        with self.lock, self.path.open("a") as file:
            self.verdicts[mutant] = entry
            print(json.dumps(entry), file=file)

    def in_state(self, *states: str) -> list[Mutant]:
        return [mutant for mutant, entry in self.verdicts.items() if entry["state"] in states]

    def counted(self) -> list[dict]:
        """The entries of all mutants, by state: "noticed"; "survived"; "since": had survived, and
        the tests as they are now notice it; "gone": had survived, and its line is another now;
        "quick": the tests of the first pass did not notice it, and no others were tried. Left out
        is "none": the change does not compile, or makes the same program."""
        return [entry for entry in self.verdicts.values() if entry["state"] != "none"]


def fill(
    trials: list[Trial],
    journal: Journal,
    layer: str,
    wanted: int,
    drawn: Iterator[Mutant],
    budget: float,
) -> None:
    """Tries the mutants that are drawn, until `wanted` mutants of the layer have a verdict."""
    untried = (mutant for mutant in drawn if mutant not in journal.verdicts)
    while True:
        have = sum(entry["layer"] == layer for entry in journal.counted())
        batch = list(islice(untried, max(wanted - have, 0)))
        if not batch:
            return
        try_each(trials, journal, ((mutant, layer) for mutant in batch), budget)


def try_each(
    trials: list[Trial], journal: Journal, mutants: Iterable[tuple[Mutant, str]], budget: float
) -> None:
    """Tries each mutant of a layer, as many at a time as there are trials."""
    free: queue.SimpleQueue[Trial] = queue.SimpleQueue()
    for trial in trials:
        free.put(trial)

    def one(asked: tuple[Mutant, str]) -> None:
        trial = free.get()
        try:
            try_one(trial, journal, *asked, budget)
        finally:
            free.put(trial)

    with ThreadPoolExecutor(len(trials)) as pool:
        for _ in pool.map(one, mutants):
            pass


def try_one(trial: Trial, journal: Journal, mutant: Mutant, layer: str, budget: float) -> None:
    """Puts the mutant's verdict into the journal."""
    start = time.monotonic()
    if not trial.put_in(mutant):
        journal.add(mutant, layer, state="none")
        return
    try:
        by, all_tried = trial.noticed_by(mutant, budget)
    finally:
        trial.take_out(mutant)
    before = journal.verdicts.get(mutant, {"state": "none"})["state"]
    if by:
        state = "since" if before in ("survived", "since") else "noticed"
    else:
        state = "survived" if all_tried else "quick"
    seconds = round(time.monotonic() - start, 1)
    journal.add(mutant, layer, state=state, by=by, seconds=seconds)
    change = f"{short(mutant.change.old)} -> {short(mutant.change.new)}"
    print(f"{mutant.path}:{mutant.line}: {change}: {state} {by} ({seconds} s)", flush=True)


def short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) < 60 else text[:57] + "..."


def is_gone(mutant: Mutant, before: Path, now: Path) -> bool:
    """Whether the mutant's line was rewritten, so that the sources of now have no such change."""
    if not (now / mutant.path).exists():
        return False  # the file may have another name now
    old, new = ((place / mutant.path).read_text().splitlines() for place in (before, now))
    kept = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return not any(start < mutant.line <= start + size for start, _, size in kept)


def failing_anyway(trial: Trial, kept: Path) -> set[Test]:
    """Tests that fail without any change, when recorded and again when not; and tests whose names
    change from run to run."""
    if not kept.exists():
        failing = [one for one in sorted(trial.reach.failed) if trial.fails(one)]
        failing += trial.unknown()
        kept.write_text(json.dumps(failing))
    return {(backend, name) for backend, name in json.loads(kept.read_text())}


def prepare(again: bool, jobs: int) -> list[Trial]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    tree = copy_of(HERE, FOLDER / "tree")
    tree.put_back()  # undoes the change of a run that was stopped
    done = FOLDER / "recorded"
    if not done.exists():
        record(tree, FOLDER, ["tests/python"])
        done.touch()
    elif again:
        changed = tree.take_tests(HERE)
        if changed:
            record(tree, FOLDER, changed)
    reach = Reach(FOLDER)
    trial = Trial(tree, reach, seconds_of_check(tree))
    trial.left_out = failing_anyway(trial, FOLDER / "failing.json")
    return [trial, *(beside(trial, FOLDER / f"tree-{n}") for n in range(2, jobs + 1))]


def beside(first: Trial, place: Path) -> Trial:
    """A trial in another tree, of the same sources and tests."""
    tree = twin_of(first.tree, place)
    tree.put_back()
    tree.take_tests(first.tree.place)
    trial = Trial(tree, first.reach, first.check_seconds)
    trial.left_out = first.left_out
    return trial


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", nargs="+", choices=list(LAYERS), default=list(LAYERS))
    parser.add_argument("--quick", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    trials = prepare(options.again, options.jobs)
    tree = trials[0].tree
    journal = Journal(FOLDER / f"{options.seed}.jsonl")

    def report() -> None:
        path = Path(__file__).with_name("SURVIVORS.md")
        write_report(path, options.seed, journal.counted(), tree.place)

    for layer, wanted in shares(tree, options.count, options.layers).items():
        fill(trials, journal, layer, wanted, drawn(tree, layer, options.seed), options.quick)
        report()
    left = [
        (mutant, journal.verdicts[mutant]["layer"])
        for mutant in journal.in_state("quick", *(["survived"] if options.again else []))
    ]
    if options.again:
        gone = [(mutant, layer) for mutant, layer in left if is_gone(mutant, tree.place, HERE)]
        for mutant, layer in gone:
            journal.add(mutant, layer, state="gone", by="")
        left = [asked for asked in left if asked not in gone]
    try_each(trials, journal, left, float("inf"))
    report()


if __name__ == "__main__":
    main()
