"""Chooses the rows of a table, as pstats does, with its remarks on how many are left out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from tracer.data.types import Label


class Selection:
    """Called with functions and a message, it returns those that all of `amount` select, one after
    the other, then the first `limit`; and the message with its remarks. evaluate: pstats'
    eval_print_amount(). found: those that `amount` selects."""

    def __init__(
        self,
        evaluate: Callable[[Any, Any, str], Any],
        amount: Iterable[Any],
        limit: int | None = None,
    ) -> None:
        self.evaluate = evaluate
        self.amount: tuple[Any, ...] = tuple(amount)
        self.limit = limit
        self.found: list[Label] = []

    def __call__(self, labels: list[Label], message: str) -> tuple[list[Label], str]:
        chosen: Any = labels
        for selection in self.amount:
            chosen, message = self.evaluate(selection, chosen, message)
        self.found = chosen
        if self.limit is not None:
            chosen, message = self.evaluate(self.limit, chosen, message)
        return chosen, message
