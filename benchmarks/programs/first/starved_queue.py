# function: decode
# share: 96
# caller: produce
"""One thread decodes lines, and four wait for what it puts into a queue."""

import json
import queue
import threading

LINE = json.dumps({"id": 7, "tags": ["a", "b"] * 640, "total": 1.5})


def decode(line):
    record = json.loads(line)
    record["tags"] = sorted({tag.upper() + str(k) for k, tag in enumerate(record["tags"])})
    return record


def produce(todo):
    for _ in range(2_500):
        todo.put(decode(LINE))
    for _ in range(4):
        todo.put(None)


def consume(todo, out):
    while (record := todo.get()) is not None:
        out.append(record["id"])


todo, out = queue.Queue(100), []
threads = [threading.Thread(target=consume, args=(todo, out)) for _ in range(4)]
threads.append(threading.Thread(target=produce, args=(todo,)))
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(out))
