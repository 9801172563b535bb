"""How long steps and the reader took: StepProfiler.timings, step_info() and loader()."""

import threading
import tracemalloc
from array import array

import pytest

import tracer
from rows import Clock
from tracer.analysis.steps.timings import distribution_of, rates_of
from tracer.report.step_timings import number_text, timings_table

pytestmark = pytest.mark.results


class Timed:
    """A profiler that only times, by a clock in seconds."""

    def __init__(self, **options):
        self.clock = Clock()
        options = {"timer_only": True, **options}
        self.profiler = tracer.StepProfiler(timer=self.clock, timeunit=1.0, **options)

    def wait(self, ticks):
        self.clock.now += ticks

    def items(self, number, ticks):
        for item in range(number):
            self.wait(ticks)
            yield item


@pytest.fixture
def timed():
    return Timed()


def run(timed, lengths, items=None, reads=0):
    with timed.profiler as profiler:
        for number, length in enumerate(lengths):
            if reads:
                for _ in profiler.loader(timed.items(1, reads)):
                    pass
            timed.wait(length)
            profiler.step(None if items is None else items[number])
    return profiler.timings


def test_each_figure_is_of_the_same_steps(timed):
    timings = run(timed, [8, 3, 6, 11], [20, 10, 4, 26], reads=2)
    assert timings.lengths == (10, 5, 8, 13)
    assert timings.reads == (2, 2, 2, 2)
    assert vars(timings.batch_cost) == {"average": 9, "max": 13, "min": 5, "p95": 13}
    assert vars(timings.reader_cost) == {"average": 2, "max": 2, "min": 2, "p95": 2}
    assert vars(timings.items_per_second) == {"average": 60 / 36, "max": 2, "min": 0.5, "p95": 2}
    assert timings.steps_per_second.average == 4 / 36
    assert timings.reader_ratio == pytest.approx(100 * 8 / 36)


def test_a_step_may_last_longer_than_can_be_counted(timed):
    """Differences of a timer's numbers wrap, and so do sums of them, as in a Profile."""
    timed.clock.now = -(2**62)
    with timed.profiler as profiler:
        for item in profiler.loader(timed.items(1, 2)):
            assert item == 0
        profiler.step()
        timed.clock.now = -(2**62)
        profiler.step()
        for item in profiler.loader(timed.items(2, 2**62)):
            assert item in (0, 1)
        profiler.step()
    timings = profiler.timings
    assert timings.lengths == (2, -2, -(2**63))
    assert timings.reads == (2, 0, -(2**63))


def test_items_of_some_steps_are_of_those(timed):
    timings = run(timed, [10, 10, 20], [None, 5, None])
    assert timings.items == (None, 5, None)
    assert vars(timings.items_per_second) == dict.fromkeys(("average", "max", "min", "p95"), 0.5)


def test_without_a_reader_there_is_none(timed):
    timings = run(timed, [1, 2])
    assert (timings.reads, timings.reader_cost, timings.reader_ratio) == ((), None, None)


def test_an_average_never_leaves_its_list():
    for numbers in ([0.1] * 3, [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], [1e-9, 1e9], [7.0]):
        figures = distribution_of(numbers)
        assert figures.min <= figures.average <= figures.max
        rates = rates_of([(0.3, number) for number in numbers])
        assert rates.min <= rates.average <= rates.max
        assert rates.min <= rates.p95 <= rates.max
    assert distribution_of([]) is rates_of([]) is None


def test_p95_is_the_nearest_rank():
    assert distribution_of(range(1, 101)).p95 == 95
    assert distribution_of(range(1, 21)).p95 == 19


def test_a_loader_may_be_used_for_several_epochs(timed):
    with timed.profiler as profiler:
        loader = profiler.loader([1, 2, 3])
        assert (len(loader), bool(loader)) == (3, True)
        for _ in range(2):
            assert [item for item in loader for _ in [profiler.step()]] == [1, 2, 3]
    assert profiler.step_number == 6


def test_a_loader_has_the_attributes_of_what_it_reads(timed):
    class Data:
        batch_size = 32

        def __getitem__(self, place):
            return [4, 5][place]

    loader = timed.profiler.loader(Data())
    assert loader.batch_size == 32
    assert list(loader) == [4, 5]
    assert (next(loader), next(loader)) == (4, 5)
    with pytest.raises(StopIteration):
        next(loader)
    with pytest.raises(AttributeError):
        loader.nothing  # noqa: B018
    with pytest.raises(TypeError, match=r"^loader\(\) takes something to iterate over, not 3$"):
        timed.profiler.loader(3)


def test_a_reader_around_a_reader_counts_once(timed):
    with timed.profiler as profiler:
        for _ in profiler.loader(profiler.loader(timed.items(2, 5))):
            timed.wait(1)
            profiler.step()
    assert (profiler.timings.reads, profiler.timings.lengths) == ((5, 5), (6, 6))


def test_a_reader_that_raises_is_counted_and_raises(timed):
    def broken():
        timed.wait(4)
        raise OSError("gone")
        yield

    with timed.profiler as profiler:
        with pytest.raises(OSError, match=r"^gone$"):
            list(profiler.loader(broken()))
        profiler.step()
        profiler.step()
    assert profiler.timings.reads == (4, 0)


