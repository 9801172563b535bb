# function: parse
# share: 80
# caller: handle
"""Coroutines that compute: each message is parsed in the event loop."""

import asyncio
import json

MESSAGE = json.dumps([{"id": n, "tags": ["a", "b", "c"], "price": n / 7} for n in range(60)])


def parse(message):
    return {row["id"]: round(row["price"], 2) for row in json.loads(message)}


def stored(prices):
    return sorted(prices.items())[:10]


async def handle(message):
    await asyncio.sleep(0)
    return stored(parse(message))


async def main():
    for _ in range(30):
        print(len(await asyncio.gather(*(handle(MESSAGE) for _ in range(400)))), end=" ")


asyncio.run(main())
