"""The rules of the phase `load` find the reader of a loop, without a profile: reader_hooks."""

import sys
import types

import pytest

import tracer
from rows import Clock
from tracer.api.reader_hooks import find

MODULE = """
class Base:
    def __next__(self):
        return self.read()

class Loader(Base):
    def __init__(self, clock):
        self.clock = clock
    def read(self):
        self.clock.now += 3
        return 1

def read(clock):
    clock.now += 2
    return again(clock)

def again(clock):
    clock.now += 1

number = len
"""


@pytest.fixture
def reading(monkeypatch):
    module = types.ModuleType("some_reader")
    exec(MODULE, vars(module))
    monkeypatch.setitem(sys.modules, "some_reader", module)
    return module


def timed(names, **options):
    clock = Clock()
    options = {"timer_only": True, "phases": {"load": names}, **options}
    return clock, tracer.StepProfiler(timer=clock, timeunit=1.0, **options)


def test_calls_of_a_named_function_are_the_readers_time(reading):
    clock, profiler = timed(["some_reader.read"])
    with profiler:
        for _ in range(3):
            reading.read(clock)
            clock.now += 4
            profiler.step()
    assert profiler.timings.reads == (3, 3, 3)
    assert profiler.timings.lengths == (7, 7, 7)


def test_a_method_of_a_base_class_is_found_for_its_subclasses(reading):
    clock, profiler = timed(["some_reader.Base.__next__"])
    with profiler:
        next_of = reading.Loader(clock)
        assert type(next_of).__next__(next_of) == 1
        profiler.step()
    assert profiler.timings.reads == (3,)


def test_a_named_function_within_another_counts_once(reading):
    clock, profiler = timed(["some_reader.read", "some_reader.again"])
    with profiler:
        reading.read(clock)
        profiler.step()
    assert profiler.timings.reads == (3,)


@pytest.mark.parametrize("name", ["__main__.read", "loop.read", "pkg.loop.read"])
def test_a_function_of_the_program_by_the_name_of_its_module(reading, monkeypatch, name):
    """Of `python pkg/loop.py` only the last part is known, of `python -m pkg.loop` all."""
    reading.__file__ = "/home/me/pkg/loop.py"
    if name.startswith("pkg."):
        reading.__spec__ = types.SimpleNamespace(name="pkg.loop")
    monkeypatch.setitem(sys.modules, "__main__", reading)
    before = reading.read
    clock, profiler = timed([name])
    with profiler:
        reading.read(clock)
        profiler.step()
    assert profiler.timings.reads == (3,)
    assert reading.read is before


def test_a_module_that_is_imported_comes_before_the_program_of_its_name(reading, monkeypatch):
    program = types.ModuleType("__main__")
    exec(MODULE, vars(program))
    program.__file__ = "/home/me/some_reader.py"
    monkeypatch.setitem(sys.modules, "__main__", program)
    assert find("some_reader.read") == (reading, "read", reading.read)
    assert find("some_reader.other") is None
    assert find("other.read") is None


def test_functions_are_put_back(reading):
    before = reading.read, reading.Base.__next__
    _, profiler = timed(["some_reader.read", "some_reader.Base.__next__"])
    with profiler:
        assert reading.read is not before[0]
        assert reading.read.__name__ == "read"
    assert (reading.read, reading.Base.__next__) == before


def test_what_somebody_else_put_there_stays(reading):
    _, profiler = timed(["some_reader.read"])

    def other(clock):
        return None

    with profiler:
        reading.read = other
    assert reading.read is other


def test_functions_are_put_back_where_the_loop_cannot_start(reading):
    before = reading.read

    def schedule(step):
        raise LookupError

    _, profiler = timed(["some_reader.read"], timer_only=False, schedule=schedule)
    with pytest.raises(LookupError):
        profiler.start()
    assert reading.read is before


def test_the_readers_calls_are_recorded_as_without_hooks(reading):
    clock, profiler = timed(["some_reader.read"], timer_only=False)
    with profiler:
        reading.read(clock)
        profiler.step()
    (label,) = [label for label in profiler.stats.stats if label[2] == "read"]
    assert [caller[2] for caller in profiler.stats.stats[label][4]] == [
        "test_the_readers_calls_are_recorded_as_without_hooks"
    ]
    assert profiler.timings.reads == (3,)


@pytest.mark.parametrize(
    "name",
    ["some_reader.nothing", "no_module.read", "read", "some_reader.number", "some_reader.read.x"],
)
def test_names_of_nothing_are_passed_over(reading, name):
    assert find(name) is None
    _, profiler = timed([name, "some_reader.*"])
    with profiler:
        profiler.step()
    assert profiler.timings.reads == ()
