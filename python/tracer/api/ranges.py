"""What tracer.range makes of a function that it decorates: each call is a range of its own.

ext/types/ranges.c has the range itself. The functions below are in no row of a profile, as all of
tracer's are: what they call counts as called by their caller.
"""

from __future__ import annotations

import functools
import inspect
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
    from typing import Any

    from tracer._core import range as Range


def decorate(own: Range, function: Any) -> Any:
    """The function, with a range like `own` around each call. Raises TypeError."""
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(decorate(own, function.__func__))
    if isinstance(function, type) or not callable(function):
        raise TypeError(
            f"a range decorates functions, not {function!r}: of a class, decorate the methods"
        )
    return functools.update_wrapper(_kind_of_wrapper(function)(own, function), function)


def _kind_of_wrapper(function: Any) -> Callable[[Range, Any], Any]:
    if inspect.isasyncgenfunction(function):
        return _async_generator
    if inspect.iscoroutinefunction(function):
        return _coroutine
    if inspect.isgeneratorfunction(function):
        code = getattr(function, "__code__", None)
        is_awaitable = code is not None and code.co_flags & inspect.CO_ITERABLE_COROUTINE
        return _awaitable_generator if is_awaitable else _generator
    return _plain


def _plain(own: Range, function: Any) -> Any:
    def call(*args: Any, **names: Any) -> Any:
        with own.copy():
            return function(*args, **names)

    return call


def _coroutine(own: Range, function: Any) -> Any:
    async def call(*args: Any, **names: Any) -> Any:
        with own.copy():
            return await function(*args, **names)

    return call


def _generator(own: Range, function: Any) -> Any:
    def call(*args: Any, **names: Any) -> Generator[Any, Any, Any]:
        with own.copy():
            return (yield from function(*args, **names))

    return call


def _awaitable_generator(own: Range, function: Any) -> Any:
    return types.coroutine(_generator(own, function))


def _async_generator(own: Range, function: Any) -> Any:
    async def call(*args: Any, **names: Any) -> AsyncGenerator[Any, Any]:
        with own.copy():
            generator = function(*args, **names)
            step: Awaitable[Any] = generator.asend(None)
            while True:  # as `yield from`, which async generators do not have
                try:
                    item = await step
                except StopAsyncIteration:
                    return
                finally:
                    del step  # it may hold an error whose traceback holds this frame
                try:
                    value = yield item
                except GeneratorExit:
                    await generator.aclose()
                    raise
                except BaseException as error:
                    step = generator.athrow(error)
                else:
                    step = generator.asend(value)

    return call
