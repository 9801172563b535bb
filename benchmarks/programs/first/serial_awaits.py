# function: rates
# share: 98
# words: fetch
# words: \b25\b
"""A report of 200 users, fetched at once, and of 25 days, fetched one after the other."""

import asyncio


async def fetch(path, seconds):
    await asyncio.sleep(seconds)
    return len(path)


async def user(number):
    return await fetch(f"/user/{number}", 0.05)


async def rates():
    return sum([await fetch(f"/rates/{day}", 0.15) for day in range(25)])


async def report():
    return sum(await asyncio.gather(rates(), *(user(number) for number in range(200))))


print(asyncio.run(report()))
