"""Has some of everything that a page shows: threads, recursion, a generator, modules of others.

One thread runs after the other, each while the main one waits for it: however slow the machine is,
neither thread has as much time as the main one, nor have both together.
"""

import json
import threading
import time


class Shape:
    def __init__(self, sides):
        self.sides = sides

    def area(self):
        return sum(side * side for side in self.sides)

    def describe(self):
        return json.dumps({"sides": self.sides, "area": self.area()})


def recurse(depth):
    return 1 if depth == 0 else recurse(depth - 1) + 1


def countdown(number):
    while number:
        yield number
        number -= 1


def work():
    for sides in countdown(20):
        Shape(list(range(sides))).describe()
        recurse(sides)


def wait():
    time.sleep(0.01)
    recurse(3)


work()
for number in range(2):
    thread = threading.Thread(target=wait, name=f"Waiter {number}")
    thread.start()
    thread.join()
