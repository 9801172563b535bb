"""The builtin `profile`, which programs find that kernprof or %lprun runs, put back behind them."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager

MISSING = object()


@contextmanager
def kept_builtin() -> Iterator[None]:
    """Whatever becomes of it inside, it is afterwards what it was before, or gone."""
    before = getattr(builtins, "profile", MISSING)
    try:
        yield
    finally:
        if before is MISSING:
            vars(builtins).pop("profile", None)
        else:
            builtins.profile = before  # type: ignore[attr-defined]
