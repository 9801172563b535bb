"""Timelines by hand (drawn.py), exported and read back by formats/<name>.py."""

import io

from drawn import Call
from formats import own_of, reader_of
from tracer.data.profile_set import ProfileSet
from tracer.exports.export import FORMATS, Export
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
