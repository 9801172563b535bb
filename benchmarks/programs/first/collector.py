# function: garbage
# share: 72
# clock: garbage collector
"""A large tree of objects, all of which the garbage collector looks at, again and again."""


class Node:
    def __init__(self, key, parent):
        self.key = key
        self.parent = parent
        self.links = []


def build(count):
    nodes = [Node(0, None)]
    for key in range(1, count):
        parent = nodes[key // 2]
        node = Node(key, parent)
        parent.links.append(node)
        nodes.append(node)
    return nodes


print(len(build(700_000)))
