# function: find
# share: 98
# caller: book
"""Bookings for customers who are found without an index, by two calls of equal size."""

import sqlite3


def connect():
    database = sqlite3.connect(":memory:")
    database.execute("create table customer (id integer primary key, mail text)")
    rows = [(number, f"m{number}@shop.example") for number in range(8_000)]
    database.executemany("insert into customer values (?, ?)", rows)
    return database


def find(database, mail):
    return database.execute("select id from customer where mail = ?", (mail,)).fetchone()[0]


def book(database, mail, amount):
    return find(database, mail) * amount


database = connect()
print(sum(book(database, f"m{number * 2}@shop.example", number * 1.5) for number in range(4_000)))
