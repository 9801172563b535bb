"""Lines, while recorders come and go: code that is added, enabling, clearing, looking; several of
them. What is expected stands beside each line: see linerows.py.
"""

from linerows import (
    check,
    clock,
    hits,
    hits_and_ticks,
    inner,
    lines_of,
    measure,
    numbered,
    recorder_of,
    ticks,
)


def test_nothing_is_known_of_other_code():
    def program():
        other()  #: 1 2

    def other():
        clock.now += 2

    recorder = measure(program)
    check(recorder, program)
    assert len(recorder.snapshot()["codes"]) == 1


def test_a_function_within_is_code_of_its_own():
    def program():
        def function():
            clock.now += 2

        function()
        function()

    recorder = recorder_of(inner(program, "function"))
    with recorder:
        program()
    assert ticks(recorder, inner(program, "function")) == {1: 4}


def test_code_that_is_never_run_is_there():
    def program():
        clock.now += 1

    recorder = recorder_of(program)
    with recorder:
        pass
    assert lines_of(recorder, program) == {}


def test_enabled_again_it_goes_on_adding_up():
    def program():
        clock.now += 2  #: 3 6

    recorder = recorder_of(program)
    program()
    for _ in range(3):
        with recorder:
            program()
        program()
    check(recorder, program)


def test_cleared_it_forgets_figures_and_keeps_code():
    def program():
        clock.now += 2  #: 1 2

    recorder = measure(program)
    recorder.clear()
    assert lines_of(recorder, program) == {}
    with recorder:
        program()
    check(recorder, program)


def test_cleared_while_it_runs():
    def program():
        for number in range(4):  #: 2 0
            clock.now += 1  #: 2 2
            if number == 1:  #: 2 0
                recorder.clear()
                clock.now += 5

    recorder = recorder_of(program)
    with recorder:
        program()
    # The line that clears is left, and not known to have been hit.
    assert hits_and_ticks(recorder, program) == {
        1: (3, 0),
        2: (2, 2),
        3: (2, 0),
        5: (1, 5),
    }


def test_enabled_in_the_middle_of_a_loop():
    def program():
        for number in range(10):
            if number == 4:
                recorder.enable()
            clock.now += 1
            if number == 7:
                recorder.disable()

    recorder = recorder_of(program)
    program()
    assert hits_and_ticks(recorder, program) == {
        1: (3, 0),
        2: (3, 0),
        4: (4, 4),
        5: (4, 0),
        6: (1, 0),
    }


def test_added_while_enabled_and_while_it_runs():
    def program():
        for number in range(5):
            clock.now += 1
            if number == 2:
                assert recorder.add_code(program.__code__)
            clock.now += 2

    recorder = recorder_of()
    with recorder:
        program()
    assert hits_and_ticks(recorder, program) == {
        1: (3, 0),
        2: (2, 2),
        3: (2, 0),
        5: (3, 6),
    }


def test_looked_at_while_it_runs():
    """Nothing is lost by that, and nothing told twice."""

    def program():
        for _ in range(3):  #: 4 0
            clock.now += 1  #: 3 3
            seen.append(look() if looks else None)  #: 3 15
            clock.now += 2  #: 3 6

    def look():
        clock.now += 2
        found = [numbered(recorder, program) for _ in range(2)]
        assert found[0] == found[1]
        clock.now += 3
        return found[0]

    seen = []
    looks = True
    recorder = recorder_of(program)
    with recorder:
        program()
    check(recorder, program)
    assert [found[3].ticks for found in seen] == [2, 7, 12]
    assert [found[3].hits for found in seen] == [1, 2, 3]
    assert [found[2].ticks for found in seen] == [1, 2, 3]


def test_several_recorders_in_any_order():
    def program():
        clock.now += 1

    recorders = [recorder_of(program) for _ in range(10)]
    for recorder in recorders:
        recorder.enable()
        program()
    for recorder in recorders[::2] + recorders[::-2]:
        recorder.disable()
        program()
    ends = recorders[::2] + recorders[::-2]
    for place, recorder in enumerate(recorders):
        ((hits, ticks, *_),) = lines_of(recorder, program).values()
        assert hits == ticks == 10 - place + ends.index(recorder)


def test_recorders_of_different_code():
    def one():
        clock.now += 1

    def two():
        clock.now += 2

    def both():
        one()
        two()

    first, second = recorder_of(one), recorder_of(two)
    with first, second:
        both()
        first.disable()
        both()
        first.enable()
        second.disable()
        both()
    assert hits(first, one) == {1: 2}
    assert hits(second, two) == {1: 2}
    assert len(first.snapshot()["codes"]) == len(second.snapshot()["codes"]) == 1


def test_the_same_code_in_two_recorders():
    def program():
        clock.now += 1

    first, second = recorder_of(program), recorder_of(program)
    with first:
        with second:
            program()
        program()
    assert hits(first, program) == {1: 2}
    assert hits(second, program) == {1: 1}


def test_two_functions_with_the_same_lines():
    def make():
        def function():
            clock.now += 1

        return function

    one, two = make(), make()
    recorder = measure(one, two)
    two()
    assert one.__code__ is two.__code__
    assert hits(recorder, one) == {1: 1}
