# function: checked
# share: 95
# clock: checked.wrapper
# words: signature|inspect
# words: \bnet\b
# words: \blabel\b
"""Two functions whose decorator checks their arguments, which takes far longer than they do."""

import functools
import inspect


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def checked(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        inspect.signature(function).bind(*args, **kwargs)
        return function(*args, **kwargs)

    return wrapper


@timed
@checked
def net(price):
    return price / 1.19


@timed
@checked
def label(number):
    return f"item {number:06}"


@timed
def main():
    prices = sum(net(number) for number in range(30_000))
    print(prices, len([label(number) for number in range(30_000)]))


main()
