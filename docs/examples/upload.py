"""Uploads, tried again by a decorator that sleeps in between, longer each time."""

import functools
import time

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
    for name in refusals:
        upload(name)


main()
