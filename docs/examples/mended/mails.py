"""The mails, mended: four threads write, and one sends."""

import queue
import threading
import time

mails = queue.Queue()


def write():
    for number in range(10):
        time.sleep(0.01)  # looks the address up
        mails.put(number)


def send():
    for _ in range(40):
        mails.get()
        time.sleep(0.002)


threads = [threading.Thread(target=function) for function in (write, write, write, write, send)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
