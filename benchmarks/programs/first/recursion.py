# function: ways
# share: 99
# caller: table
# clock: table
# words: \b15\b.*6,?189,?667|6,?189,?667.*\b15\b
"""The ways to change amounts into coins, by a recursion that keeps no result."""


def ways(amount, coins):
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    return ways(amount - coins[0], coins) + ways(amount, coins[1:])


def table(amounts):
    return {amount: ways(amount, (50, 20, 10, 5, 2, 1)) for amount in amounts}


print(sum(table(range(20, 170, 10)).values()))
