"""Functions of tracer._core that only tracer's own modules call refuse what they cannot take."""

import struct

import pytest

from tracer import _core

REFUSED = {
    "read_profile": ((1,), "bytes-like object is required"),
    "pack_section": ((1,), "bytes-like object is required"),
    "call_untracked": ((), r"call_untracked\(\) needs a function"),
    "precede": ((max,), r"precede\(\) needs two functions"),
    "call_paths": (((), 1), r"call_paths\(\) takes at least 4 arguments"),
    "add_up": (((), 1), r"add_up\(\) takes at least 5 arguments"),
    "export_slices": (("chrome",), r"export_slices\(\) takes exactly 9 arguments"),
    "count_slices": ((b"", b""), r"count_slices\(\) takes exactly 3 arguments"),
    "call_soon": ((), "exactly one argument"),
    "compile_program": (("text", "name"), "takes bytes and a file name"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_that_a_function_cannot_take(name):
    arguments, message = REFUSED[name]
    with pytest.raises(TypeError, match=message):
        getattr(_core, name)(*arguments)


ROOT = (bytes(4), b"\xff" * 4, *[bytes(8)] * 4)
BELOW = tuple(2 * column for column in ROOT)  # two roots
FOLDED = {  # arguments of fold_contexts(): what is wrong with them
    "no tree in preorder": (BELOW, b"", bytes(4), 0, 0, False, False),
    "no tree": ((b"",) * 6, b"", bytes(4), 0, 0, False, False),
    "different lengths": ((*ROOT[:5], b""), b"", bytes(4), 0, 0, False, False),
    "no rows to be folded": (ROOT, b"", b"", 0, 0, False, False),
    "no rows": (ROOT, b"\xff" * 16, bytes(4), 0, 0, False, False),
}


@pytest.mark.parametrize("message", FOLDED)
def test_contexts_that_cannot_be_folded(message):
    with pytest.raises(ValueError, match=message):
        _core.fold_contexts(*FOLDED[message])


def test_a_context_of_no_row_cannot_be_folded():
    depth, row = struct.pack("=2I", 0, 1), struct.pack("=2I", 0, 1)
    with pytest.raises(ValueError, match="no tree"):
        _core.fold_contexts((depth, row, *[bytes(16)] * 4), bytes(16), bytes(4), 1, 0, False, False)


@pytest.mark.parametrize("depths, own", [(bytes(8), bytes(16)), (bytes(4), b"")])
def test_numbers_of_no_tree_cannot_be_added(depths, own):
    with pytest.raises(ValueError, match="no tree in preorder"):
        _core.add_below(depths, own)


NOTHING = (b"",) * 7
TIMES = (1.0, 0, 0, 1)
SHEETS = {  # of slices: what is wrong with them
    "a tuple of 7 columns": ("chrome", (b"",), b"", b"", (), (), TIMES, 0, bytes),
    "different lengths": ("chrome", (bytes(8), *NOTHING[1:]), b"", b"", (), (), TIMES, 0, bytes),
    "a piece for each row": ("chrome", NOTHING, b"", b"\0", (), (), TIMES, 0, bytes),
    "there is no form svg": ("svg", NOTHING, b"", b"", (), (), TIMES, 0, bytes),
    "expected bytes": ("chrome", NOTHING, b"", b"\0", ("text",), (), TIMES, 0, bytes),
}


@pytest.mark.parametrize("message", SHEETS)
def test_slices_that_cannot_be_drawn(message):
    with pytest.raises((TypeError, ValueError), match=message):
        _core.export_slices(*SHEETS[message])
    with pytest.raises(ValueError, match="different lengths"):
        _core.count_slices(bytes(8), b"", 0)


@pytest.mark.parametrize("name", ["record_call", "mute_and_call"])
def test_a_call_by_way_of_a_profiler(name):
    """The function gets its arguments and gives its value, also while nothing is recorded."""
    call = getattr(_core.Profiler(), name)
    assert call(max, 1, 2) == 2
    with pytest.raises(ValueError, match="empty"):
        call(max, [])
    with pytest.raises(TypeError, match=rf"{name}\(\) needs a function"):
        call()


def test_nothing_more_of_a_thread_is_recorded_after_mute_and_call():
    """What was recorded before stays, and the next run records the thread again."""

    def before():
        pass

    def within():
        after()

    def after():
        pass

    profiler = _core.Profiler()
    for expected in ({"before"}, {"before"}):
        profiler.clear()
        profiler.enable()
        before()
        profiler.mute_and_call(within)
        after()
        profiler.disable()
        names = {getattr(entry.code, "co_name", "") for entry in profiler.getstats()}
        assert names & {"before", "within", "after"} == expected
