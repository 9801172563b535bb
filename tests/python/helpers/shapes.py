"""Statements of every kind, in the shapes that they can have, for what looks at lines: go() runs
them. Line by line it does nothing of use."""

# fmt: off
# ruff: noqa

import asyncio
from contextlib import contextmanager, suppress


def loops(n):
    for i in range(n): pass
    for i in range(n):
        if i % 2:
            continue
        if i > 5:
            break
    else:
        i = 0
    while n > 0: n -= 1
    while True:
        n += 1
        if n > 4:
            break
    while (
        n > 0
        and n
    ):
        n -= 1
    for i, (
        a, b
    ) in enumerate(
        zip(range(3), range(3))
    ):
        i = a + b
    for i in range(3):
        for a in range(2):
            continue
    return [i
            for i in range(n)]


def comprehensions(n):
    a = [x for x in range(n)]
    b = [
        x + y
        for x in range(n)
        if x % 2
        for y in (x,
                  x + 1)
    ]
    c = {x: y for x in a for y in b}
    d = {
        key: [value for value in range(key)]
        for key in c
    }
    e = sum(x for x in a)
    f = sum(
        x
        for x in a
    )
    return any(x > 2 for x in a), all(
        map(lambda x: x < 99, b)), sorted(
            d, key=lambda x: (
                -x,
                e,
                f,
            )
    )


def conditions(a, b):
    if a: b = 1
    elif b: a = 2
    else: a = b = 3
    x = (a
         if a > b
         else b)
    y = (a and
         b or
         x)
    if (
        x
        or y
    ):
        x = (
            1
        ); y = 2; z = [
            x]
    if (a <
            b <
            x) or not (
            y): x = z
    assert (
        x or
        y
    ), "never"
    (
        a
    )
    if (n := len(z)) > 0 and \
            n:
        pass
    return (
        n
    )


def errors(kind):
    try:
        try:
            if kind == 1:
                raise ValueError(
                    kind
                )
            if kind == 2:
                return kind
            [][kind]
        except (
            ValueError,
            TypeError,
        ) as error:
            raise KeyError(
                kind) from error
        else:
            kind = 7
        finally:
            kind = (kind,
                    kind)
    except KeyError:
        pass
    except IndexError: kind = 5
    finally:
        with suppress(ZeroDivisionError):
            1 / 0
    for _ in range(2):
        try:
            continue
        finally:
            kind = 6
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError:
        kind = 8
    except* (TypeError,
             KeyError) as group:
        kind = group
    return kind


@contextmanager
def context(fails=False):
    try:
        yield 1
    finally:
        if fails:
            raise LookupError


def contexts():
    with context(): pass
    with context() as a, \
            context() as b:
        a = b
    with (
        context() as a,
        context() as b,
    ):
        a = b
    for _ in range(2):
        with context():
            continue
    try:
        with (context(),
              context(True)):
            a = 1
    except LookupError:
        return a


def matches(value):
    match value:
        case 0: return 0
        case [a, b] if a > b:
            return a
        case [
            a,
            b
        ] | (a, b, _):
            return b
        case {
            "key": str()
                   | int() as a
        } if (
            a
        ):
            return a
        case str(
        ):
            pass
        case _:
            value = 3
    return value


def generators():
    def count(n):
        for i in range(n):
            got = yield i
            if got:
                yield (
                    got,
                    i
                )

    def outer(n):
        found = yield from count(n)
        yield from (x for x in range(2))
        return found

    def closed():
        try:
            while True: yield
        except ValueError:
            yield 1
        finally:
            count(1)

    g = outer(3)
    next(g)
    g.send(5)
    list(g)
    for end in (0, 1):
        g = closed()
        next(g)
        next(g)
        if end:
            g.throw(ValueError())
        g.close()
    for a, b in zip(count(3), count(4), strict=False):
        a = b


def decorate(*arguments):
    def inner(function):
        return function
    return inner


def definitions():
    @decorate(1)
    @decorate(
        2,
        3,
    )
    def f(a=(
            1),
          *b,
          **c):
        """Two
        lines."""
        return (a,
                b)

    @decorate()
    class A(
        object,
    ):
        """A
        class."""
        x = (1,
             2)
        y: int = 3

        def method(self): return self.x

        @property
        def p(
            self
        ):
            return self.method(
            )

    g = lambda: f(
        1,
        A().p,
    )
    return g(
    ), (lambda x: x)(1), (lambda
                          y:
                          y)(2)


def texts(a):
    b = f"""{a}
    {a +
     1} {
        f'{a}'
     }
    """
    print(
        f"{a!r:>{3}}"
        f"{b}"
        "",
        end="",
        file=Sink,
    )
    del (a,
         b)
    global known
    known = {
        **{"a": 1},
        "b": [*range(3),
              *range(2)],
    }
    known["a"], known[
        "b"
    ] = 1, 2
    known[
        "a"
    ] += (
        1
    )


class Sink:
    write = staticmethod(len)


def recursion(n):
    return n and recursion(
        n - 1
    ) + (n > 2 and recursion(n - 2) or 0)


class Ticks:
    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n == 0:
            raise StopAsyncIteration
        self.n -= 1
        await asyncio.sleep(0)
        return self.n

    async def __aenter__(self):
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *error):
        await asyncio.sleep(0)


async def numbers(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


async def coroutines(n):
    async for i in Ticks(n): pass
    async for i in Ticks(
        n
    ):
        i += 1
    async with Ticks(1) as t, Ticks(
        2
    ):
        t.n = 1
    found = [
        i
        async for i in numbers(n)
        if i
    ]
    await asyncio.gather(
        asyncio.sleep(0),
        asyncio.sleep(0),
    )
    return (await asyncio.sleep(0),
            found)


async def all_coroutines():
    await asyncio.gather(coroutines(2), coroutines(3))


def go():
    loops(8)
    comprehensions(5)
    for a, b in ((0, 0), (1, 0), (0, 1), (2, 3)):
        conditions(a, b)
    for kind in range(3):
        errors(kind)
    contexts()
    for value in (0, [2, 1], [1, 2], (1, 2, 3), {"key": 1}, {"key": ""}, "a", None):
        matches(value)
    generators()
    definitions()
    texts(3)
    recursion(6)
    asyncio.run(all_coroutines())
