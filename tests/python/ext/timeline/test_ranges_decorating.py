"""tracer.range as a decorator: which ranges the calls are, to the tick, and that the function is
what it was."""

import asyncio
import contextlib
import functools
import inspect
import types

import pytest

import tracer
from rows import Clock
from telling import Recording


@pytest.fixture
def here():
    return Recording()


def test_a_decorated_function(here):
    @tracer.range("work", kind="plain")
    def work(duration, *, more=0):
        """What it does."""
        here.wait(duration + more)
        return duration

    with here:
        assert [work(1), work(2, more=4)] == [1, 2]
    assert here.spans() == [("work", 0, 1), ("work", 1, 7)]
    assert all(each.values == (("kind", "plain"),) for each in here.ranges())
    assert (work.__name__, work.__doc__) == ("work", "What it does.")
    assert list(inspect.signature(work).parameters) == ["duration", "more"]
    assert not inspect.iscoroutinefunction(work) and not inspect.isgeneratorfunction(work)


def test_a_decorated_function_that_calls_itself(here):
    @tracer.range("down")
    def down(depth):
        here.wait(1)
        if depth:
            down(depth - 1)
        here.wait(1)

    with here:
        down(2)
    assert here.spans() == [("down", 0, 6), ("down", 1, 5), ("down", 2, 4)]


def test_a_decorated_function_that_raises(here):
    @tracer.range("fail")
    def fail():
        here.wait(1)
        raise KeyError("why")

    with here, pytest.raises(KeyError, match="why"):
        fail()
    assert here.spans() == [("fail", 0, 1)]


def test_a_decorated_coroutine_function(here):
    @tracer.range("fetch")
    async def fetch(name):
        here.wait(1)
        await asyncio.sleep(0)
        here.wait(2)
        return name

    async def main():
        return await asyncio.gather(fetch("a"), fetch("b"))

    assert inspect.iscoroutinefunction(fetch)
    with here:
        assert asyncio.run(main()) == ["a", "b"]
    assert here.spans() == [("fetch", 0, 4), ("fetch", 1, 6)]


def test_a_decorated_coroutine_that_is_cancelled_or_never_awaited(here):
    @tracer.range("forever")
    async def forever():
        here.wait(1)
        await asyncio.Event().wait()

    async def main():
        task = asyncio.create_task(forever())
        await asyncio.sleep(0)
        here.wait(2)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    with here:
        asyncio.run(main())
        forever().close()
    assert here.spans() == [("forever", 0, 3)]


def test_a_decorated_generator(here):
    @tracer.range("count")
    def count(most):
        here.wait(1)
        got = []
        for i in range(most):
            got.append((yield i))
            here.wait(1)
        return got

    with here:
        one, two = count(2), count(9)
        here.wait(10)
        assert next(one) == 0
        assert next(two) == 0
        with pytest.raises(StopIteration) as end:
            one.send("x")
            one.send("y")
        assert end.value.value == ["x", "y"]
        here.wait(100)
        two.close()
    assert here.spans() == [("count", 10, 14), ("count", 11, 114)]
    assert inspect.isgeneratorfunction(count)


def test_a_decorated_generator_takes_what_is_thrown(here):
    @tracer.range("catch")
    def catch():
        try:
            yield 1
        except KeyError as error:
            yield error.args
        yield 3

    with here:
        generator = catch()
        assert next(generator) == 1
        assert generator.throw(KeyError("a")) == ("a",)
        assert list(generator) == [3]
    assert here.spans() == [("catch", 0, 0)]


def test_a_decorated_async_generator(here):
    @tracer.range("stream")
    async def stream():
        got = []
        try:
            here.wait(1)
            got.append((yield 1))
            await asyncio.sleep(0)
            try:
                here.wait(1)
                yield 2
            except KeyError as error:
                got.append(error.args[0])
            yield got
        finally:
            await asyncio.sleep(0)
            here.wait(10)

    async def main():
        found = [item async for item in stream()]
        generator = stream()
        steps = [await anext(generator), await generator.asend("sent")]
        steps.append(await generator.athrow(KeyError("thrown")))
        await generator.aclose()
        half = stream()
        await anext(half)
        await half.aclose()
        return found, steps

    assert inspect.isasyncgenfunction(stream)
    with here:
        assert asyncio.run(main()) == ([1, 2, [None]], [1, 2, ["sent", "thrown"]])
    assert here.spans() == [("stream", 0, 12), ("stream", 12, 24), ("stream", 24, 35)]


def test_a_decorated_async_generator_that_raises(here):
    @tracer.range("stream")
    async def stream():
        yield 1
        raise KeyError("inside")

    async def main():
        async for _ in stream():
            here.wait(1)

    with here, pytest.raises(KeyError, match="inside"):
        asyncio.run(main())
    assert here.spans() == [("stream", 0, 1)]


def test_a_decorated_awaitable_generator(here):
    @tracer.range("step")
    @types.coroutine
    def step():
        here.wait(1)
        yield from asyncio.sleep(0).__await__()
        return 7

    async def main():
        return await step()

    with here:
        assert asyncio.run(main()) == 7
    assert here.spans() == [("step", 0, 1)]


def test_decorated_members_of_a_class(here):
    class Work:
        @tracer.range("method")
        def method(self):
            return self

        @tracer.range("static")
        @staticmethod
        def static():
            return 1

        @classmethod
        @tracer.range("class")
        def of_class(cls):
            return cls

        @tracer.range("outside")
        @classmethod
        def outside(cls):
            return cls

    work = Work()
    with here:
        assert [work.method(), work.static(), work.of_class(), work.outside()] == [
            work,
            1,
            Work,
            Work,
        ]
    assert [each.name for each in here.ranges()] == ["method", "static", "class", "outside"]


def test_decorated_callables_of_other_kinds(here):
    async def add(a, b):
        return a + b

    added = tracer.range("add")(functools.partial(add, 1))
    length = tracer.range("length")(len)
    assert inspect.iscoroutinefunction(added)
    with here:
        assert asyncio.run(added(2)) == 3
        assert length("four") == 4
    assert [each.name for each in here.ranges()] == ["add", "length"]


@pytest.mark.parametrize("target", [int, 5, None, "f"])
def test_only_functions_are_decorated(target):
    with pytest.raises(TypeError, match=r"a range decorates functions, not .*decorate the methods"):
        tracer.range("work")(target)


def test_a_decorated_function_keeps_its_rows():
    clock = Clock()

    def body(duration):
        clock.now += duration
        return duration

    def rows_of(work):
        profile = tracer.Profile(clock, 1.0, timeline=True)

        def call():
            work(1)
            work(2)

        profile.runcall(call)
        stats = tracer.Stats(profile)
        return {label[2]: figures[:4] for label, figures in stats.stats.items()}

    assert rows_of(tracer.range("r")(body)) == rows_of(body)
