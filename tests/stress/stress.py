"""Threads that work, and profiles that are enabled, disabled, cleared and read at random meanwhile.

    stress.py [--seconds N] [--seed N]

Rounds alternate. In a loud round every thread meddles with every profile; the figures that a
profile holds in the end must not contradict each other (identities.py). In a quiet round some
profiles are enabled before the threads begin and disabled when they are done; they must hold what
the threads counted themselves (work.py), and the very time that passed. The system decides which
thread runs when, so a seed repeats the choices and not the run.
"""

import argparse
import faulthandler
import gc
import os
import random
import sys
import threading
import time
import traceback
from collections import Counter

import tracer
from identities import Records, Wrong, check, is_of_work, require
from tracer._core import BACKENDS, unrecorded
from work import CALLERS, HYPOT, REVERSE, SORTED, Work

WORKERS = 8
TURNS = 12
SHARED, FLOW = tracer.range("shared"), tracer.flow("shared")
FROM_C = (HYPOT, SORTED, REVERSE)


class Timer:
    """Written in Python, so that threads take turns in the middle of an event. Keeps the times that
    it told the main thread."""

    def __init__(self):
        self.told = []

    def __call__(self):
        now = time.perf_counter_ns()
        if threading.get_ident() == main_thread:
            self.told.append(now)
        return now


main_thread = threading.get_ident()


def make_profile(rng):
    options = {"backend": rng.choice(BACKENDS)}
    sees_all = tracer.Profile(**options).backend.sees_all_callables
    levels = [True, True, False, "all"] if sees_all else [True, False]
    options["builtins"] = rng.choice(levels)
    options["subcalls"] = rng.random() < 0.8
    limits = {"_node_limit": rng.choice([0, 5, 50])} if rng.random() < 0.3 else {}
    if rng.random() < 0.4:
        options["timeline"] = "1MiB"
        options["timeline_last"] = rng.random() < 0.3
    timer = rng.choice([None, None, None, "cpu", time.perf_counter_ns, Timer()])
    if callable(timer):
        options["timeunit"] = 1e-9
    profile = type("Profile", (tracer.Profile,), {"_limits": limits})(timer, **options)
    profile.timer = timer
    profile.title = f"Profile({timer}, {options}, {limits})"
    return profile


def away():
    """Called where nothing is recorded; gives other threads their turn."""
    time.sleep(0)


class Meddler:
    """Does things to profiles at random."""

    def __init__(self, rng, profiles):
        self.random = rng
        self.profiles = profiles

    def chaos(self, leaf):
        place = self.random.randrange(len(self.profiles))
        profile = self.profiles[place]
        kind = self.random.randrange(18)
        if kind < 4:
            profile.enable()
        elif kind < 7:
            profile.disable()
        elif kind == 7:
            profile.clear()
        elif kind == 8:
            profile.getstats()
        elif kind == 9:
            profile.snapshot()
        elif kind == 10:
            profile.capture().dumps()
        elif kind == 11:
            profile.record_call(leaf)
        elif kind == 12:
            with profile:
                leaf()
        elif kind == 13:
            with unrecorded:
                away()
            leaf()
        elif kind < 17:
            self.tell()
        elif self.random.random() < 0.2:
            self.profiles[place] = make_profile(self.random)  # the old one may be enabled
        else:
            gc.collect(0)

    def tell(self):
        """Says something to timelines; what is entered here may be left anywhere, or never."""
        choice = self.random.random()
        if choice < 0.4:
            with tracer.range(f"own {choice:.1f}", value=self.random), SHARED:
                tracer.mark(self.random, value=[choice])
                away()
        elif choice < 0.6:
            SHARED.__enter__()
        elif choice < 0.8:
            SHARED.__exit__(None, None, None)
        else:
            FLOW.begin()
            tracer.counter("choice", choice)
            away()
            FLOW.end()


class Worker(threading.Thread):
    def __init__(self, stress, number):
        super().__init__(name=f"worker {number}", daemon=True)
        self.stress = stress
        self.work = Work(f"{stress.seed} {number}", stress.shared)
        self.meddler = Meddler(random.Random(f"{stress.seed} chaos {number}"), stress.profiles)

    def run(self):
        try:
            while True:
                self.stress.begin.wait()
                if self.stress.over:
                    return
                for _ in range(TURNS):
                    if self.stress.loud:
                        self.meddler.chaos(self.work.leaf)
                    self.work.turn()
                self.stress.end.wait()
        except BaseException:
            self.stress.failures.append(f"in {self.name}:\n{traceback.format_exc()}")
            self.stress.begin.abort()
            self.stress.end.abort()


