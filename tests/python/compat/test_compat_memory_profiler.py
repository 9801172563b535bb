"""tracer.compat.memory_profiler: profile, LineProfiler and show_results()."""

import asyncio
import inspect
import io
import sys

import pytest

from memorylines import MIB, line_of, make, rows_in
from tracer.compat import memory_profiler
from tracer.compat.memory_profiler import LineProfiler, memory_usage, profile, show_results


def test_a_decorator_prints_each_call():
    stream = io.StringIO()
    decorated = profile(stream=stream, precision=2)(make)
    assert decorated.__name__ == "make"
    assert len(decorated(3)) == MIB
    text = stream.getvalue()
    made_in = make.__code__.co_filename
    head = "Line #    Mem usage    Increment  Occurrences   Line Contents"
    assert text.startswith(f"Filename: {made_in}\n\n{head}\n{'=' * len(head)}\n")
    assert text.endswith("\n\n\n")
    first = line_of(make)
    assert rows_in(text) == {
        first + 1: (3.00, 1),
        first + 2: (1.00, 1),
        first + 3: (-3.00, 1),
        first + 4: (0.00, 1),
    }
    decorated(2)
    assert stream.getvalue().count("Filename: ") == 2


def test_it_prints_on_standard_output_and_after_an_error_too(capsys):
    @profile
    def fails():
        data = bytearray(MIB)
        raise ValueError(len(data))

    with pytest.raises(ValueError, match=str(MIB)):
        fails()
    text = capsys.readouterr().out
    assert rows_in(text)[line_of(fails.__wrapped__) + 2] == (1.0, 1)


def test_a_generator_is_printed_when_it_ends():
    stream = io.StringIO()

    @profile(stream=stream)
    def numbers():
        kept = []
        kept.append(bytearray(MIB))
        got = yield 1
        kept.append(bytearray(2 * MIB))
        return got

    def whole():
        return (yield from numbers())

    steps = whole()
    assert next(steps) == 1
    assert not stream.getvalue()
    with pytest.raises(StopIteration) as end:
        steps.send("sent")
    assert end.value.value == "sent"
    first = line_of(numbers.__wrapped__)
    found = rows_in(stream.getvalue())
    assert found[first + 3] == (1.0, 1)
    assert found[first + 5] == (2.0, 1)


def test_a_coroutine():
    stream = io.StringIO()

    @profile(stream=stream)
    async def work():
        data = bytearray(2 * MIB)
        await asyncio.sleep(0)
        del data
        return 3

    async def main():
        return await asyncio.gather(work(), work())

    assert asyncio.run(main()) == [3, 3]
    first = line_of(work.__wrapped__)
    tables = stream.getvalue().split("Filename: ")[1:]
    assert len(tables) == 2
    for table in tables:
        assert rows_in(table)[first + 2] == (2.0, 1)
        assert rows_in(table)[first + 4] == (-2.0, 1)


def test_an_async_generator_is_printed_when_it_ends():
    stream = io.StringIO()

    @profile(stream=stream)
    async def numbers():
        kept = []
        kept.append(bytearray(MIB))
        got = yield 1
        kept.append(bytearray(2 * MIB))
        try:
            yield got
        except KeyError:
            kept.append(bytearray(3 * MIB))
        yield len(kept)

    async def main():
        steps = numbers()
        got = [await steps.asend(None), await steps.asend("sent"), await steps.athrow(KeyError)]
        assert not stream.getvalue()
        return [*got, *[item async for item in steps]]

    assert inspect.isasyncgenfunction(numbers)
    assert asyncio.run(main()) == [1, "sent", 3]
    first = line_of(numbers.__wrapped__)
    found = rows_in(stream.getvalue())
    assert [found[first + at] for at in (3, 5, 9)] == [(1.0, 1), (2.0, 1), (3.0, 1)]


@pytest.mark.parametrize("end", ["error", "close"])
def test_an_async_generator_that_does_not_come_to_its_end(end):
    stream, ended = io.StringIO(), []

    @profile(stream=stream)
    async def numbers():
        kept = bytearray(MIB)
        try:
            yield len(kept)
        finally:
            ended.append(end)

    async def main():
        steps = numbers()
        assert await anext(steps) == MIB
        if end == "error":
            with pytest.raises(KeyError):
                await steps.athrow(KeyError)
        else:
            await steps.aclose()

    asyncio.run(main())
    assert ended == [end]
    assert rows_in(stream.getvalue())[line_of(numbers.__wrapped__) + 2] == (1.0, 1)


