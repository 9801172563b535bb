"""A service of asyncio's streams, and its clients, in one loop: coroutines, callbacks, JSON."""

import asyncio
import json


async def answer(reader, writer):
    while line := await reader.readline():
        writer.write(json.dumps(reply(json.loads(line))).encode() + b"\n")
        await writer.drain()
    writer.close()


def reply(question):
    return {"id": question["id"], "sum": sum(question["numbers"]), "words": words(question)}


def words(question):
    return [f"{number:x}" for number in question["numbers"] if number % 3 == 0]


async def ask(port, times):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in range(times):
        question = {"id": number, "numbers": list(range(number % 50))}
        writer.write(json.dumps(question).encode() + b"\n")
        await writer.drain()
        assert json.loads(await reader.readline())["id"] == number
    writer.close()


async def run(clients, times):
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        await asyncio.gather(*(ask(port, times) for _ in range(clients)))


if __name__ == "__main__":
    asyncio.run(run(8, 1000))
