"""What each format of timelines owes: every slice that it is given, the part that is asked for, and
odd timelines told right. What is beside the slices: test_exports_timeline_beside.py.

formats/<name>.py reads a format back, as for test_exports_contract.py.
"""

import io
import json
from math import nan

import pytest

import tracer
from drawn import Call, capture_of, tracks_by_hand
from exporting import HOSTILE, nanoseconds, recorded
from formats import add, reader_of
from redrawn import BESIDE, DRAWS, MAIN, OTHER, SLICES, assert_drawn, drawn
from tracer.analysis.tree.call_tree import Row
from tracer.data.profile_set import ProfileSet
from tracer.exports import writing
from tracer.exports.export import FORMATS, Export, NoTimeline, Window
from tracer.exports.names import shown
from tracer.exports.timelines import tracks_of


@pytest.mark.parametrize("name", DRAWS)
def test_each_slice_is_drawn(name):
    told = drawn(name, capture_of({"MainThread": MAIN, "other": OTHER}))
    assert_drawn(told, SLICES)
    if told.places is not None:
        assert told.places["main"] == ("/app/main.py", 1)
        assert "len" not in told.places


@pytest.mark.parametrize("name", DRAWS)
def test_a_recorded_program(name):
    """Its slices have the times of its functions, and are as many as its calls."""
    profile = recorded(timeline=True)
    stats = tracer.Stats(profile, names="qualname")
    data = io.BytesIO()
    Export(stats, name).write(data)
    told = reader_of(name).draw(data.getvalue())
    tracks = tracks_of(stats, Window())
    names = dict(zip(tracks.rows, tracks.names, strict=True))
    own = {}
    for path, time in told.own.items():
        add(own, path[-1], time)
    wanted = {}
    for label, (_, _, tottime, _, _) in stats.stats.items():
        key = label[2] if name == "speedscope" else names[Row(*label)]
        add(wanted, key, nanoseconds(tottime))
    assert own == {key: time for key, time in wanted.items() if time}
    if told.slices is not None:
        resumes = sum(it.total for it in stats.resumes.values())
        assert sum(map(len, told.slices.values())) == stats.total_calls + resumes


@pytest.mark.parametrize("name", DRAWS)
def test_nothing_is_drawn_of_nothing(name):
    told = drawn(name, capture_of({"MainThread": ()}))
    assert_drawn(told, {"MainThread": []})
    assert drawn(name, capture_of({})).own == {}


@pytest.mark.parametrize("name", DRAWS)
def test_hostile_names(name):
    calls = tuple(Call(one, 10 * at, 10 * at + 5) for at, one in enumerate(HOSTILE))
    values = (("text", "\ud800\n"), ("number", nan), ("large", 2**63 - 1), ("small", -(2**63)))
    beside = {
        "ranges": tuple((0, 1, at, at + 1, it, it, values, 0, 0) for at, it in enumerate(HOSTILE)),
        "marks": tuple((0, 1, at, it, ((it, it),)) for at, it in enumerate(HOSTILE)),
        "counters": tuple((0, at, it, at) for at, it in enumerate(HOSTILE)),
        "flows": tuple((it, 0, at, 0, at + 1) for at, it in enumerate(HOSTILE)),
    }
    data = io.BytesIO()
    made = Export(ProfileSet(capture_of({"thread; \n": calls}, **beside)), name)
    made.write(data, title='run "a" \\ </script>\n\ud800')
    told = reader_of(name).draw(data.getvalue())
    if FORMATS[name].is_text:
        text = data.getvalue().decode()
        assert all(character.isprintable() or character == "\n" for character in text)
    thread = shown("thread; \n")
    assert [path[0] for path in told.own] == [thread] * len(HOSTILE)
    names = [path[1].removesuffix(f" (main:{at})") for at, path in enumerate(told.own, 1)]
    assert names == list(map(shown, HOSTILE))
    assert told.title == shown('run "a" \\ </script>\n\ud800')
    if told.intervals is not None:
        assert [one for one, *_ in told.intervals] == list(map(shown, HOSTILE))
        assert [one for _, one, _ in told.instants] == list(map(shown, HOSTILE))
        assert list(told.counters) == list(map(shown, HOSTILE))
        assert [one for one, *_ in told.flows] == list(map(shown, HOSTILE))


