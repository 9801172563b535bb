"""What a LineRecorder would have recorded, of figures that a test spells out."""

from struct import pack

FILE = "/nowhere/a.py"


def snapshot(functions, measured=0.0, waits=None, file=FILE, tick=1.0, **more):
    """What LineRecorder.snapshot() would have of {(first line, name): [(line, hits, time, in C,
    own, suspended)]}, in ticks. waits: {position of a line: ticks that it waited}. tick: seconds.
    name: may be qualified."""
    records = b"".join(
        pack("=IIQqqqqq", place, *figures, 0)
        for place, rows in enumerate(functions.values())
        for figures in rows
    )
    thread = {"ident": 0, "native_id": 0, "lines": records}
    if waits is not None:
        packed = (pack("=IIq", place, 0, ticks) for place, ticks in waits.items())
        thread["line_waits"] = b"".join(packed)
    return {
        "codes": tuple((file, line, name.rpartition(".")[2], name) for line, name in functions),
        "threads": (thread,),
        "seconds_per_tick": tick,
        "measured": measured,
        "left_out": 0,
        "lost": 0,
        "sources": {},
        **more,
    }
