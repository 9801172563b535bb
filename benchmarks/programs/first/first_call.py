# function: rates
# share: 96
# caller: price
"""Prices that need a table of rates. The first price makes the table, which is kept."""

from functools import lru_cache


@lru_cache(maxsize=1)
def rates():
    return [sum(day * factor % 97 for factor in range(400)) for day in range(30_000)]


def price(number):
    return number * rates()[number % 30_000]


print(sum(price(number) for number in range(200_000)))
