"""Packets of Perfetto's trace format, taken apart by the numbers of their fields."""

from collections import defaultdict
from struct import unpack

from formats import Drawn, opened_and_closed, own_of
from protobufs import message

INCREMENTAL = 64
BEGIN, END, INSTANT, COUNT = 1, 2, 3, 4


def text(fields, number, default=""):
    return fields[number][0].decode() if number in fields else default


def signed(number):
    return number - 2**64 if number >= 2**63 else number


class Sequence:
    """What a sequence remembers from packet to packet."""

    def __init__(self):
        self.now, self.track, self.clock = 0, None, None
        self.names, self.files = {}, {}


def draw(data):
    sequences = defaultdict(Sequence)
    tracks, events, places = {}, [], {}
    for raw in message(data)[1]:
        packet = message(raw)
        sequence = sequences[packet[10][0]]
        begin(sequence, packet)
        for descriptor in map(message, packet[60]):
            tracks[descriptor[1][0]] = descriptor
        for event in map(message, packet[11]):
            at = packet[8][0]
            if sequence.clock == INCREMENTAL:
                sequence.now = at = sequence.now + at
            track = event[11][0] if 11 in event else sequence.track
            name = sequence.names[event[10][0]] if 10 in event else text(event, 23)
            if 34 in event:
                places[name] = sequence.files[event[34][0]]
            events.append((at, track, event[9][0], name, event))
    return drawn(tracks, events, places)


def begin(sequence, packet):
    """The first packet of a sequence sets its clock, its track and its names."""
    for snapshot in map(message, packet[6]):
        clocks = [message(clock) for clock in snapshot[1]]
        assert [(it[1], it[2]) for it in clocks] == [([6], [0]), ([INCREMENTAL], [0])]
        assert clocks[1][3] == [1]
    for defaults in map(message, packet[59]):
        sequence.clock = defaults[58][0]
        sequence.track = message(defaults[11][0])[11][0]
        assert packet[13] == [1]
    for interned in map(message, packet[12]):
        for name in map(message, interned[2]):
            sequence.names[name[1][0]] = text(name, 2)
        for place in map(message, interned[4]):
            sequence.files[place[1][0]] = text(place, 2), place[4][0]


def drawn(tracks, events, places):
    processes = {uuid: message(it[3][0]) for uuid, it in tracks.items() if 3 in it}
    threads = {uuid: text(message(it[4][0]), 5) for uuid, it in tracks.items() if 4 in it}
    steps, opened = defaultdict(list), set()
    instants, counters, flows = [], defaultdict(list), defaultdict(dict)
    for at, track, kind, name, event in events:
        values = values_of(event)
        if kind in (BEGIN, END):
            steps[track].append((kind == BEGIN, at, name, values))
            if track in threads and values.get("ended") is False:
                opened.add(name)
        elif kind == COUNT:
            counters[text(tracks[track], 2)].append((at, number_of(event)))
        elif 47 in event or 48 in event:
            flows[(event.get(47) or event.get(48))[0]][47 in event] = name, threads[track], at
        else:
            instants.append((at, name, values))
    slices = {
        name: [one[:4] for one in opened_and_closed(steps[uuid])] for uuid, name in threads.items()
    }
    labels = [label.decode() for process in processes.values() for label in process[8]]
    return Drawn(
        slices=slices,
        own=own_of(slices),
        opened=opened,
        intervals={
            (name, start, end): values
            for uuid in steps.keys() - threads.keys()
            for name, start, end, _, values in opened_and_closed(steps[uuid])
        },
        instants=instants,
        counters=dict(counters),
        flows=[
            (ends[True][0].removeprefix("flow "), *ends[True][1:], *ends[False][1:])
            for ends in flows.values()
        ],
        places=places,
        title=labels[1] if labels else None,
        notes=" ".join(labels),
    )


def values_of(event):
    found = {}
    for annotation in map(message, event[4]):
        for number, read in ((2, bool), (4, signed), (6, bytes.decode)):
            if number in annotation:
                found[text(annotation, 10)] = read(annotation[number][0])
        if 5 in annotation:
            found[text(annotation, 10)] = unpack("<d", annotation[5][0])[0]
    return found


def number_of(event):
    return signed(event[30][0]) if 30 in event else unpack("<d", event[44][0])[0]
