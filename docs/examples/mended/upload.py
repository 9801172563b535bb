"""The uploads, mended: while one of them sleeps, others go on."""

import functools
import time
from concurrent.futures import ThreadPoolExecutor

refusals = {f"page-{number}.html": number % 4 for number in range(40)}


def retried(function):
    @functools.wraps(function)
    def again(*args):
        pause = 0.004
        while not function(*args):
            time.sleep(pause)
            pause *= 2

    return again


@retried
def upload(name):
    refusals[name] -= 1
    return refusals[name] < 0


def main():
    with ThreadPoolExecutor(8) as pool:
        pool.map(upload, list(refusals))


main()
