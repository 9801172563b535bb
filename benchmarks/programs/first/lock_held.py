# function: Stock.add
# share: 85
# caller: receive
# words: \bsave\b
# words: \block\b
"""A thread saves the stock again and again, and holds the lock meanwhile: who adds has to wait."""

import threading
import time


class Stock:
    def __init__(self):
        self.lock = threading.Lock()
        self.articles = []
        self.is_open = True

    def add(self, article):
        with self.lock:
            self.articles.append(article)

    def save(self):
        with self.lock:
            time.sleep(0.04)  # as long as a slow disk takes


def saver(stock):
    while stock.is_open:
        stock.save()
        time.sleep(0.005)


def receive(stock):
    for number in range(30):
        time.sleep(0.006)
        stock.add(number)


stock = Stock()
thread = threading.Thread(target=saver, args=(stock,))
thread.start()
receive(stock)
stock.is_open = False
thread.join()
print(len(stock.articles))
