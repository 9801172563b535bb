# function: retry
# share: 99
# clock: retry.wrapper
# words: upload
# words: \b43\b
"""Uploads, half of which fail. A decorator waits before it tries again."""

import functools
import random
import time

random.seed(3)


def retry(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        for attempt in range(8):
            try:
                return function(*args, **kwargs)
            except OSError:
                time.sleep(0.01 * 2**attempt)
        raise OSError

    return wrapper


@retry
def upload(part):
    if random.random() < 0.5:
        raise OSError
    return sum(part)


print(sum(upload(range(20_000)) for _ in range(60)))
