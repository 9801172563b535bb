"""What line_profiler gets wrong: its answer (of 5.1, by running wrongs.py), and ours, the truth."""

import wrongs
from linerows import clock, numbered, recorder_of
from tracer.source.statements import first_lines


def recorded(monkeypatch, program):
    """{line from the def on: (hits, units, units suspended)} of the function that it is about."""
    function = wrongs.PROGRAMS[program]

    def spend(units):
        clock.now += units

    monkeypatch.setattr(wrongs, "spend", spend)
    recorder = recorder_of(function, first_lines=first_lines)
    with recorder:
        program(lambda called, *arguments: called(*arguments))
    lines = numbered(recorder, function)
    return {line: (found.hits, found.ticks, found.waits) for line, found in lines.items()}


def test_a_line_in_the_depth_of_a_recursion(monkeypatch):
    """The run takes 100 units, all of them on the last line. line_profiler adds up the line that
    recurses, once a level: so the last line has only 0.4 % of the function."""
    line_profiler = {1: (251, 0.0), 2: (250, 25132.5), 4: (1, 100.0)}
    assert 100 * 100.0 / sum(units for _, units in line_profiler.values()) < 0.4

    found = recorded(monkeypatch, wrongs.recursion)
    assert found == {1: (251, 0, 0), 2: (250, 100, 0), 4: (1, 100, 0)}


def test_a_call_over_several_lines(monkeypatch):
    """The call is made ten times. line_profiler counts twenty, and ten for each of its lines."""
    line_profiler = {1: 11, 2: 20, 3: 10, 4: 10, 5: 10}
    found = recorded(monkeypatch, wrongs.several_lines)
    assert {line: hits for line, (hits, _, _) in found.items()} == {1: 11, 2: 10} != line_profiler


def test_what_is_awaited(monkeypatch):
    """The await lasts 9 of 11 units. line_profiler says nothing of them."""
    line_profiler = {1: (1, 1.0), 2: (1, 0.0), 3: (1, 1.0)}
    found = recorded(monkeypatch, wrongs.awaited)
    assert found == {1: (1, 1, 0), 2: (1, 0, 9), 3: (1, 1, 0)}
    assert sum(units for _, units in line_profiler.values()) == 2.0


def test_a_thread_that_got_the_function_before_it_was_decorated(monkeypatch):
    """The function was called twice, for 1 and 4 units. line_profiler has not seen the thread."""
    line_profiler = {1: (1, 1.0)}
    found = recorded(monkeypatch, wrongs.threads)
    assert found == {1: (2, 5, 0)} != line_profiler
