"""Loader: what a loop iterates over, with the time that an item takes told to a StepProfiler."""

from __future__ import annotations

from operator import length_hint
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tracer._core import StepClock, StepReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Item = TypeVar("Item")


class Loader(Generic[Item]):
    """An iterable of the items of another one. Every other attribute is that one's own."""

    def __init__(self, clock: StepClock, iterable: Iterable[Item]) -> None:
        if not hasattr(iterable, "__iter__") and not hasattr(iterable, "__getitem__"):
            raise TypeError(f"loader() takes something to iterate over, not {iterable!r}")
        self._clock = clock
        self._iterable = iterable
        self._reader: Iterator[Item] | None = None  # of next()

    def __iter__(self) -> Iterator[Item]:
        return StepReader(self._clock, self._iterable)

    def __next__(self) -> Item:
        if self._reader is None:
            self._reader = iter(self)
        return next(self._reader)

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type]

    def __length_hint__(self) -> int:
        return length_hint(self._iterable)

    def __bool__(self) -> bool:
        return bool(self._iterable)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iterable, name)

    def __repr__(self) -> str:
        return f"<tracer loader of {self._iterable!r}>"
