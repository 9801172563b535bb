"""The library that a process has to be started with, so that the memory of C code is recorded."""

from __future__ import annotations

import os

from tracer._core import sees_native_memory

# ext/preload; built on Linux with glibc only.
LIBRARY: str = os.path.join(os.path.dirname(os.path.dirname(__file__)), "libtracer_preload.so")
# LD_PRELOAD separates its files by these.
NOT_LOADED = "the system loads no library of a path with spaces or colons, as"
NOT_BUILT = "tracer's library for the memory of C code is built on Linux with glibc only"


def is_loadable(library: str) -> bool:
    """Whether LD_PRELOAD can have this path."""
    return ":" not in library and len(library.split()) == 1


def recorded_memory(memory: object) -> bool:
    """Whether memory is recorded, by the value of an option `memory`. Raises ValueError for what is
    no value, and RuntimeError for "native" where the process lacks the library."""
    if memory is True or memory is False:
        return memory
    if memory != "native":
        raise ValueError(f"memory must be True, False or 'native', not {memory!r}")
    if not sees_native_memory():
        if not os.path.exists(LIBRARY):
            raise RuntimeError(f"memory='native': {NOT_BUILT}; give memory=True")
        if not is_loadable(LIBRARY):
            raise RuntimeError(
                f"memory='native': {NOT_LOADED} {LIBRARY!r}; install tracer elsewhere, or give "
                "memory=True"
            )
        raise RuntimeError(
            "memory='native' needs a process with tracer's library: start the program with "
            f"LD_PRELOAD={LIBRARY}"
        )
    return True
