"""A shop: it reads its orders, one query too many for each, and writes them as lines of JSON."""

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


def customer_name(db, number):
    return db.execute("SELECT name FROM customers WHERE id = ?", (number,)).fetchone()[0]


def view(db, order, customer, cents):
    """What a request for one order gives."""
    found = {"order": order, "name": customer_name(db, customer), "price": price(cents)}
    return json.dumps(found, sort_keys=True)


def main():
    db = sqlite3.connect(":memory:")
    fill(db, 20_000)
    size = 0
    for row in db.execute("SELECT id, customer, cents FROM orders"):
        size += len(view(db, *row))
    print(f"{size} characters")


if __name__ == "__main__":
    main()
