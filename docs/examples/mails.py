"""Four threads send what one thread writes. Most of the time they have nothing to send."""

import queue
import threading
import time

mails = queue.Queue()


def write():
    for number in range(40):
        time.sleep(0.01)  # looks the address up
        mails.put(number)
    for _ in range(4):
        mails.put(None)


def send():
    while mails.get() is not None:
        time.sleep(0.002)


threads = [threading.Thread(target=function) for function in (write, send, send, send, send)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
