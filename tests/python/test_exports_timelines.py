"""What each format of timelines owes: every slice that it is given, what is beside the slices where
the format has a place for it, and odd timelines told right.

formats/<name>.py reads a format back, as for test_exports_contract.py.
"""

import io
from math import inf, nan

import pytest

import tracer
from drawn import Call, Gap, capture_of, tracks_by_hand
from exporting import HOSTILE, nanoseconds, recorded
from formats import add, own_of, reader_of
from tracer.analysis.call_tree import Row
from tracer.data.profile_set import ProfileSet
from tracer.exports import writing
from tracer.exports.export import FORMATS, Export, NoTimeline, Window
from tracer.exports.names import shown
from tracer.exports.timelines import tracks_of
from tracer.exports.tracks import WAITED

DRAWS = [name for name, format in FORMATS.items() if format.draws]
# speedscope has stacks alone.
BESIDE = [name for name in DRAWS if FORMATS[name].needs == "timeline"]

MAIN = (
    Call(
        "main",
        100,
        10_000,
        (
            Call("work", 200, 3_000, (Call("len", 300, 400), Call("len", 400, 450))),
            Call("work", 3_000, 9_000),
            Call("rest", 9_000, 9_500),
        ),
    ),
    Call("main", 10_000, 20_000, (Call("work", 12_000, 20_000, is_open=True),), is_open=True),
)
OTHER = (Call("serve", 50, 50_000, (Call("main", 60, 70, (Call("main", 60, 65),)),)),)
SLICES = {
    "MainThread": [
        ("main", 100, 10_000, 0),
        ("work", 200, 3_000, 1),
        ("len", 300, 400, 2),
        ("len", 400, 450, 2),
        ("work", 3_000, 9_000, 1),
        ("rest", 9_000, 9_500, 1),
        ("main", 10_000, 20_000, 0),
        ("work", 12_000, 20_000, 1),
    ],
    "other": [("serve", 50, 50_000, 0), ("main", 60, 70, 1), ("main", 60, 65, 2)],
}


def name_in(name):
    """How a format calls a function of drawn.py's: with its module, but for speedscope."""
    return lambda told: told.partition(" (")[0].strip("<>") if told not in WAITED else told


def drawn(name, *captures, **options):
    """What the format tells, by the plain names of functions."""
    data = io.BytesIO()
    made = Export(ProfileSet(*captures), name, **options)
    made.write(data)
    told, plain = reader_of(name).draw(data.getvalue()), name_in(name)
    slices = told.slices and {
        thread: [(plain(one), *rest) for one, *rest in those]
        for thread, those in told.slices.items()
    }
    own = {(thread, *map(plain, path)): time for (thread, *path), time in told.own.items()}
    places = told.places and {plain(one): place for one, place in told.places.items()}
    return told._replace(slices=slices, own=own, places=places)


def assert_drawn(told, slices):
    """The slices are these, or at least their own times."""
    assert told.own == own_of(slices)
    if told.slices is not None:
        assert told.slices == slices


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


@pytest.mark.parametrize("name", BESIDE)
def test_gaps_are_told(name):
    inner = (Call("len", 100, 300, (Gap(110, 290, 170),)), Gap(400, 500, 80))
    told = drawn(name, capture_of({"MainThread": (Call("main", 0, 1_000, inner),)}))
    if told.slices is None:
        assert {key: one["values"] for key, one in told.intervals.items()} == {
            (WAITED[1], 110, 290): "without CPU=170 ns",
            (WAITED[0], 400, 500): "without CPU=80 ns",
        }
        return
    assert told.slices["MainThread"] == [
        ("main", 0, 1_000, 0),
        ("len", 100, 300, 1),
        (WAITED[1], 110, 290, 2),
        (WAITED[0], 400, 500, 1),
    ]


def test_speedscope_has_no_place_for_gaps():
    told = drawn("speedscope", capture_of({"MainThread": (Call("a", 0, 9, (Gap(1, 8, 7),)),)}))
    assert told.slices == {"MainThread": [("a", 0, 9, 0)]}


@pytest.mark.parametrize("name", BESIDE)
def test_what_had_not_ended_says_so(name):
    ranges = ((0, 1, 150, -1, "open", None, (), 0, 0),)
    told = drawn(name, capture_of({"MainThread": MAIN}, ranges=ranges))
    [((_, start, end), values)] = told.intervals.items()
    assert (start, end) == (150, 20_000)
    assert "ended=False" in str(values.get("values", "")) or values["ended"] is False
    if told.opened is not None:
        assert {name_in(name)(one) for one in told.opened} == {"main", "work"}


