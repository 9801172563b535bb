"""Functions as tables name them, and what is no regular expression for such names."""

from __future__ import annotations

import re

# A function of a file, or a builtin.
LABEL = r"(?s:(?P<file>.+):(?P<line>\d+)\((?P<name>.*)\)|\{.*\})"
# What re.compile() raises for a text that is none.
PATTERN_ERRORS = (re.error, OverflowError, RecursionError)