# -- Which part ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAWS)
def test_a_part_is_cut_out(name):
    told = drawn(name, capture_of({"MainThread": MAIN}), window=Window(350, 3_100))
    wanted = [
        ("main", 350, 3_100, 0),
        ("work", 350, 3_000, 1),
        ("len", 350, 400, 2),
        ("len", 400, 450, 2),
        ("work", 3_000, 3_100, 1),
    ]
    assert_drawn(told, {"MainThread": wanted})
    assert "drawn from 350 ns to 3.1 us" in told.notes


@pytest.mark.parametrize("name", DRAWS)
def test_short_slices_are_left_out(name):
    told = drawn(name, capture_of({"MainThread": MAIN}), window=Window(least=2_800))
    wanted = [one for one in SLICES["MainThread"] if one[2] - one[1] >= 2_800]
    assert_drawn(told, {"MainThread": wanted})
    assert "slices of 2.8 us or more are drawn" in told.notes


def test_the_longest_are_drawn_where_there_are_too_many():
    tracks = tracks_by_hand({"MainThread": MAIN, "other": OTHER}, most=6)
    assert tracks.slice_count == 6
    assert tracks.notes == ["11 slices are more than 6: the 6 of 501 ns or more are drawn"]
    assert tracks_by_hand({"MainThread": MAIN, "other": OTHER}, most=11).notes == []
    same = tracks_by_hand(
        {"MainThread": tuple(Call("a", at, at + 5) for at in range(0, 99, 9))}, most=3
    )
    assert same.slice_count == 0, "none of them is longer than the others"
    for name in BESIDE:
        assert FORMATS[name].most_slices == (0 if name == "perfetto" else 2_000_000)


def test_each_loss_is_noted():
    losses = {"least": 300, "since": 5_000, "lost": 7, "dropped": {"marks": 3, "tasks": 0}}
    assert tracks_by_hand({"MainThread": MAIN}, **losses).notes == [
        "slices below 300 ns found no room in the timeline",
        "the timeline was overwritten up to 5 us",
        "7 longer slices found no room either",
        "3 marks found no room",
    ]


# -- Clocks and processes --------------------------------------------------------------------------


def test_ticks_become_nanoseconds():
    tracks = tracks_by_hand({"MainThread": (Call("a", 1, 4),)}, tick=2.5e-9)
    data = io.BytesIO()
    [track] = tracks
    track.draw("speedscope", tracks, [b""], [b" "], data.write)
    assert data.getvalue() == b"2}, 10}"  # round(2.5), as Python has it
    assert [track.process.times.ns(tick) for tick in (1, 4)] == [2, 10]
    assert [track.process.times.ticks(least) for least in (0, 1, 5, 6)] == [0, 1, 2, 3]


@pytest.mark.parametrize("name", DRAWS)
def test_processes_are_put_on_one_clock(name):
    """The second began 1000 ns after the first, and its first pair was taken at its tick 50."""
    first = capture_of({"MainThread": (Call("a", 0, 100),)}, clock=((0, 10**12),))
    second = capture_of({"worker": (Call("b", 50, 150),)}, clock=((50, 10**12 + 1_050),))
    told = drawn(name, first, second)
    slices = {"MainThread": [("a", 0, 100, 0)], "worker": [("b", 1_050, 1_150, 0)]}
    if name == "speedscope":  # which has no processes: the threads' names tell them apart
        told = told._replace(
            slices={key.rpartition(": ")[2]: those for key, those in told.slices.items()},
            own={(key.rpartition(": ")[2], *path): time for (key, *path), time in told.own.items()},
        )
    assert_drawn(told, slices)


def test_times_of_other_boots_are_told_by_the_time_of_day():
    here = capture_of({"a": MAIN}, clock=((0, 10**15),), epoch=1_000_000.0)
    there = capture_of({"b": MAIN}, clock=((0, 10**12),), epoch=1_000_000.5)
    export = Export(ProfileSet(here, there), "perfetto")
    first, second = export.tracks.processes
    assert (first.times.shift, second.times.shift) == (0, 500_000_000)
    assert export.tracks.epoch == 1_000_000.0
    assert first.pid == 77
    assert second.pid != 77


