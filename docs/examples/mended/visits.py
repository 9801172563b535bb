"""The log, mended: fromisoformat reads dates of one form alone."""

from collections import Counter
from datetime import date

LOG = [f"2025-{line % 12 + 1:02}-{line % 28 + 1:02} 12:30:00 GET /" for line in range(30_000)]


def day(line):
    return date.fromisoformat(line[:10])


def busiest(log):
    return Counter(day(line) for line in log).most_common(1)


print(busiest(LOG))
