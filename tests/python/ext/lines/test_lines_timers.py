"""What a LineRecorder asks in the middle of its own work, a timer and `first_lines`: what they
raise, and what they may and may not do. Those that change the recorder in every way, or end it, are
in test_lines_meddling.py.
"""

import sys
import threading

import pytest

from linelives import lives
from linerows import clock, hits, recorder_of, ticks

# -- Timers --------------------------------------------------------------------------------------


def test_a_timer_that_fails_is_reported_once():
    def timer():
        raise KeyError("no time")

    def program():
        for _ in range(3):
            pass

    raised = []
    before, sys.unraisablehook = sys.unraisablehook, raised.append
    try:
        recorder = recorder_of(program, timer=timer)
        with recorder:
            program()
            program()
    finally:
        sys.unraisablehook = before
    assert [report.exc_type for report in raised] == [KeyError]
    assert {line: entry for line, entry in ticks(recorder, program).items() if entry} == {}
    assert hits(recorder, program)[1] == 8


def test_a_timer_that_always_reads_its_recorder():
    def timer():
        recorder.snapshot()
        return 0

    def program():
        return 1

    recorder = recorder_of(program, timer=timer)
    with recorder:
        program()
    assert hits(recorder, program) == {1: 1}


def test_a_timer_that_goes_back():
    def program():
        clock.now -= 5
        return clock.now

    recorder = recorder_of(program)
    with recorder:
        program()
    assert ticks(recorder, program) == {1: -5, 2: 0}


# -- First lines ----------------------------------------------------------------------------------


def test_first_lines_cannot_enable_their_own_recorder():
    """The recorder would ask `first_lines` about its own code, which runs, and so without end."""

    def first_lines(code):
        recorder.disable()
        for enable in (recorder.enable, recorder.hold, recorder.__enter__):
            with pytest.raises(RuntimeError, match="from within its own first_lines"):
                enable()
        assert (recorder.enabled, recorder.holds) == (False, 0)
        another.enable()
        thread = threading.Thread(target=recorder.enable)
        thread.start()
        thread.join()
        assert recorder.enabled
        asked.append(code.co_name)

    def program():
        return 1

    asked = []
    another, recorder = recorder_of(), recorder_of(first_lines=first_lines)
    try:
        recorder.add_code(program.__code__)
        program()
        assert asked == ["program"]
        recorder.enable()
        program()
    finally:
        recorder.disable()
        another.disable()
    assert hits(recorder, program) == {1: 2}


def test_first_lines_in_what_they_record_begin_it_anew_in_vain():
    lives("""
        def first_lines(code):
            asked.append(code)
            recorder.disable()
            recorder.enable()

        asked = []
        sys.unraisablehook = lambda unraisable: raised.append(unraisable.exc_type)
        raised = []
        recorder = type(recorder_of())(whole=True, first_lines=first_lines)
        recorder.enable()
        leaf()
        recorder.disable()
        assert raised and set(raised) == {RuntimeError}, raised
        assert len(asked) == len(set(asked)), asked
        recorder.__init__()
        recorder.add_code(leaf.__code__)
        goes_on(recorder)
    """)


def test_ctrl_c_in_first_lines_is_for_the_program():
    lives("""
        import signal

        def first_lines(code):
            signal.raise_signal(signal.SIGINT)
            for _ in range(5):
                pass

        def interrupted():
            try:
                recorder.add_code(leaf.__code__)
                for _ in range(1000):
                    leaf()
            except KeyboardInterrupt:
                return True

        signal.signal(signal.SIGINT, signal.default_int_handler)
        recorder = recorder_of(first_lines=first_lines)
        assert interrupted()
        goes_on(recorder)
    """)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("before", [False, True])
def test_whether_garbage_is_collected_is_the_programs_to_say(before, after):
    """It is so also where `first_lines` is called for code that runs already at enable()."""
    lives(f"""
        def first_lines(code):
            seen.append(gc.isenabled())
            (gc.enable if {after} else gc.disable)()

        def program():
            recorder.enable()
            seen.append(gc.isenabled())

        seen = []
        recorder = recorder_of(whole=True, first_lines=first_lines)
        (gc.enable if {before} else gc.disable)()
        program()
        assert seen[0] == {before} and set(seen[1:]) == {{{after}}} and len(seen) > 2, seen
        recorder.disable()
        assert gc.isenabled() == {after}
        goes_on(recorder_of(leaf))
    """)
