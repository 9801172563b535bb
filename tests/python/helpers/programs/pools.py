"""Processes of multiprocessing that run a function of __main__; argument: the start method."""

import multiprocessing
import os
import sys


def double(number):
    return os.getpid(), 2 * number


def main(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.map(double, range(10))
    print(sum(number for _, number in results), os.getpid() in {pid for pid, _ in results})


if __name__ == "__main__":
    main(sys.argv[1])
