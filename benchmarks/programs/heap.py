"""A growing heap: records of several small objects each, all of which live until the end.

Almost all of its time is allocation, and what watches allocations has ever more live blocks.
"""

import argparse

FIRST = 1000  # numbers below 257 are no objects of their own


def record(number):
    """A record of four blocks: a tuple, a number, a text and a list with its items."""
    return number, f"record {number}", [number, number]


def grow(count):
    """So many records, in a list."""
    records = []
    for number in range(FIRST, FIRST + count):
        records.append(record(number))
    return records


def main(count):
    records = grow(count)
    print(f"{len(records):,} records are live")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("count", type=int, nargs="?", default=150_000)
    main(options.parse_args().count)
