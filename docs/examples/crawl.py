"""A crawler: eight coroutines fetch pages through one lock, and parse them in the event loop."""

import asyncio

PAGES = 24
LARGE = 17  # a page of many more words


async def fetch(number, lock):
    async with lock:  # one request at a time
        await asyncio.sleep(0.1)
    return "word " * (1_000_000 if number == LARGE else 5_000)


def parse(page):
    counts = {}
    for word in page.split():
        counts[word] = counts.get(word, 0) + 1
    return counts


async def crawl(first, lock):
    for number in range(first, PAGES, 8):
        parse(await fetch(number, lock))


async def main():
    lock = asyncio.Lock()
    await asyncio.gather(*(crawl(first, lock) for first in range(8)))


asyncio.run(main())
