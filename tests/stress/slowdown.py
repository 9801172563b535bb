"""Samples at the highest rate of threads that do what changes chains of frames: calls, exceptions,
generators, coroutines, threads that come and go.

    slowdown.py [--seconds N] [--seed N] [--rate HZ]

Who called whom in a sample must be among what the program can do (work.py), and no function may be
unknown. Of a limit that suffices for each event, counts must be what the threads counted
themselves; of a smaller one, those told as exact, and no other may be above. Half of these also
count lines, which fall silent while the threads are in them.
"""

import argparse
import faulthandler
import random
import sys
import threading
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import ClassVar

import tracer
from identities import Wrong, is_of_work, require
from work import CALLERS, C, Work

WORKERS = 6
TURNS = 2000
LIMITS = (0.0, 0.02, 0.3, 1.0)  # slow-downs; the last leaves nothing out
BROKEN = 0.02  # of the samples, at most: chains that were read in the middle of a change
COUNTS = sys.version_info >= (3, 12)


class WithLines(tracer.Profile):
    _limits: ClassVar = {"lines": ((str(Path(__file__).parent),), (), (), ())}


class Workers:
    """Threads that work between two barriers, one round after the other."""

    def __init__(self, seed):
        self.begin, self.end = (threading.Barrier(WORKERS + 1) for _ in range(2))
        self.failures, self.over, shared = [], False, []
        self.works = [Work(f"{seed} {number}", shared) for number in range(WORKERS)]
        self.threads = [
            threading.Thread(target=self.run, args=(it,), daemon=True) for it in self.works
        ]
        for thread in self.threads:
            thread.start()

    def run(self, work):
        try:
            while True:
                self.begin.wait()
                if self.over:
                    return
                for _ in range(TURNS):
                    work.turn()
                self.end.wait()
        except BaseException:
            self.failures.append(traceback.format_exc())
            self.begin.abort()
            self.end.abort()

    def counted(self, profile):
        """What they count in one round, which the profile sees whole."""
        while self.begin.n_waiting < WORKERS:
            time.sleep(0.0001)
        for work in self.works:
            work.counts.clear()
            work.guests.clear()
        profile.enable()
        self.begin.wait()
        while self.end.n_waiting < WORKERS and not self.failures:
            time.sleep(0.001)
        profile.disable()
        self.end.wait()
        return sum((work.counts + work.guests for work in self.works), Counter())

    def finish(self):
        self.over = True
        self.begin.wait()
        for thread in self.threads:
            thread.join()


def check_chains(stats):
    """Each sampled function was called by one that calls it; functions in C are in no chain."""
    for label, (_, _, _, _, callers) in stats.stats.items():
        require(label[2] != "<unknown>", "a function is not known:", label)
        if is_of_work(label) and C not in CALLERS[label[2]]:
            for caller in callers:
                require(caller[2] in CALLERS[label[2]], label, "was called by", caller)


def check_counts(stats, counted):
    known = Counter()
    exact = {}
    for label, (calls, is_exact) in stats.sampled.counts.items():
        if is_of_work(label):
            known[label[2]] += calls
            exact[label[2]] = exact.get(label[2], True) and is_exact
    for name, calls in known.items():
        if exact[name]:
            require(calls == counted[name], name, "was told exactly as", calls, "of", counted[name])
        require(calls <= counted[name], name, "has at least", calls, "of", counted[name])
    return sum(exact.values()), len(exact)


def run(seconds, seed, rate):
    """The line that says what was done. Raises Wrong."""
    chosen, workers = random.Random(seed), Workers(seed)
    sys.setswitchinterval(1e-4)
    until, found = time.monotonic() + seconds, Counter()
    while time.monotonic() < until:
        limit = chosen.choice(LIMITS)
        has_lines = limit < 1 and chosen.random() < 0.5
        profile = (WithLines if has_lines else tracer.Profile)(slowdown=limit, rate=rate)
        try:
            counted = workers.counted(profile)
        except threading.BrokenBarrierError:
            raise Wrong("\n".join(workers.failures)) from None
        stats = tracer.Stats(profile)
        [facts] = stats.sampled.facts
        check_chains(stats)
        require(
            facts.broken <= BROKEN * facts.weight + 5,
            facts.broken,
            "of",
            facts.weight,
            "are broken",
        )
        if COUNTS:
            exact, of = check_counts(stats, counted)
            require(limit < 1 or exact == of, "not all counts are exact:", exact, of)
            found["exact counts"] += exact
            found["in part"] += of - exact
        found["profiles"] += 1
        found["lines"] += len(facts.hits or ())
        found["silent lines"] += sum(not hits.is_exact for hits in (facts.hits or {}).values())
        found["samples"] += round(facts.weight)
        found["broken"] += round(facts.broken)
    workers.finish()
    require(found["samples"] > 0, "there was no sample")
    return ", ".join(f"{count:,} {what}" for what, count in found.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default=None)
    parser.add_argument("--rate", type=int, default=10_000)
    options = parser.parse_args()
    seed = options.seed or str(random.randrange(10**6))
    print(f"slowdown: python {sys.version.split()[0]}, seed {seed}", flush=True)
    faulthandler.enable()
    faulthandler.dump_traceback_later(options.seconds + 120, exit=True)
    try:
        print(f"slowdown: {run(options.seconds, seed, options.rate)}")
    except Wrong as error:
        sys.exit(f"slowdown: seed {seed}: {error}")


if __name__ == "__main__":
    main()
