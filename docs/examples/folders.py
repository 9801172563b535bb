"""A tree of folders: its size by recursion, its longest name by a generator."""


def made(depth):
    names = ("one", "two", "three", "four")
    return {name: made(depth - 1) if depth > 0 else len(name) for name in names}


def size(entry):
    if isinstance(entry, int):
        return entry
    total = 0
    for inner in entry.values():
        total += size(inner)
    return total


def paths(folder):
    rest = [((), folder)]
    while rest:
        path, entry = rest.pop()
        if isinstance(entry, int):
            yield "/".join(path)
        else:
            rest.extend(((*path, name), inner) for name, inner in entry.items())


def longest(found):
    best = ""
    for path in found:
        if len(path) > len(best):
            best = path
    return best


root = made(6)
print(size(root), longest(paths(root)))
