# function: lookup
# share: 95
# caller: price
# words: \bblocks\b
"""Prices by coroutines. Each looks its article up in a way that blocks the event loop for 60 ms."""

import asyncio
import time


def lookup(article):
    time.sleep(0.06)
    return len(article)


async def price(article):
    await asyncio.sleep(0)
    return lookup(article)


async def ping():
    for _ in range(20):
        await asyncio.sleep(0.001)


async def main():
    prices = (price(f"article {number}") for number in range(30))
    print(len(await asyncio.gather(ping(), *prices)))


asyncio.run(main())
