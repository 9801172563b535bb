"""tracer.range in a `with`: which ranges a timeline has, to the tick."""

import asyncio
import sys
import threading

import pytest

import tracer
from launch import plain, traced, write
from rows import Clock
from telling import Range, Recording, function_at


@pytest.fixture
def here():
    return Recording()


def test_a_range_lasts_from_enter_to_exit(here):
    with here:
        here.wait(3)
        with tracer.range("load", batch=3) as entered:
            here.wait(5)
        here.wait(2)
    (only,) = here.ranges()
    assert only == Range(
        thread=0,
        node=only.node,
        start=3,
        end=8,
        name="load",
        category=None,
        values=(("batch", 3),),
        task=0,
        end_thread=0,
    )
    assert function_at(here.profile, 0, only.node) == "test_a_range_lasts_from_enter_to_exit"
    assert isinstance(entered, tracer.range)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tracer.range("load", "io"),
        lambda: tracer.range("load", category="io"),
        lambda: tracer.range("load", size=1, category="io"),
    ],
)
def test_a_range_has_a_category(here, make):
    with here, make() as made:
        pass
    (only,) = here.ranges()
    assert (only.name, only.category) == (made.name, made.category) == ("load", "io")


def test_a_value_may_have_any_name(here):
    with here, tracer.range("load", name=1, self=2, cls=3, values=4):
        pass
    (only,) = here.ranges()
    assert only.values == (("name", 1), ("self", 2), ("cls", 3), ("values", 4))


def test_ranges_nest(here):
    with here, tracer.range("outer"):
        here.wait(1)
        with tracer.range("inner"):
            here.wait(2)
        here.wait(4)
    assert here.spans() == [("outer", 0, 7), ("inner", 1, 3)]


def test_a_range_ends_by_an_exception(here):
    with here, pytest.raises(KeyError), tracer.range("load"):
        here.wait(1)
        raise KeyError
    assert here.spans() == [("load", 0, 1)]


def test_each_use_of_one_range_is_a_range(here):
    load = tracer.range("load")
    with here:
        for duration in (1, 2, 4):
            with load:
                here.wait(duration)
    assert here.spans() == [("load", 0, 1), ("load", 1, 3), ("load", 3, 7)]


def test_a_range_within_itself(here):
    load = tracer.range("load")
    with here, load:
        here.wait(1)
        with load:
            here.wait(2)
            with load:
                here.wait(4)
            here.wait(8)
        here.wait(16)
    assert here.spans() == [("load", 0, 31), ("load", 1, 15), ("load", 3, 7)]


def test_a_range_that_is_never_left_has_no_end(here):
    with here:
        left, kept = tracer.range("left"), tracer.range("kept")
        left.__enter__()
        here.wait(1)
        kept.__enter__()
        here.wait(2)
        left.__exit__(None, None, None)
        del left, kept
    assert here.spans() == [("left", 0, 3), ("kept", 1, -1)]


def test_a_leave_too_many_does_nothing(here):
    load = tracer.range("load")
    with here:
        load.__exit__(None, None, None)
        with load:
            here.wait(1)
        here.wait(2)
        load.__exit__(None, None, None)
        load.__exit__()
    assert here.spans() == [("load", 0, 1)]


def test_a_range_may_end_in_another_thread(here):
    load = tracer.range("load")

    def leave():
        here.wait(2)
        load.__exit__(None, None, None)

    with here:
        here.wait(1)
        load.__enter__()
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
    (only,) = here.ranges()
    assert only.span == ("load", 1, 3)
    assert (only.thread, only.end_thread) == (0, 1)


def test_threads_share_a_range(here):
    load, turn = tracer.range("load"), [threading.Event() for _ in range(4)]

    def first():
        with load:
            turn[0].set()
            turn[1].wait(60)
            here.wait(2)
        turn[2].set()

    def second():
        turn[0].wait(60)
        here.wait(1)
        with load:
            turn[1].set()
            turn[2].wait(60)
            here.wait(4)

    with here:
        threads = [threading.Thread(target=each) for each in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = here.ranges()
    assert [each.span for each in found] == [("load", 0, 3), ("load", 1, 7)]
    assert all(each.thread == each.end_thread for each in found)


def test_tasks_share_a_range(here):
    load = tracer.range("load")

    async def work(before, between):
        await before.wait()
        with load:
            here.wait(1)
            await between()
            here.wait(2)

    async def main():
        begun, other = asyncio.Event(), asyncio.Event()

        async def let_other_begin():
            other.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)

        begun.set()
        await asyncio.gather(work(begun, let_other_begin), work(other, lambda: asyncio.sleep(0)))

    with here:
        asyncio.run(main())
    # The first waits twice, the second once: they overlap, and the first ends first or last.
    assert [(each.start, each.end - each.start >= 3) for each in here.ranges()] == [
        (0, True),
        (1, True),
    ]
    assert sum(each.end for each in here.ranges()) == 4 + 6


def test_ranges_of_tasks_overlap(here):
    async def work(name, durations):
        with tracer.range(name):
            for duration in durations:
                here.wait(duration)
                await asyncio.sleep(0)

    async def main():
        await asyncio.gather(work("a", [1, 2]), work("b", [4, 8]))

    with here:
        asyncio.run(main())
    assert here.spans() == [("a", 0, 15), ("b", 1, 15)]
    first, second = here.ranges()
    started = {number: start for number, _, _, start, *_ in here.list("tasks")}
    assert (started[first.task], started[second.task]) == (0, 1)
    assert first.task != second.task


