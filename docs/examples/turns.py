"""Four threads that compute in Python code: only one of them runs at a time."""

import threading


def steps(number):
    count = 0
    while number != 1:
        number = 3 * number + 1 if number % 2 else number // 2
        count += 1
    return count


def search(first):
    for number in range(first, first + 6000):
        longest[first] = max(longest.get(first, 0), steps(number))


longest = {}
threads = [threading.Thread(target=search, args=(first,)) for first in range(1, 24_000, 6000)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(longest)
