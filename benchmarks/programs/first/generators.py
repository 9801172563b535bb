# function: fields
# share: 94
# caller: amounts
"""A chain of three generators, of which the one in the middle takes most of the time."""

import re

FIELD = re.compile(r"(\w+)=(\d+)")


def lines(count):
    for number in range(count):
        yield f"article={number} amount={number % 13} price={number % 99} weight={number % 7} " * 3


def fields(texts):
    for text in texts:
        yield {name: int(value) for name, value in FIELD.findall(text)}


def amounts(rows):
    for row in rows:
        yield row["amount"] * row["price"]


def total(count):
    result = 0
    for amount in amounts(fields(lines(count))):
        result += amount
    return result


print(total(100_000))
