"""Four threads: one sleeps with a lock in its hands, one wants that lock, two count."""

import threading
import time

lock = threading.Lock()
held = threading.Event()


def write():
    with lock:
        held.set()
        time.sleep(0.2)


def read():
    held.wait()
    lock.acquire()
    lock.release()


def count():
    for _ in range(4_000_000):
        pass


threads = [threading.Thread(target=f, name=f.__name__) for f in (write, read, count, count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
