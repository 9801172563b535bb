# function: step
# share: 96
# caller: part
"""Steps of a computation: a few in the main thread, then more in the two threads of a pool."""

import functools
from multiprocessing.pool import ThreadPool


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def step(n):
    total = 0
    for number in range(n):
        total += number * number
    return total


@logged
def prepare():
    return [step(40_000) for _ in range(100)]


@logged
def part(n):
    return [step(40_000) for _ in range(n)]


def main():
    prepare()
    with ThreadPool(2) as pool:
        print(len(pool.map(part, [30] * 8)))


main()
