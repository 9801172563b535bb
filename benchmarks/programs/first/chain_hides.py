# function: listing
# share: 97
# caller: books
"""Pages of a shop, by a view and a list, each of which has a decorator."""

import functools


def login_required(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def cached(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@login_required
def books(page):
    return listing(page)


@cached
def listing(page):
    return sorted(f"{number * 7919 % 5000:05}" for number in range(5_000 + page))


print(sum(len(books(page)) for page in range(400)))