def test_threads_of_one_number_are_told_apart():
    numbers = {"a": 5, "b": 5, "c": 0}
    tracks = tracks_by_hand(dict.fromkeys(numbers, OTHER), native_ids=numbers)
    first, *others = (track.tid for track in tracks)
    assert first == 5
    assert len({5, *others}) == 3
    assert min(others) > 2**22


def test_functions_that_are_left_out_are_not_drawn():
    told = drawn("chrome", capture_of({"MainThread": MAIN}, left_out=["work"]))
    assert [one for one, *_ in told.slices["MainThread"]] == ["main", "len", "len", "rest", "main"]


# -- Writing ---------------------------------------------------------------------------------------


class Pieces(io.BytesIO):
    largest = 0

    def write(self, data):
        self.largest = max(self.largest, len(data))
        return super().write(data)


@pytest.mark.parametrize("name", DRAWS)
def test_a_long_timeline_is_written_bit_by_bit(name):
    threads = {
        f"thread {number}": tuple(Call("a", at, at + 5_000_000) for at in range(0, 10**11, 10**7))
        for number in range(2)
    }
    out, told = Pieces(), []
    made = Export(ProfileSet(capture_of(threads)), name)
    made.write(out, progress=told.append)
    assert made.nodes == 20_000
    assert out.largest <= 2 * writing.LARGEST_WRITE
    assert told == [10_000, 20_000, 20_000]
    assert len(reader_of(name).draw(out.getvalue()).own) == 2


@pytest.mark.parametrize("name", DRAWS)
def test_an_error_while_writing_is_raised(name):
    class Full(io.BytesIO):
        def write(self, data):
            if b"MainThread" not in data:
                raise OSError(28, "No space left on device")

    made = Export(ProfileSet(capture_of({"MainThread": MAIN})), name)
    with pytest.raises(OSError, match="No space left"):
        made.write(Full())


# -- What is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BESIDE)
def test_a_profile_without_a_timeline_is_refused(name):
    with pytest.raises(NoTimeline, match="no timeline was recorded; run the program with"):
        Export(tracer.Stats(tracer.Profile()), name)
    with pytest.raises(ValueError, match="a duration, such as 200us"):
        Export(ProfileSet(capture_of({"MainThread": MAIN})), name, 5)


def test_one_profile_without_a_timeline_among_others_is_noted():
    profiles = ProfileSet(capture_of({"MainThread": MAIN}))
    profiles._set_parts([*profiles.parts, *tracer.Stats(tracer.Profile()).parts])
    assert Export(profiles, "chrome").tracks.notes == ["1 of 2 have no timeline"]


def test_speedscope_shows_paths_where_they_are_asked_for():
    captures = [capture_of({"MainThread": MAIN})]
    assert Export(ProfileSet(*captures), "speedscope").tracks is not None
    assert Export(ProfileSet(*captures), "speedscope", merged=True).tracks is None
    assert Export(ProfileSet(*captures), "speedscope", 5).tracks is None
    with pytest.raises(NoTimeline):
        Export(tracer.Stats(tracer.Profile()), "speedscope", window=Window(least=5))


def test_speedscope_shows_the_thread_first_that_ran_longest():
    threads = {"a": (Call("f", 0, 900),), "b": OTHER, "c": (Call("f", 0, 800),)}
    data = io.BytesIO()
    Export(ProfileSet(capture_of(threads)), "speedscope").write(data)
    assert json.loads(data.getvalue())["activeProfileIndex"] == 1


def test_a_part_is_refused_where_there_is_none():
    with pytest.raises(ValueError, match="pprof has no times and durations to choose from; these "):
        Export(ProfileSet(capture_of({"MainThread": MAIN})), "pprof", window=Window(1, 2))
    with pytest.raises(ValueError, match="2e-09 is not before 2e-09; give an earlier time"):
        Export(ProfileSet(capture_of({"MainThread": MAIN})), "chrome", window=Window(2, 2))
