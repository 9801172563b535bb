"""A profile for each thread, of events. Frames of one name are told apart by file and line."""

import json

from formats import Drawn, Found, add, opened_and_closed, own_of
from tracer.exports.names import shown


def names(paths):
    return [
        (shown(row.name), shown(row.file), row.line) if row.file != "~" else (row.name, None, None)
        for row in paths.rows
    ]


def read(data):
    threads = read_speedscope(data, lambda frame: tuple(map(frame.get, ("name", "file", "line"))))
    paths = {(thread, *path): time for thread, times in threads for path, time in times.items()}
    assert len({thread for thread, _ in threads}) == len(threads)
    title = json.loads(data)["name"]  # with the rule behind it, if there is one
    return Found(paths=paths, rule=title, title=title)


def read_speedscope(data, key=lambda frame: frame["name"]):
    """[(thread, {path: time})], of events that are checked for order and balance."""
    document = json.loads(data)
    frames = [key(frame) for frame in document["shared"]["frames"]]
    threads = []
    for profile in document["profiles"]:
        times, path, now = {}, [], profile["startValue"]
        for event in profile["events"]:
            assert event["at"] >= now
            if event["at"] > now:
                add(times, tuple(path), event["at"] - now)
            now = event["at"]
            if event["type"] == "O":
                path.append(frames[event["frame"]])
            else:
                assert path.pop() == frames[event["frame"]]
        assert not path
        assert now == profile["endValue"]
        threads.append((profile["name"], times))
    return threads


def draw(data):
    document = json.loads(data)
    read(data)  # which checks order and balance
    frames = document["shared"]["frames"]
    names = [frame["name"] for frame in frames]
    slices = {
        profile["name"]: [
            (name, start, end, depth)
            for name, start, end, depth, _ in opened_and_closed(
                (event["type"] == "O", event["at"], names[event["frame"]], None)
                for event in profile["events"]
            )
        ]
        for profile in document["profiles"]
    }
    return Drawn(
        slices=slices,
        own=own_of(slices),
        places={it["name"]: (it["file"], it["line"]) for it in frames if "file" in it},
        title=document["name"],
        notes=document["name"],
    )
