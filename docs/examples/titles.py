"""A text: which of its lines are titles. One line takes the pattern very long."""

import re

TITLE = re.compile(r"(\w+ ?)+:")
LINES = [f"Chapter {number}: the next one" for number in range(5000)]
LINES[3000] = "this_title_has_no_colon"


def is_title(line):
    return TITLE.match(line) is not None


def count(lines):
    return sum(is_title(line) for line in lines)


print(count(LINES), "titles")
