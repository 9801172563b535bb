"""The till, mended: a cache keeps what was computed."""

from functools import cache

COINS = 200, 100, 50, 20, 10, 5


@cache
def ways(cents, coins):
    if cents == 0:
        return 1
    if cents < 0 or not coins:
        return 0
    return ways(cents - coins[0], coins) + ways(cents, coins[1:])


def table(prices):
    return [ways(price, COINS) for price in prices]


print(table(range(50, 600, 50)))
