"""The small tool, mended: it imports where it uses."""

import sys


async def serve():
    await asyncio.sleep(1)


if "--serve" in sys.argv:
    import asyncio

    asyncio.run(serve())
print("ready")
