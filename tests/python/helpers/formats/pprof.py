"""A sample for each path of each thread, in the protocol buffer that profile.proto describes."""

import gzip

from formats import Found, add
from protobufs import fields, message, numbers
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


class Pprof:
    """A profile.proto: `samples` are (path, values, labels), outermost function first. `lines` has
    all lines of a location, (function, file, line), what was put in line there first."""

    def __init__(self, data):
        found = list(fields(gzip.decompress(data)))
        self.texts = [value.decode() for number, value in found if number == 6]
        assert self.texts[0] == ""
        assert len(set(self.texts)) == len(self.texts)
        self.kinds = [
            tuple(self.texts[dict(fields(value))[part]] for part in (1, 2))
            for number, value in found
            if number == 1
        ]
        functions = [dict(fields(value)) for number, value in found if number == 5]
        self.functions = {function[1]: function for function in functions}
        locations = [dict(fields(value)) for number, value in found if number == 4]
        self.locations = {location[1]: dict(fields(location[4])) for location in locations}
        self.lines = [
            [self.line(dict(fields(value))) for number, value in fields(data) if number == 4]
            for part, data in found
            if part == 4
        ]
        self.samples = [self.sample(message(value)) for number, value in found if number == 2]
        self.about = dict(found)
        self.comments = [self.texts[text] for text in numbers(self.about[13])]

    def sample(self, found):
        [locations], [values] = found[1], found[2]
        path = [self.name(self.locations[number][1]) for number in numbers(locations)]
        labels = {}
        for label in map(dict, map(fields, found[3])):
            labels[self.texts[label[1]]] = self.texts[label[2]] if 2 in label else label.get(3, 0)
        return tuple(reversed(path)), tuple(numbers(values)), labels

    def name(self, number):
        return self.texts[self.functions[number][2]]

    def line(self, found):
        function = self.functions[found[1]]
        return self.texts[function[2]], self.texts[function.get(4, 0)], found.get(2, 0)
