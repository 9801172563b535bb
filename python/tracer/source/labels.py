"""Labels, the names of functions in tables, and the errors of patterns for them."""

from __future__ import annotations

import re

# A function in a file: file:line(name). Or a builtin: {name}.
LABEL = r"(?s:(?P<file>.+):(?P<line>\d+)\((?P<name>.*)\)|\{.*\})"
# What re.compile() raises for a text that is no regular expression.
PATTERN_ERRORS = (re.error, OverflowError, RecursionError)
