"""A library: what each reader has borrowed, of a table without an index."""

import sqlite3


def fill(db):
    db.execute("CREATE TABLE loans (reader INTEGER, title TEXT)")
    rows = ((number % 1000, f"title {number}") for number in range(8000))
    db.executemany("INSERT INTO loans VALUES (?, ?)", rows)


def titles(db, reader):
    return db.execute("SELECT title FROM loans WHERE reader = ?", (reader,)).fetchall()


def remind(db):
    return sum(len(titles(db, reader)) for reader in range(1000))


db = sqlite3.connect(":memory:")
fill(db)
print(remind(db), "loans")
