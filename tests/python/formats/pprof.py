"""A sample for each path of each thread, in the protocol buffer that profile.proto describes."""

import gzip

from formats import Found, add
from tracer.exports.names import unique_names


def names(paths):
    return unique_names(paths)


def read(data):
    profile = Pprof(data)
    times, calls = {}, {}
    for path, (called, time), labels in profile.samples:
        add(times, (labels["thread"], *path), time)
        add(calls, (labels["thread"], *path), called)
    rule, title = " ".join(profile.comments), profile.texts[dict(fields(profile.about[3]))[5]]
    return Found(paths=times, path_calls=calls, rule=rule, title=title)


def fields(data):
    """(number, value) of each field of a protocol buffer's message; lists are left packed."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2
            length = varint()
            yield key >> 3, data[at : at + length]
            at += length


def unpacked(data):
    """The whole numbers of a packed list."""
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


class Pprof:
    """A profile.proto: `samples` are (path, values, labels), outermost function first."""

    def __init__(self, data):
        message = list(fields(gzip.decompress(data)))
        self.texts = [value.decode() for number, value in message if number == 6]
        assert self.texts[0] == ""
        assert len(set(self.texts)) == len(self.texts)
        self.kinds = [
            tuple(self.texts[dict(fields(value))[part]] for part in (1, 2))
            for number, value in message
            if number == 1
        ]
        functions = [dict(fields(value)) for number, value in message if number == 5]
        self.functions = {function[1]: function for function in functions}
        locations = [dict(fields(value)) for number, value in message if number == 4]
        self.locations = {location[1]: dict(fields(location[4])) for location in locations}
        self.samples = [self.sample(dict_of(value)) for number, value in message if number == 2]
        self.about = dict(message)
        self.comments = [self.texts[text] for text in unpacked(self.about[13])]

    def sample(self, found):
        [locations], [values] = found[1], found[2]
        path = [self.name(self.locations[number][1]) for number in unpacked(locations)]
        labels = {}
        for label in map(dict, map(fields, found[3])):
            labels[self.texts[label[1]]] = self.texts[label[2]] if 2 in label else label.get(3, 0)
        return tuple(reversed(path)), tuple(unpacked(values)), labels

    def name(self, number):
        return self.texts[self.functions[number][2]]


def dict_of(message):
    """{number: values} of a message."""
    found = {}
    for number, value in fields(message):
        found.setdefault(number, []).append(value)
    return found
