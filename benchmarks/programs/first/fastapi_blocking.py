# function: lookup
# share: 87
# caller: price
# words: \bblocks\b
"""A FastAPI application whose handler is a coroutine, and blocks the event loop in a lookup."""

import asyncio
import time

import httpx
from fastapi import FastAPI

app = FastAPI()


def lookup(number):
    time.sleep(0.025)
    return number * 3


@app.get("/prices/{number}")
async def price(number: int):
    return {"price": lookup(number)}


async def main():
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.example") as client:
        answers = await asyncio.gather(*(client.get(f"/prices/{n}") for n in range(80)))
    print(sum(answer.json()["price"] for answer in answers))


asyncio.run(main())
