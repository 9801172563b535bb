# function: garbage
# share: 70
# clock: garbage collector
"""A large table of small objects, all of which the garbage collector looks at, again and again."""


def build(count):
    orders = []
    for key in range(count):
        order = {"key": key, "items": [[key, 1], [key + 1, 2]], "notes": []}
        orders.append(order)
    return orders


print(len(build(500_000)))