def test_a_profiler_adds_up():
    profiler = LineProfiler()
    wrapped = profiler(make)
    wrapped(3)
    with profiler:
        assert profiler.enable_count == 1
        make(3)
    assert profiler.enable_count == 0
    make(3)  # not recorded
    (lines,) = {id(lines): lines for lines in profiler.code_map.values()}.values()
    first = line_of(make)
    assert list(lines) == [first + 1, first + 2, first + 3, first + 4]
    increment, usage, occurrences = lines[first + 1]
    assert (round(increment, 3), occurrences) == (6.0, 2)
    assert usage == 0 or usage > 3
    ((file, rows),) = profiler.code_map.items()
    assert file == make.__code__.co_filename
    assert [number for number, _ in rows] == list(range(first, first + 5))
    assert dict(rows)[first] is None
    stream = io.StringIO()
    show_results(profiler, stream, precision=1)
    assert rows_in(stream.getvalue())[first + 1] == (6.0, 2)


def test_what_an_earlier_call_kept_is_known():
    kept = []

    def work():
        kept.append(bytearray(MIB - 57))
        del kept[:-1]

    profiler = LineProfiler()
    wrapped = profiler(work)
    for _ in (1, 2, 3):
        wrapped()
    lines = profiler.code_map[work.__code__]
    first = line_of(work)
    assert round(lines[first + 1].increment, 3) == 3.0
    assert round(lines[first + 2].increment, 3) == -2.0


def test_allocations_are_counted_no_longer_than_a_profiler_lives():
    import tracer

    profiler = LineProfiler()
    profiler(make)(1)
    other = tracer.Profile(memory=True)
    with pytest.raises(RuntimeError, match="another profile records memory"):
        other.enable()
    del profiler
    profile(make, stream=io.StringIO())(1)
    with other:
        pass


def test_what_is_defined_within_has_its_lines_in_the_same_table():
    def outer():
        def inner():
            return bytearray(MIB)

        return inner()

    profiler = LineProfiler()
    profiler(outer)()
    stream = io.StringIO()
    show_results(profiler, stream)
    first = line_of(outer)
    found = rows_in(stream.getvalue())
    assert found[first + 2] == (1.0, 1)
    assert found[first + 4] == (1.0, 1)


def test_decorated_functions_may_call_each_other():
    outer_stream, inner_stream = io.StringIO(), io.StringIO()

    @profile(stream=inner_stream)
    def inner():
        return bytearray(MIB)

    @profile(stream=outer_stream)
    def outer():
        kept = inner()
        kept = inner()
        return kept

    outer()
    assert inner_stream.getvalue().count("Filename: ") == 2
    first = line_of(outer.__wrapped__)
    found = rows_in(outer_stream.getvalue())
    assert found[first + 2] == (1.0, 1)
    assert found[first + 3] == (0.0, 1)


def test_beside_a_profile_of_the_programs_own():
    import tracer

    stream = io.StringIO()
    with tracer.Profile(memory=True) as mine:
        profile(make, stream=stream)(3)
    assert rows_in(stream.getvalue())[line_of(make) + 1] == (3.0, 1)
    assert mine.capture().memory.peak.bytes > 3 * MIB


def test_after_a_profile_of_the_programs_own():
    import tracer

    def increment(profiler):
        return round(profiler.code_map[make.__code__][line_of(make) + 1].increment, 3)

    kept, other = LineProfiler(), LineProfiler()
    with tracer.Profile(memory=True):
        kept(make)(3)
    other(make)(3)
    assert increment(other) == 3.0
    kept(make)(3)
    assert increment(kept) == 6.0
    with pytest.raises(RuntimeError, match="another profile records memory"):
        tracer.Profile(memory=True).enable()
    del kept, other
    with tracer.Profile(memory=True):  # nobody counts any longer
        pass


def test_what_has_no_code_is_warned_of():
    with pytest.warns(UserWarning, match="Could not extract a code object"):
        assert LineProfiler()(len)([1]) == 1


def test_backends(capsys):
    assert memory_profiler.choose_backend() == "psutil"
    for call in (profile, LineProfiler, memory_usage, memory_profiler.TimeStamper):
        with pytest.raises(ValueError, match="backend must be one of psutil, "):
            call(make, backend="none") if call is profile else call(backend="none")
    LineProfiler(backend="tracemalloc", include_children=True)
    said = capsys.readouterr().err
    assert "tracer's lines are exact without it" in said
    assert "lines have the memory of this process alone" in said


def test_the_debugger_begins_where_there_is_too_much(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("p 'here', len(data)\ncontinue\n"))
    LineProfiler(max_mem=1e-3)(make)(2)
    said = capsys.readouterr().out
    assert "MiB exceeded the maximum of 0.00 MiB" in said
    assert "Stepping into the debugger" in said
    assert sys.gettrace() is None


def test_where_it_may_start_the_debugger_it_may_be_enabled_within_itself():
    profiler = LineProfiler(max_mem=1e9)
    with profiler, profiler:
        assert sys.gettrace() is not None
    assert sys.gettrace() is None