def test_every_profile_with_a_timeline_gets_the_ranges():
    one, two = Recording(), Recording()
    with one, two, tracer.range("both"):
        one.wait(1)
        two.wait(2)
    assert one.spans() == [("both", 0, 1)]
    assert two.spans() == [("both", 0, 2)]


def test_a_profile_that_comes_in_the_middle_gets_no_half_range():
    early, late = Recording(), Recording()
    with early, tracer.range("outer"):
        early.wait(1)
        with late:
            with tracer.range("inner"):
                late.wait(1)
            outer = tracer.range("left behind")
            outer.__enter__()
        early.wait(1)
        outer.__exit__(None, None, None)
    assert early.spans() == [("outer", 0, 2), ("inner", 1, 1), ("left behind", 1, 2)]
    assert late.spans() == [("inner", 0, 1), ("left behind", 1, -1)]


def test_a_profile_that_goes_on_gets_the_end(here):
    load = tracer.range("load")
    with here:
        load.__enter__()
        here.wait(1)
    here.wait(10)
    with here:
        here.wait(2)
        load.__exit__(None, None, None)
    assert here.spans() == [("load", 0, 13)]


def test_what_was_not_recorded_is_not_taken_for_what_was(here):
    load = tracer.range("load")
    load.__enter__()  # nobody records
    with here:
        with load:
            here.wait(1)
        here.wait(2)
        load.__exit__(None, None, None)  # of the first
    assert here.spans() == [("load", 0, 1)]


def test_cleared_ranges_are_gone_and_so_are_their_ends(here):
    with here, tracer.range("outer"):
        here.wait(1)
        with tracer.range("inner"):
            here.profile.clear()
            here.wait(2)
            with tracer.range("fresh"):
                here.wait(4)
    assert here.spans() == [("fresh", 2, 6)]


def test_a_snapshot_in_the_middle(here):
    with here:
        with tracer.range("load"):
            here.wait(1)
            assert here.spans() == [("load", 0, -1)]
            here.wait(2)
        assert here.spans() == [("load", 0, 3)]


def test_paused_and_foreign_threads_say_nothing():
    here = Recording(threads=False)

    def work():
        with tracer.range("elsewhere"):
            pass

    with here:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        with tracer._core.unrecorded, tracer.range("aside"):
            pass
    assert here.ranges() == []


def test_a_profile_without_a_timeline_is_not_disturbed():
    clock = Clock()
    plain = tracer.Profile(clock, 1.0)

    def f():
        clock.now += 1

    def work():
        with tracer.range("load", a=object()):
            tracer.mark("half", b=1)
            tracer.counter("loss", 1)
            flow = tracer.flow("flow")
            flow.begin()
            flow.end()
            f()

    here = Recording()
    with here:
        plain.runcall(work)
    assert called(plain) == called(here.profile) == {"work": 1, "f": 1}


def called(profile):
    """How often each function of this file, or written in C, was called."""
    stats = tracer.Stats(profile).stats
    return {
        label[2]: figures[1]
        for label, figures in stats.items()
        if figures[1] and label[0] in ("~", __file__)
    }


def here_name():
    return sys._getframe(1).f_code.co_name


@pytest.mark.skipif(sys.version_info < (3, 12), reason="all callables need sys.monitoring")
def test_no_row_with_all_builtins_either():
    clock = Clock()
    with tracer.Profile(clock, 1.0, builtins="all", backend="monitoring") as profile:
        with tracer.range("load"):
            tracer.flow("a").begin()
        tracer.range("by hand").__enter__().__exit__(None, None, None)
    assert called(profile) == {}


# -- Arguments that make no sense ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tracer.range(), "takes a name, a category, and values by keyword"),
        (lambda: tracer.range("a", "b", "c"), "takes a name, a category, and values by keyword"),
        (lambda: tracer.range("a", "b", category="c"), "takes a name, a category, and values"),
        (lambda: tracer.range(category="c"), "takes a name"),
        (lambda: tracer.range("a")(), "decorates one function"),
        (lambda: tracer.range("a")(len, len), "decorates one function"),
        (lambda: tracer.range("a")(f=len), "decorates one function"),
        (lambda: tracer.range(here_name), r"decorate here_name by @tracer\.range\(\"name\"\)"),
        (lambda: object.__new__(tracer.range), "not safe|cannot create"),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_range_shows_its_name():
    assert repr(tracer.range("load")) == "<tracer.range 'load'>"
    assert tracer.range("load").category is None
    copy = tracer.range("load", "io", a=1).copy()
    assert (copy.name, copy.category) == ("load", "io")


@pytest.mark.parametrize("command", [True, False])
def test_the_first_use_of_a_word_cuts_no_slice(tmp_path, command):
    """The package looks a word up at its first use, for which a profile would pause."""
    words = "with tracer.range('x'): pass\n    tracer.mark('m')\n    tracer.counter('c', 1)\n"
    program = f"import tracer\ndef tell():\n    {words}    tracer.flow('f').begin()\n"
    path = tmp_path / "profile.out"
    if command:
        write(tmp_path / "program.py", f"{program}tell()\n")
        found = traced("--timeline", "-o", path, "program.py", cwd=tmp_path)
    else:
        program += "with tracer.Profile(timeline=True) as profile:\n    tell()\n"
        program += f"profile.dump_stats({str(path)!r})\n"
        found = plain("-c", program, cwd=tmp_path)
    assert (found.stderr, found.returncode) == (b"", 0)
    [capture] = tracer.Stats(path).captures
    [thread] = capture.timeline.threads
    names = [
        capture.functions[it].name if it < len(capture.functions) else "" for it in thread.functions
    ]
    assert [names[node] for node in thread.read().nodes].count("tell") == 1
