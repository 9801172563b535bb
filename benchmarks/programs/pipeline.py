"""A pipeline of asyncio tasks joined by queues: coroutines, async generators, many resumes.

Nothing waits for time or for the network, so the numbers of calls and resumes are the same in
every run.
"""

import argparse
import asyncio

END = None


async def numbers(count):
    """Count, and let the other tasks run now and then."""
    for number in range(count):
        if number % 8 == 0:
            await asyncio.sleep(0)
        yield number


async def produce(count, outbox):
    async for number in numbers(count):
        await outbox.put(number)
    await outbox.put(END)


async def transform(inbox, outbox, function):
    """Put function(item) into the outbox for each item of the inbox."""
    while (item := await inbox.get()) is not END:
        await outbox.put(function(item))
    await outbox.put(END)


async def collect(inbox):
    total = 0
    while (item := await inbox.get()) is not END:
        total += item
    return total


def collatz_steps(number):
    """How many steps of the Collatz rule lead from number + 1 to 1."""
    steps = 0
    number += 1
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps += 1
    return steps


def squared(number):
    return number * number


async def run(count, room):
    raw, steps, squares = (asyncio.Queue(room) for _ in range(3))
    *_, total = await asyncio.gather(
        produce(count, raw),
        transform(raw, steps, collatz_steps),
        transform(steps, squares, squared),
        collect(squares),
    )
    return total


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Send numbers through a pipeline of tasks.")
    parser.add_argument("count", type=int, nargs="?", default=40000, help="numbers to send")
    parser.add_argument("--room", type=int, default=4, help="items that a queue holds")
    options = parser.parse_args(arguments)
    print(f"{options.count} numbers: {asyncio.run(run(options.count, options.room))}")


if __name__ == "__main__":
    main()
