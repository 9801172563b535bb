"""Restores the builtin `profile`, which kernprof and %lprun set for the programs that they run."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager

MISSING = object()


@contextmanager
def kept_builtin() -> Iterator[None]:
    """A context manager. At its end the builtin `profile` is what it was at the start, or gone."""
    before = getattr(builtins, "profile", MISSING)
    try:
        yield
    finally:
        if before is MISSING:
            vars(builtins).pop("profile", None)
        else:
            builtins.profile = before  # type: ignore[attr-defined]
