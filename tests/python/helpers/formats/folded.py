"""A line for each path: the thread and the functions, then own time."""

from formats import NO_PLACE, Found, add
from tracer.exports.names import placed_names


def names(paths):
    return [name.replace(";", ":") for name in placed_names(paths)]


def read(data):
    return Found(paths=read_folded(data), rule=NO_PLACE)


def read_folded(data):
    """{path: time}, of lines that are each a path and a number; paths are tuples of frames."""
    found = {}
    for line in data.decode().splitlines():
        path, _, number = line.rpartition(" ")
        path = tuple(path.split(";"))
        add(found, path, int(number))
    return found
