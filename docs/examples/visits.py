"""A log: how many visits each day had. strptime reads the date of each line."""

from collections import Counter
from datetime import datetime

LOG = [f"2025-{line % 12 + 1:02}-{line % 28 + 1:02} 12:30:00 GET /" for line in range(30_000)]


def day(line):
    return datetime.strptime(line[:10], "%Y-%m-%d").date()


def busiest(log):
    return Counter(day(line) for line in log).most_common(1)


print(busiest(LOG))
