"""A pool of processes, each of which keeps a profile of its own."""

import multiprocessing
import os

import tracer


def squares(n):
    return sum(number * number for number in range(n))


def work(n):
    with tracer.Profile() as profile:
        found = squares(n)
    profile.dump_stats(f"worker-{os.getpid()}-{n}.out")
    return found


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(sum(pool.map(work, [300_000, 400_000])))
