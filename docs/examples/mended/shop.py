"""The shop, mended: one query for all orders, and one encoder."""

import json
import sqlite3


def fill(db, orders):
    db.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)")
    db.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, cents INTEGER)")
    for number in range(300):
        db.execute("INSERT INTO customers (name) VALUES (?)", (f"customer {number}",))
    rows = ((number % 300 + 1, number * 7 % 5000) for number in range(orders))
    db.executemany("INSERT INTO orders (customer, cents) VALUES (?, ?)", rows)


def price(cents):
    from decimal import Decimal  # when it is first needed

    return str(Decimal(cents) / 100)


ENCODER = json.JSONEncoder(sort_keys=True)


def view(order, name, cents):
    """What a request for one order gives."""
    return ENCODER.encode({"order": order, "name": name, "price": price(cents)})


def main():
    db = sqlite3.connect(":memory:")
    fill(db, 20_000)
    size = 0
    for row in db.execute(
        "SELECT o.id, name, cents FROM orders o JOIN customers c ON c.id = customer"
    ):
        size += len(view(*row))
    print(f"{size} characters")


if __name__ == "__main__":
    main()
