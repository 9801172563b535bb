"""Lines, exactly: how often each is hit, and how long it takes, by a clock that the program moves.

What is expected stands beside each line: see linerows.py. Generators are in test_lines_resumed.py,
coroutines in test_lines_coroutines.py, times in C and of a line's own in test_lines_sums.py.
"""

import array
import sys

import pytest

from linerows import (
    HAS_MONITORING,
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


def tick(number=1):
    clock.now += number
    return number


def packed(code, *statements):
    """What `first_lines` returns where each of these tuples of lines, from 0 on, is a statement."""
    last = max(line for _, _, line in code.co_lines() if line) - code.co_firstlineno
    found = list(range(code.co_firstlineno, code.co_firstlineno + last + 1))
    for first, *others in statements:
        for other in others:
            found[other] = code.co_firstlineno + first
    return array.array("i", found).tobytes()


# -- Statements ----------------------------------------------------------------------------------


def test_one_after_the_other():
    def program():
        clock.now += 3  #: 1 3
        tick(4)  #: 1 4
        clock.now += 5  #: 1 5

    check(measure(program), program)


def test_what_is_not_run_is_not_there():
    def program():
        if clock.now < 0:  #: 1 0
            clock.now += 1
        else:
            clock.now += 2  #: 1 2
        return 5  #: 1 0
        clock.now += 3

    check(measure(program), program)


def test_loops():
    def program():
        for _ in range(3):  #: 4 0
            clock.now += 2  #: 3 6
        number = 4  #: 1 0
        while number:  #: 5 0
            number -= 1  #: 4 0
            if number == 2:  #: 4 0
                continue  #: 1 0
            clock.now += number  #: 3 4
        else:
            clock.now += 7  #: 1 7
        for i in range(9):  #: 3 0
            if i == 2:  #: 3 0
                break  #: 1 0

    check(measure(program), program)


def test_a_loop_on_one_line():
    def program():
        for _ in range(5): clock.now += 2  #: 6 10  # fmt: skip  # noqa: E701

    recorder = measure(program)
    assert hits_and_ticks(recorder, program)[1] == (6, 10)


def test_comprehensions():
    def program():
        clock.now += 1  #: 1 1
        numbers = [tick(2) for _ in range(4)]  #: 1 8
        clock.now += len(numbers)  #: 1 4

    recorder = measure(program)
    found = numbered(recorder, program)
    assert [found[i].ticks for i in (1, 2, 3)] == [1, 8, 4]
    assert found[1].hits == found[3].hits == 1


def test_a_comprehension_that_is_code_of_its_own():
    def program():
        numbers = (tick(2) for _ in range(4))  #: 1 0
        sum(numbers)  #: 1 8

    recorder = recorder_of(program, inner(program, "<genexpr>"))
    with recorder:
        program()
    check(recorder, program)
    (line,) = lines_of(recorder, inner(program, "<genexpr>")).values()
    assert line.ticks == 8


def test_try():
    def program():
        for number in range(3):  #: 4 0
            try:  #: 3 0
                clock.now += 1  #: 3 3
                if number == 1:  #: 3 0
                    raise KeyError  #: 1 0
                tick(2)  #: 2 4
            except KeyError:  #: 1 0
                clock.now += 5  #: 1 5
            else:
                clock.now += 6  #: 2 12
            finally:
                clock.now += 7  #: 3 21

    check(measure(program), program)


def test_an_exception_leaves_a_line():
    def deep(depth):
        if depth:  #: 4 0
            deep(depth - 1)  #: 3 5
        clock.now += 5  #: 1 5
        raise KeyError  #: 1 0

    def program():
        try:  #: 1 0
            deep(3)  #: 1 5
        except KeyError:  #: 1 0
            clock.now += 2  #: 1 2

    check(measure(program, deep), program, deep)


def test_an_exception_that_leaves_for_good():
    def program():
        clock.now += 1  #: 1 1
        tick(2)  #: 1 2
        raise KeyError  #: 1 0

    recorder = recorder_of(program)
    with recorder:
        with pytest.raises(KeyError):
            program()
        clock.now += 100
    check(recorder, program)


def test_with():
    class Manager:
        def __enter__(self):
            clock.now += 1

        def __exit__(self, *error):
            clock.now += 10
            return True

    def program():
        with Manager():  #: 2 11
            clock.now += 2  #: 1 2
        with Manager():  #: 2 11
            raise KeyError  #: 1 0
        clock.now += 3  #: 1 3

    check(measure(program), program)


def test_match():
    def program():
        for item in (1, "a", [2, 3], None):  #: 5 0
            match item:  #: 4 0
                case 1:  #: 4 0
                    clock.now += 1  #: 1 1
                case str():  #: 3 0
                    clock.now += 2  #: 1 2
                case [_, last]:  #: 2 0
                    clock.now += last  #: 1 3
                case _:  #: 1 0
                    clock.now += 4  #: 1 4

    check(measure(program), program)


def test_decorators_and_definitions():
    def decorate(function):
        clock.now += 5
        return function

    def program():
        @decorate  #: 2 5
        def function(default=tick(2)):  # noqa: B008  #: 2 2
            clock.now += 1

        class Some(object if tick(3) else None):  #: 1 7
            clock.now += 4

        function()  #: 1 1

    check(measure(program), program)


def test_class_bodies():
    def program():
        class Body:  #: 1 9
            clock.now += 2
            number = tick(3)

            def method(self):
                clock.now += 5

            for _ in range(2):
                clock.now += 2

        Body().method()  #: 1 5

    recorder = recorder_of(program, inner(program, "Body"))
    with recorder:
        program()
    check(recorder, program)
    body = inner(program, "Body")
    assert hits(recorder, body) == {0: 1, 1: 1, 2: 1, 4: 1, 7: 3, 8: 2}
    assert ticks(recorder, body) == {0: 0, 1: 2, 2: 3, 4: 0, 7: 0, 8: 4}


def test_lambdas():
    function = lambda number: tick(number) + tick(1)  # noqa: E731

    def program():
        function(2)  #: 1 3
        function(4)  #: 1 5

    recorder = measure(program, function)
    check(recorder, program)
    assert hits_and_ticks(recorder, function) == {0: (2, 8)}


def test_code_that_was_compiled():
    code = compile("clock.now += 1\nfor _ in range(2):\n    clock.now += 3\n", "<some>", "exec")
    recorder = recorder_of(code)
    with recorder:
        for _ in range(2):
            exec(code, {"clock": clock})
    assert {line: found[:2] for line, found in lines_of(recorder, code).items()} == {
        1: (2, 2),
        2: (6, 0),
        3: (4, 12),
    }


# -- Statements of several lines -----------------------------------------------------------------


def test_without_first_lines_each_line_is_a_statement():
    def program():
        print(
            tick(1),
            tick(2),
            file=None if clock.now else sys.stderr,
        )

    assert len(hits(measure(program), program)) == 4


def test_a_call_over_several_lines_is_hit_once():
    def program():
        for _ in range(3):  #: 4 0
            max(  #: 3 18
                tick(1),
                tick(2),
                tick(3),
            )
            clock.now += 1  #: 3 3

    recorder = recorder_of(first_lines=lambda code: packed(code, (2, 3, 4, 5, 6)))
    recorder.add_code(program.__code__)
    with recorder:
        program()
    check(recorder, program)


def test_a_call_over_several_lines_that_recurses():
    def program(depth=3):
        clock.now += 1  #: 4 4
        if depth:  #: 4 0
            max(  #: 3 12
                program(
                    depth - 1,
                ),
                tick(3),
            )
        return depth  #: 4 0

    recorder = recorder_of(first_lines=lambda code: packed(code, (3, 4, 5, 6, 7, 8)))
    recorder.add_code(program.__code__)
    with recorder:
        program()
    check(recorder, program)


@pytest.mark.parametrize(
    "answer",
    [None, b"", b"abc", bytes(1000), b"\xff" * 1000, 5, "text", (1, 2)],
    ids=["None", "empty", "short", "zeros", "minus ones", "int", "str", "tuple"],
)
def test_first_lines_that_say_nothing_of_use(answer):
    def program():
        clock.now += 1  #: 1 1
        clock.now += 2  #: 1 2

    check(measure(program, first_lines=lambda code: answer), program)


def test_first_lines_are_asked_for_once_for_each_code_object():
    def program():
        clock.now += 1

    asked = []
    recorder = recorder_of(first_lines=asked.append)
    assert recorder.add_code(program.__code__)
    assert not recorder.add_code(program.__code__)
    for _ in range(3):
        with recorder:
            program()
        recorder.clear()
    assert asked == [program.__code__]


# -- Recursion -----------------------------------------------------------------------------------


def test_a_line_that_recurses_takes_as_long_as_its_outermost_activation():
    def program(depth=4):
        clock.now += 1  #: 5 5
        if depth:  #: 5 0
            program(depth - 1)  #: 4 10
            clock.now += 2  #: 4 8

    check(measure(program), program)


def test_lines_that_recurse_by_one_another():
    def one(depth):
        clock.now += 1  #: 3 3
        if depth:  #: 3 0
            two(depth - 1)  #: 2 8
        clock.now += 2  #: 3 6

    def two(depth):
        clock.now += 1  #: 2 2
        one(depth)  #: 2 7

    def program():
        one(2)  #: 1 11

    check(measure(program, one, two), program, one, two)


def test_two_lines_that_recurse():
    def program(depth=2):
        clock.now += 1  #: 7 7
        if depth:  #: 7 0
            program(depth - 1)  #: 3 4
            program(depth - 1)  #: 3 4

    # Each line has 3 ticks of its own call at the top, and 1 within the call that the other made.
    check(measure(program), program)


def test_recursion_through_c():
    def program(depth=3):
        clock.now += 1  #: 4 4
        if depth:  #: 4 0
            sorted([depth - 1], key=program)  #: 3 6
        clock.now += 1  #: 4 4

    check(measure(program), program)


# -- Costs ---------------------------------------------------------------------------------------


def test_what_recording_took_is_told():
    def leaf():
        clock.now += 1  #: 3 3 cost=33

    def program():
        for _ in (1, 2, 3):  #: 4 0 cost=14
            leaf()  #: 3 3 cost=36

    recorder = measure(program, leaf, costs=(1.0, 10.0, 100.0))
    check(recorder, leaf, program)


@pytest.mark.skipif(not HAS_MONITORING, reason="C callables are not seen on 3.11")
def test_what_recording_c_calls_took_is_told():
    def program():
        clock.now += 1  #: 1 1 cost=1
        len("")  #: 1 0 cost=101
        clock.now += 1  #: 1 1 cost=11

    check(measure(program, costs=(1.0, 10.0, 100.0)), program)
