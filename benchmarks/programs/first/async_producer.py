# function: produce
# share: 98
"""One coroutine reads pages of a slow source into a queue, and three wait for them."""

import asyncio


async def read_page(number):
    await asyncio.sleep(0.03)
    return [number] * 20


async def produce(pages):
    for number in range(100):
        await pages.put(await read_page(number))
    for _ in range(3):
        await pages.put(None)


async def consume(pages, sums):
    while (page := await pages.get()) is not None:
        sums.append(sum(page))


async def main():
    pages, sums = asyncio.Queue(5), []
    await asyncio.gather(produce(pages), *(consume(pages, sums) for _ in range(3)))
    print(sum(sums))


asyncio.run(main())
