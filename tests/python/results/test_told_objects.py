"""What is said of calls of objects that have no row, of made-up profiles."""

from struct import Struct

import pytest

import tracer
from pictures import profile_of
from tracer.analysis.tree.call_tree import Row
from tracer.analysis.tree.called_names import called_object
from tracer.analysis.tree.object_calls import object_calls_of
from tracer.results.object_calls import object_lines

RECORD = Struct("=IIQq")
SOURCE = "def leaf(): clock.now += 5\ndef top(): clock.now += 95; leaf()\n"


def stats_with(objects, name="top"):
    """objects: {name: (calls, seconds)}, of `name`'s own time."""
    capture = profile_of("top", source=SOURCE, file="/app/p.py").capture()
    known = [function.name for function in capture.functions]
    functions = list(capture.functions)
    records = b""
    for label, (calls, seconds) in objects.items():
        ticks = round(seconds / capture.seconds_per_tick)
        records += RECORD.pack(known.index(name), len(functions), calls, ticks)
        functions.append(functions[0]._replace(filename="~", line=0, name=label, qualname=label))
    capture.functions = tuple(functions)
    capture.threads = tuple(it._replace(object_calls=records) for it in capture.threads)
    return tracer.Stats(capture)


def test_they_are_told_by_their_caller_the_dearest_first():
    objects = {"<type 'set'>": (5, 20.0), "<functools.partial object>": (10, 60.0)}
    [found] = object_calls_of(stats_with(objects))
    assert found.caller[2] == "top"
    assert found.seconds == pytest.approx(80)
    assert [(label[2], calls) for label, (calls, _) in found.objects.items()] == [
        ("<functools.partial object>", 10), ("<type 'set'>", 5),
    ]  # fmt: skip


def test_it_is_said_whose_time_it_is():
    objects = {
        "<type 'set'>": (5, 20.0),
        "<functools.partial object>": (1, 60.0),
        "<type 'range'>": (7, 1.0),
        "<ufunc 'add' of numpy>": (0, 0.5),
    }
    assert list(object_lines(stats_with(objects))) == [
        (
            "objects",
            "of top's 95.00 s own, 81.00 s: 1 call of functools.partial objects, 5 of set, "
            "2 others",
        ),
        ("", "--all-builtins gives them rows"),
    ]


def test_little_is_not_said():
    assert list(object_lines(stats_with({"<type 'set'>": (5, 4.9)}))) == []
    assert list(object_lines(stats_with({}))) == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("<type 'set'>", "set"),
        ("<type 'builtins.set'>", "set"),
        ("<type 'shop.Cart'>", "shop.Cart"),
        ("<functools.partial object>", "functools.partial objects"),
        ("<ufunc 'add' of numpy>", "numpy.add"),
        ("<function 'mean' of numpy>", "numpy.mean"),
        ("<CPUDispatcher 'total' of numba>", "numba's total"),
        ("<slot wrapper '__len__' of 'list' objects>", "slot wrapper '__len__' of 'list' objects"),
        ("<method 'append' of 'list' objects>", "list.append"),
    ],
)
def test_names(name, told):
    assert called_object(Row("~", 0, name)) == told


def test_a_file_keeps_them(tmp_path):
    stats = stats_with({"<type 'set'>": (5, 20.0)})
    stats.dump_stats(tmp_path / "out")
    again = tracer.Stats(str(tmp_path / "out"))
    assert object_calls_of(again) == object_calls_of(stats)