@pytest.mark.parametrize("name", BESIDE)
def test_ranges_that_overlap_stand_beside_each_other(name):
    ranges = (
        (0, 1, 100, 500, "outer", "io", (("batch", 3), ("rate", 0.5)), 0, 0),
        (0, 1, 200, 300, "inner", None, (), 0, 0),
        (0, 1, 400, 900, "later", None, (("none", None),), 0, 0),
        (0, 1, 450, 450, "short", None, (), 0, 0),
    )
    told = drawn(name, capture_of({"MainThread": MAIN}, ranges=ranges))
    assert set(told.intervals) == {(it[4], it[2], it[3]) for it in ranges}
    values = told.intervals["outer", 100, 500]
    if "batch" in values:
        assert (values["category"], values["batch"], values["rate"]) == ("io", 3, 0.5)
    else:
        assert values["values"] == "category=io, batch=3, rate=0.5"


@pytest.mark.parametrize("name", BESIDE)
def test_tasks_and_greenlets_ran_when_they_ran(name):
    calls = (
        Call("step", 100, 200, task=1),
        Call("step", 200, 250, task=2),
        Call("step", 300, 400, task=1),
        Call("greet", 500, 600, stack=1),
    )
    told = drawn(
        name,
        capture_of(
            {"MainThread": calls},
            tasks=((1, 0, 1, 100, 400, "fetch"), (2, 0, 1, 200, -1, None)),
            stacks=((1, 0, "cook"),),
            ranges=((0, 1, 150, 350, "request", None, (), 1, 0),),
        ),
    )
    assert set(told.intervals) == {
        ("fetch", 100, 400),
        ("task 2", 200, 600),
        ("running", 100, 200),
        ("running", 200, 250),
        ("running", 300, 400),
        ("running", 500, 600),
        ("request", 150, 350),
    }
    lanes = {key: values.get("lane") for key, values in told.intervals.items()}
    if name != "perfetto":  # whose tracks have the names
        assert lanes["running", 300, 400] == "fetch"
        assert lanes["running", 500, 600] == "cook"
        assert lanes["request", 150, 350] == "fetch: ranges"


@pytest.mark.parametrize("name", BESIDE)
def test_collections_marks_forks_counters_and_flows(name):
    told = drawn(
        name,
        capture_of(
            {"MainThread": MAIN, "other": OTHER},
            collections=((1, 600, 700, 2, 5, 1),),
            marks=((0, 1, 5_000, "epoch 2", (("seen", True), ("loss", 1.5))),),
            forks=((0, 9_500, "fork", 4242), (0, 9_600, "exec", -1)),
            counters=((0, 10, "loss", 0.5), (0, 20, "loss", inf), (1, 30, "loss", -7)),
            flows=(("request", 0, 1_000, 1, 30_000), ("request", 1, 2_000, 0, 2_500)),
        ),
    )
    assert set(told.intervals) == {("garbage collection", 600, 700)}
    [values] = told.intervals.values()
    wanted = {"generation": 2, "collected": 5, "uncollectable": 1}
    assert wanted.items() <= values.items() or values["values"] == (
        "generation=2, collected=5, uncollectable=1"
    )
    assert [(at, one) for at, one, _ in told.instants] == [
        (5_000, "epoch 2"),
        (9_500, "fork"),
        (9_600, "exec"),
    ]
    marked, forked, _ = (values for *_, values in told.instants)
    assert marked in ({"seen": True, "loss": 1.5}, {"values": "seen=True, loss=1.5"})
    assert forked in ({"pid": 4242}, {"values": "pid=4242"})
    assert told.counters == {"loss": [(10, 0.5), (30, -7)]}
    assert told.flows == [
        ("request", "MainThread", 1_000, "other", 30_000),
        ("request", "other", 2_000, "MainThread", 2_500),
    ]


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


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_beside_is_cut_out_too(name):
    told = drawn(
        name,
        capture_of(
            {"MainThread": MAIN},
            ranges=(
                (0, 1, 100, 500, "in", None, (), 0, 0),
                (0, 1, 900, 999, "out", None, (), 0, 0),
            ),
            marks=((0, 1, 350, "in", ()), (0, 1, 901, "out", ())),
            counters=((0, 400, "in", 1), (0, 901, "out", 1)),
            flows=(("in", 0, 300, 0, 400), ("out", 0, 300, 0, 901)),
        ),
        window=Window(300, 800),
    )
    assert set(told.intervals) == {("in", 300, 500)}
    assert [one for _, one, _ in told.instants] == ["in"]
    assert list(told.counters) == ["in"]
    assert [one for one, *_ in told.flows] == ["in"]


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


def test_a_part_is_refused_where_there_is_none():
    with pytest.raises(ValueError, match="pprof has no times and durations to choose from; these "):
        Export(ProfileSet(capture_of({"MainThread": MAIN})), "pprof", window=Window(1, 2))
    with pytest.raises(ValueError, match="2e-09 is not before 2e-09; give an earlier time"):
        Export(ProfileSet(capture_of({"MainThread": MAIN})), "chrome", window=Window(2, 2))
