# function: add_shipping
# share: 63
# caller: main
# words: \bapply\b
"""A column of a table, made row by row with a lambda."""

import pandas as pd


def add_shipping(orders):
    orders["shipping"] = orders.apply(
        lambda row: 0.0 if row["total"] > 50 else row["weight"] * 0.4 + 3.9, axis=1
    )


def by_country(orders):
    return orders.groupby("country")["shipping"].sum()


def main():
    numbers = range(150_000)
    orders = pd.DataFrame(
        {
            "country": [f"country {number % 30}" for number in numbers],
            "total": [number * 7 % 90 + 0.5 for number in numbers],
            "weight": [number % 11 + 0.2 for number in numbers],
        }
    )
    add_shipping(orders)
    print(by_country(orders).iloc[0])


main()
