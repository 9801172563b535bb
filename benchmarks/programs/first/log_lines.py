# function: read_line
# share: 80
# caller: slowest
"""A log of requests, read line by line, each with its time."""

import tempfile
from datetime import datetime


def write(file):
    for number in range(150_000):
        minute, second = number // 60 % 60, number % 60
        file.write(f"2024-05-01 12:{minute:02}:{second:02} GET /page/{number} {number % 700} ms\n")


def read_line(line):
    day, time, _, path, milliseconds, _ = line.split()
    return datetime.strptime(f"{day} {time}", "%Y-%m-%d %H:%M:%S"), path, int(milliseconds)


def slowest(file):
    worst = None
    for line in file:
        request = read_line(line)
        if worst is None or request[2] > worst[2]:
            worst = request
    return worst


with tempfile.TemporaryFile("w+") as file:
    write(file)
    file.seek(0)
    print(slowest(file)[1])
