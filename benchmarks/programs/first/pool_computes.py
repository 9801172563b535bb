# function: distance
# share: 97
# caller: nearest
"""A pool of four threads that compute: one at a time, as the interpreter lets one thread run."""

from concurrent.futures import ThreadPoolExecutor


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        new = [i + 1]
        for j, y in enumerate(b):
            new.append(min(row[j] + (x != y), row[j + 1] + 1, new[j] + 1))
        row = new
    return row[-1]


WORDS = [f"customer-{number * 7919 % 1000:04}-name" for number in range(150)]


def nearest(word):
    return min(distance(word, other) for other in WORDS if other != word)


with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(nearest, WORDS)))
