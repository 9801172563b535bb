"""A pool of threads reads, checks and packs records, as a service behind a queue does: Python code
that holds the GIL, and C code that lets go of it."""

import hashlib
import json
import zlib
from concurrent.futures import ThreadPoolExecutor

KINDS = ("order", "return", "visit")


def record(number):
    items = [{"id": number * 7 + at, "price": at * 100, "name": f"item {at}"} for at in range(20)]
    return json.dumps({"kind": KINDS[number % 3], "number": number, "items": items})


def checked(text):
    """The record, with its sum. Raises ValueError for a kind that there is not."""
    found = json.loads(text)
    if found["kind"] not in KINDS:
        raise ValueError(found["kind"])
    found["sum"] = sum(price_of(item) for item in found["items"])
    return found


def price_of(item):
    return item["price"] * 119 // 100


def packed(found):
    data = json.dumps(found, sort_keys=True).encode()
    return zlib.compress(data * 20), hashlib.sha256(data * 50).hexdigest()


def work(number):
    return len(packed(checked(record(number)))[0])


def run(count, threads=4):
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(work, range(count)))


if __name__ == "__main__":
    print(run(2000))
