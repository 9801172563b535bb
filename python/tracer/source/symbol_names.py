"""Readable names of native symbols: those of C++, and of Rust before its own scheme, as their
compilers' library tells them, without parameters and results.

The library is libstdc++, which most C++ programs load. Where it is missing, and for names of other
languages, the symbol itself is the name.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARY = "libstdc++.so.6"
RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
NAMELESS = "(anonymous namespace)"


@cache
def readable(symbol: str) -> str:
    """The name of a function by its symbol: `npy::quicksort_<int>` for
    `_ZN3npy10quicksort_IiEEvPT_`."""
    demangled = _demangler()(symbol) if symbol.startswith("_Z") else ""
    return short(demangled) if demangled else symbol


def short(demangled: str) -> str:
    """A demangled name without its parameters, its result, and the hash of Rust."""
    demangled = RUST_HASH.sub("", demangled)
    if "operator" in demangled:  # what follows may be a bracket
        return demangled
    depth, start, at = 0, 0, 0
    while at < len(demangled):
        letter = demangled[at]
        if demangled.startswith(NAMELESS, at):
            at += len(NAMELESS)
            continue
        if letter == "(" and depth == 0:
            return demangled[start:at]
        depth += (letter == "<") - (letter == ">")
        if letter == " " and depth == 0:
            start = at + 1
        at += 1
    return demangled


@cache
def _demangler() -> Callable[[str], str]:
    try:
        import ctypes

        library = ctypes.CDLL(LIBRARY)
        demangle, free = library.__cxa_demangle, ctypes.CDLL(None).free
    except (ImportError, OSError, AttributeError):
        return lambda _: ""
    demangle.restype = ctypes.c_void_p
    demangle.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    free.argtypes = (ctypes.c_void_p,)

    def demangled(symbol: str) -> str:
        text = demangle(symbol.encode("utf-8", "surrogateescape"), None, None, None)
        if not text:
            return ""
        found = ctypes.string_at(text).decode("utf-8", "replace")
        free(text)
        return found

    return demangled
