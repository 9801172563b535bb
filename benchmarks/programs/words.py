"""Text and JSON: make a log of JSON lines, read it back, count words, print the commonest.

Small Python functions spend much time in functions written in C (json, re, str methods, sort).
"""

import argparse
import collections
import json
import re

SYLLABLES = ("ka", "lo", "mi", "ter", "san", "vu", "re", "dol", "ip", "sum")
WORD = re.compile(r"[a-z]+")


def numbers(seed):
    """An endless sequence of numbers below 2**31, the same for the same seed on every machine."""
    while True:
        seed = (1103515245 * seed + 12345) % 2**31
        yield seed


def make_word(source):
    length = next(source) // 65536 % 3 + 1
    return "".join(SYLLABLES[next(source) // 65536 % len(SYLLABLES)] for _ in range(length))


def make_record(number, source):
    message = " ".join(make_word(source) for _ in range(next(source) // 65536 % 9 + 3))
    return {
        "id": number,
        "level": ("debug", "info", "error")[number % 3],
        "message": message.capitalize() + ".",
        "tags": sorted({make_word(source) for _ in range(3)}),
    }


def write_log(records, source):
    """The records as lines of JSON."""
    return [json.dumps(make_record(number, source)) for number in range(records)]


def read_log(lines):
    for line in lines:
        record = json.loads(line)
        if record["level"] != "debug":
            yield record


def count_words(records):
    counts = collections.Counter()
    for record in records:
        counts.update(WORD.findall(record["message"].lower()))
        counts.update(record["tags"])
    return counts


def report(counts, rows):
    ranking = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:>8}  {word}" for word, count in ranking[:rows]]


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Count the words of a made-up log.")
    parser.add_argument("records", type=int, nargs="?", default=20000, help="lines of the log")
    parser.add_argument("--rows", type=int, default=5, help="words to print")
    options = parser.parse_args(arguments)

    lines = write_log(options.records, numbers(1))
    counts = count_words(read_log(lines))
    print(f"{len(counts)} words in {options.records} records")
    print("\n".join(report(counts, options.rows)))


if __name__ == "__main__":
    main()
