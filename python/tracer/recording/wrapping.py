"""Finds the functions in a callable, and wraps them so that a Counter is told of their calls.

The Counter is told when a call, or a part of one, begins and ends. It is a LineProfiler, which
records in between. Everything in the callable but its functions stays as it was. member_scope.py
tells which members of a class or module are its own.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from types import FunctionType
from typing import Any, NamedTuple, Protocol

MARK = "__line_profiler_id__"  # the attribute that line_profiler's wrappers use, too
C_CALLABLES = (
    types.BuiltinFunctionType,
    types.ClassMethodDescriptorType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
)


class Counter(Protocol):
    """An object that is told when calls begin and end; `with counter:` lasts as long as a call."""

    def enable_by_count(self) -> None: ...
    def disable_by_count(self) -> None: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *error: object) -> None: ...


class Wrapping(NamedTuple):
    """The mark on a wrapper: the innermost function, and the Counter that is told of its calls."""

    func: Any
    profiler: Counter


def wrapping_of(function: object) -> Wrapping | None:
    mark = getattr(function, MARK, None)
    return mark if isinstance(mark, Wrapping) else None


# -- The functions in a callable ------------------------------------------------------------------


def functions_of(obj: object, *, classes: bool = False) -> list[Any]:
    """The Python functions that a callable is made of; with `classes`, a class stands for itself.

    Raises TypeError for an object that is not callable and is not made of functions.
    """
    found: list[Any] = []
    _collect(obj, found, set(), classes, obj)
    return list({id(function): function for function in found}.values())


def _collect(obj: Any, found: list[Any], seen: set[int], classes: bool, asked: object) -> None:
    if id(obj) in seen:
        return
    seen.add(id(obj))
    if isinstance(obj, FunctionType) or (classes and isinstance(obj, type)):
        found.append(obj)
    elif isinstance(obj, C_CALLABLES):
        return
    elif isinstance(obj, property):
        for part in (obj.fget, obj.fset, obj.fdel):
            if part is not None:
                _collect(part, found, seen, classes, asked)
    elif isinstance(obj, type):
        for member in vars(obj).values():
            for function in _functions_or_none(member):
                if function not in found and is_child(function, obj):
                    _collect(function, found, seen, classes, asked)
    elif (inner := _inner(obj)) is not None:
        _collect(inner, found, seen, classes, asked)
    elif not callable(obj):
        raise TypeError(f"func = {asked!r}: cannot get functions from {type(obj)} objects")


def _functions_or_none(member: object) -> list[Any]:
    try:
        return functions_of(member, classes=True)
    except TypeError:
        return []


def is_child(member: Any, owner: type) -> bool:
    """Whether a function or class is defined in the body of the class."""
    return bool(
        member.__module__ == owner.__module__
        and member.__qualname__ == f"{owner.__qualname__}.{member.__name__}"
    )


def _inner(obj: Any) -> Any:
    """The callable that a callable passes its calls on to, or None."""
    if isinstance(obj, (classmethod, staticmethod, types.MethodType)):
        return obj.__func__
    if isinstance(obj, (functools.partial, functools.partialmethod, functools.cached_property)):
        return obj.func
    if not callable(obj):
        return None
    method = inspect.getattr_static(type(obj), "__call__")
    if isinstance(method, C_CALLABLES):
        return getattr(obj, "__wrapped__", None)  # functools.lru_cache has it
    return method


# -- The same callable, wrapped -------------------------------------------------------------------


def wrap(obj: Any, counter: Counter) -> Any:
    """A callable like `obj` that tells the counter of its calls. A class is wrapped in place.

    A C callable is returned as it is, and so is one that tells this counter already. Raises
    TypeError for an object that cannot be wrapped.
    """
    if isinstance(obj, C_CALLABLES):
        return obj
    mark = wrapping_of(obj)
    if mark is not None and mark.profiler is counter:
        return obj
    if isinstance(obj, type):
        wrap_members(obj, vars(obj).copy(), counter)
        return obj
    if isinstance(obj, property):
        fget, fset, fdel = (part and wrap(part, counter) for part in (obj.fget, obj.fset, obj.fdel))
        return _like(obj, type(obj)(fget, fset, fdel, obj.__doc__))
    if isinstance(obj, functools.cached_property):
        copy: Any = functools.cached_property(wrap(obj.func, counter))
        copy.attrname = obj.attrname
        return copy
    if isinstance(obj, (classmethod, staticmethod)):
        return type(obj)(wrap(obj.__func__, counter))
    if isinstance(obj, types.MethodType):
        return types.MethodType(wrap(obj.__func__, counter), obj.__self__)
    if isinstance(obj, (functools.partial, functools.partialmethod)):
        return _like(obj, type(obj)(wrap(obj.func, counter), *obj.args, **obj.keywords))
    if callable(obj):
        return _wrapped(obj, counter, mark)
    raise TypeError(f"func = {obj!r}: cannot wrap {type(obj)} objects")


def _like(obj: Any, copy: Any) -> Any:
    for name, value in getattr(obj, "__dict__", {}).items():
        vars(copy).setdefault(name, value)
    return copy


def wrap_members(namespace: Any, members: dict[str, Any], counter: Counter) -> None:
    """Replace the members that have functions by wrapped ones. Warns (UserWarning) of members that
    cannot be replaced."""
    failed = {}
    for name, member in members.items():
        functions = _functions_or_none(member)
        if isinstance(namespace, type):
            functions = [function for function in functions if is_child(function, namespace)]
        if not functions:
            continue
        wrapped = wrap(member, counter)
        if wrapped is member:
            continue
        try:
            setattr(namespace, name, wrapped)
            if isinstance(wrapped, functools.cached_property):
                wrapped.__set_name__(namespace, name)
        except (AttributeError, TypeError):
            failed[name] = member
    if failed:
        import warnings

        warnings.warn(
            f"cannot wrap {len(failed)} attribute(s) of {namespace!r} (`{{attr: value}}`): "
            f"{failed!r}",
            stacklevel=4,
        )


def _wrapped(function: Any, counter: Counter, mark: Wrapping | None) -> Any:
    wrapper = _kind_of_wrapper(function)(function, counter)
    functools.update_wrapper(wrapper, function)
    innermost = mark.func if mark is not None else function
    setattr(wrapper, MARK, Wrapping(innermost, counter))
    return wrapper


def _kind_of_wrapper(function: Any) -> Callable[[Any, Counter], Any]:
    if inspect.isasyncgenfunction(function):
        return _async_generator
    if inspect.iscoroutinefunction(function):
        return _coroutine
    if inspect.isgeneratorfunction(function):
        flags = function.__code__.co_flags
        return _awaitable_generator if flags & inspect.CO_ITERABLE_COROUTINE else _generator
    return _plain


def _plain(function: Any, counter: Counter) -> Any:
    enable, disable = counter.enable_by_count, counter.disable_by_count

    def wrapper(*args: Any, **names: Any) -> Any:
        enable()
        try:
            return function(*args, **names)
        finally:
            disable()

    return wrapper


def _generator(function: Any, counter: Counter) -> Any:
    def wrapper(*args: Any, **names: Any) -> Any:
        return (yield from _counting(function(*args, **names), counter))

    return wrapper


def _awaitable_generator(function: Any, counter: Counter) -> Any:
    return types.coroutine(_generator(function, counter))


def _coroutine(function: Any, counter: Counter) -> Any:
    async def wrapper(*args: Any, **names: Any) -> Any:
        return await _Awaiting(function(*args, **names), counter)

    return wrapper


def _async_generator(function: Any, counter: Counter) -> Any:
    async def wrapper(*args: Any, **names: Any) -> AsyncGenerator[Any, Any]:
        generator = function(*args, **names)
        step: Awaitable[Any] = generator.asend(None)
        while True:
            try:
                item = await _Awaiting(step, counter)
            except StopAsyncIteration:
                return
            finally:
                del step  # as at the end of _counting()
            try:
                value = yield item
            except GeneratorExit:
                await _Awaiting(generator.aclose(), counter)
                raise
            except BaseException as error:
                step = generator.athrow(error)
            else:
                step = generator.asend(value)

    return wrapper


class _Awaiting:
    """An awaitable that runs another and tells the counter when it runs."""

    def __init__(self, awaited: Any, counter: Counter) -> None:
        self.awaited = awaited
        self.counter = counter

    def __await__(self) -> Generator[Any, Any, Any]:
        return _counting(self.awaited, self.counter)


def _counting(inner: Any, counter: Counter) -> Generator[Any, Any, Any]:
    """Run a generator or a coroutine; the counter is told when it runs, not when it waits."""
    step: Callable[[], Any] = functools.partial(inner.send, None)
    try:
        while True:
            try:
                with counter:
                    item = step()
            except StopIteration as end:
                return end.value
            try:
                value = yield item
            except GeneratorExit:
                with counter:
                    inner.close()
                raise
            except BaseException as error:
                step = functools.partial(inner.throw, error)
            else:
                step = functools.partial(inner.send, value)
    finally:
        del step, inner  # they may hold an error whose traceback holds this frame
