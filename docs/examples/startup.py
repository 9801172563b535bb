"""A small tool. It imports more than it needs."""

import asyncio
import sys


async def serve():
    await asyncio.sleep(1)


if "--serve" in sys.argv:
    asyncio.run(serve())
print("ready")