class Stress:
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.shared = []
        self.failures = []
        self.profiles = [make_profile(self.random) for _ in range(8)]
        self.begin = threading.Barrier(WORKERS + 1)
        self.end = threading.Barrier(WORKERS + 1)
        self.loud = self.over = False
        self.checked = Counter()
        self.workers = [Worker(self, number) for number in range(WORKERS)]
        for worker in self.workers:
            worker.start()

    def let_work(self, loud):
        self.loud = loud
        self.begin.wait()
        self.end.wait()

    def loud_round(self):
        self.let_work(True)
        for profile in self.profiles:
            profile.disable()
        for profile in self.profiles:
            check(profile)
            self.checked["loud"] += 1

    def wait_until_all_wait(self, barrier):
        while barrier.n_waiting < WORKERS:
            time.sleep(0.0001)

    def quiet_round(self):
        """Enables the profiles when every worker waits to begin, and none has counted anything."""
        self.wait_until_all_wait(self.begin)
        chosen = self.random.sample(self.profiles, 4)
        for worker in self.workers:
            worker.work.counts.clear()
            worker.work.guests.clear()
        spans = [Span(profile) for profile in chosen]
        for span in spans:
            span.begin()
        self.loud = False
        self.begin.wait()
        self.wait_until_all_wait(self.end)
        self.random.shuffle(spans)
        for span in spans:
            span.finish()
        self.end.wait()
        for span in spans:
            span.check(self.workers)
            self.checked["quiet"] += 1

    def finish(self):
        self.over = True
        self.begin.wait()
        for worker in self.workers:
            worker.join()


class Span:
    """One profile from enable() to disable(), with the clock read around both."""

    def __init__(self, profile):
        self.profile = profile
        profile.clear()

    def begin(self):
        self.before = time.perf_counter_ns()
        if isinstance(self.profile.timer, Timer):
            self.profile.timer.told.clear()
        self.profile.enable()
        self.after_enable = time.perf_counter_ns()

    def finish(self):
        self.before_disable = time.perf_counter_ns()
        self.profile.disable()
        self.after = time.perf_counter_ns()

    def check(self, workers):
        stats = check(self.profile)
        (capture,) = stats.captures
        total = Counter()
        for worker in workers:
            total += worker.work.counts + worker.work.guests
            self.check_counts(stats.threads[worker.name], worker.work.counts, capture)
        self.check_counts(stats, total, capture)
        lived = [item.thread for item in stats.threads if item.thread.name != "guest"]
        require(len(lived) == WORKERS + 1, "threads:", lived)
        self.check_time(capture, {item.name: Records(capture, item).ticks() for item in lived})

    def check_counts(self, stats, counted, capture):
        found = Counter()
        for label, row in stats.stats.items():
            if is_of_work(label) or label[2] in FROM_C:
                found[label[2]] += row[1]
        resumes = (row.total for label, row in stats.resumes.items() if label[2] == "steps")
        found["steps, resumed"] = sum(resumes)
        for name in ["steps, resumed", *CALLERS, *(FROM_C if capture.builtins else ())]:
            words = (self.profile.title, getattr(stats, "thread", "all threads"), name)
            require(found[name] == counted[name], *words, found[name], "times, not", counted[name])

    def check_time(self, capture, ticks):
        """`ticks` of all threads but the guests: they lived from enable() to disable()."""
        if self.profile.timer == "cpu":
            return
        require(len(set(ticks.values())) == 1, self.profile.title, "different times:", ticks)
        nanoseconds = ticks["MainThread"] * capture.seconds_per_tick * 1e9
        least, most = self.before_disable - self.after_enable, self.after - self.before
        require(0.99 * least <= nanoseconds <= 1.01 * most, least, nanoseconds, most)
        if isinstance(self.profile.timer, Timer):
            told = self.profile.timer.told
            require(round(nanoseconds) == told[-1] - told[0], "time", nanoseconds, told)


def run(seconds, seed):
    """The line that says what was done. Raises Wrong."""
    sys.setswitchinterval(1e-5)
    stress = Stress(seed)
    until = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < until:
        rounds += 1
        try:
            if rounds % 2:
                stress.loud_round()
            else:
                stress.quiet_round()
        except threading.BrokenBarrierError:
            time.sleep(1)
            raise Wrong("\n".join(stress.failures)) from None
    stress.finish()
    return f"{rounds} rounds, {stress.checked['loud']} + {stress.checked['quiet']} profiles checked"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default=None)
    options = parser.parse_args()
    seed = options.seed or str(random.randrange(10**6))
    print(f"stress: python {sys.version.split()[0]}, seed {seed}", flush=True)
    faulthandler.enable()
    faulthandler.dump_traceback_later(options.seconds + 120, exit=True)
    try:
        print(f"stress: {run(options.seconds, seed)}")
    except Wrong as error:
        print(f"stress: seed {seed}: {error}", file=sys.stderr)
        os._exit(1)  # threads may wait for ever


if __name__ == "__main__":
    main()
