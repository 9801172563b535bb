"""One function with a loop, decorated by `@profile` where a profiler offers that name; it prints
the processor time of the loop. What times or weighs lines is compared by it."""

import sys
from time import process_time

try:
    profile  # noqa: B018
except NameError:  # no profiler offers it

    def profile(function):
        return function


@profile
def fill(count):
    kept = []
    total = 0
    for number in range(count):
        item = [number] * 4
        total += len(item)
        if number % 8 == 0:
            kept.append(item)
    return total


if __name__ == "__main__":
    began = process_time()
    fill(int(sys.argv[1]))
    print(f"seconds {process_time() - began}")
