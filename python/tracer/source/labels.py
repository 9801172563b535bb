"""Labels, the names of functions in tables, and regular expressions for them."""

from __future__ import annotations

import re

# A function in a file: file:line(name). Or a builtin: {name}.
LABEL = r"(?s:(?P<file>.+):(?P<line>\d+)\((?P<name>.*)\)|\{.*\})"
# What re.compile() raises for a text that is no regular expression.
PATTERN_ERRORS = (re.error, OverflowError, RecursionError)


def pattern_or_label(text: str) -> re.Pattern[str] | None:
    """The regular expression that a text is; None for a label that is none. Raises ValueError for a
    text that is neither."""
    try:
        return re.compile(text)
    except PATTERN_ERRORS as error:
        if re.fullmatch(LABEL, text):
            return None
        raise ValueError(f"invalid regular expression {text!r}: {error}") from None