def test_a_step_within_the_reader_splits_its_time(timed):
    def stepping():
        timed.wait(3)
        timed.profiler.step()
        timed.wait(4)
        yield

    with timed.profiler as profiler:
        list(profiler.loader(stepping()))
        profiler.step()
    assert profiler.timings.lengths == (3, 4)
    assert profiler.timings.reads[1] == 4


def test_a_reader_of_another_thread_does_not_count(timed):
    with timed.profiler as profiler:
        thread = threading.Thread(target=lambda: list(profiler.loader(timed.items(3, 5))))
        thread.start()
        thread.join()
        profiler.step()
    assert (profiler.timings.lengths, profiler.timings.reads) == ((15,), ())


def test_a_reader_is_a_phase_of_recorded_steps():
    timed = Timed(timer_only=False)
    with timed.profiler as profiler:
        for _ in profiler.loader(timed.items(2, 5)):
            timed.wait(2)
            profiler.step()
    ranges = profiler.stats.captures[0].timeline.ranges
    loads = [(it.start, it.end) for it in ranges if (it.name, it.category) == ("load", "load")]
    assert loads == [(0, 0), (0, 5), (7, 12), (14, 14)]  # iter(), the items, and that there is none


def test_step_info_tells_of_the_steps_since_it_was_asked(timed):
    with timed.profiler as profiler:
        assert profiler.step_info() == "no step since the last call"
        timed.wait(4)
        profiler.step(8)
        timed.wait(2)
        profiler.step(8)
        assert profiler.step_info("images") == "batch_cost: 3.00000 s ips: 2.667 images/s"
        timed.wait(1)
        profiler.step()
        assert profiler.step_info("images") == "batch_cost: 1.00000 s ips: 1.000 steps/s"
        for _ in profiler.loader(timed.items(1, 1)):
            timed.wait(3)
            profiler.step()
        assert profiler.step_info() == (
            "reader_cost: 1.00000 s batch_cost: 4.00000 s ips: 0.250 steps/s reader_ratio: 25.0%"
        )
        assert profiler.step_info() == "no step since the last call"


def test_the_table_of_timings(timed):
    timings = run(timed, [8, 3, 6, 11], [20, 10, 4, 26], reads=2)
    assert timings_table(timings, "s") == (
        "Timings of 4 steps\n"
        "\n"
        "                             average             max             min             p95\n"
        "reader cost (s)              2.00000         2.00000         2.00000         2.00000\n"
        "batch cost (s)               9.00000         13.0000         5.00000         13.0000\n"
        "items a second               1.66667         2.00000        0.500000         2.00000\n"
        "reader ratio: 22.2% of the steps' time\n"
    )
    with pytest.raises(ValueError, match=r"^time_unit must be one of s, ms, us, ns, not 'h'$"):
        timings_table(timings, "h")


def test_summary_of_timings_alone(timed, capsys):
    run(timed, [1, 3])
    timed.profiler.summary(time_unit="s")
    assert capsys.readouterr().out.startswith("Timings of 2 steps\n")


def test_numbers_have_six_digits():
    texts = [number_text(it) for it in (0, 0.00000149, 1, 12.3456789, 999.9999, 123456.78)]
    assert texts == ["0.000000", "0.000001", "1.00000", "12.3457", "1,000.00", "123,457"]


def test_the_oldest_steps_are_dropped_past_four_million():
    profiler = tracer.StepProfiler(timer_only=True)
    number = (1 << 22) + 10
    with profiler:
        step = profiler.step
        for items in range(number):
            step(items)
    first, lengths, reads, items = profiler._columns()
    assert (first, len(lengths) // 8, reads) == (1 << 21, number - (1 << 21), b"")
    assert items == array("d", range(1 << 21, number)).tobytes()
    assert profiler.step_number == number
    assert len(profiler._columns(number - 3)[1]) == 24


def test_columns_are_made_when_they_are_needed(timed):
    with timed.profiler as profiler:
        for _ in range(2000):
            profiler.step()
        timed.wait(1)
        profiler.step(5)
        for _ in profiler.loader(timed.items(1, 1)):
            profiler.step()
    assert profiler.timings.items[1999:] == (None, 5, None)
    assert profiler.timings.reads[1999:] == (0, 0, 1)


def test_a_step_allocates_nothing():
    with tracer.StepProfiler(timer_only=True) as profiler:
        for _ in range(1100):
            profiler.step(3)
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(900):
                profiler.step(3)
            assert tracemalloc.get_traced_memory()[0] - before < 2000
        finally:
            tracemalloc.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("error", [ValueError("no clock"), KeyError()])
def test_a_timer_that_raises_stands_still(error, capfd):
    failing = []

    def timer():
        if failing:
            raise error
        return 1.0

    profiler = tracer.StepProfiler(timer_only=True, timer=timer)
    with profiler:
        profiler.step()
        failing.append(1)
        profiler.step()
    assert profiler.timings.lengths == (0.0, 0.0)
