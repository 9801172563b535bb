"""Two functions that make orders: which of them made the ones that are alive."""

import tracer


class Order:
    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


def receive(count):
    orders = []
    for number in range(count):
        orders.append(Order(number))
    return orders


def repeat(orders):
    return list(map(Order, range(len(orders) // 10)))


with tracer.Profile(memory=True):
    received = receive(1000)
    repeated = repeat(received)
    print(tracer.heap().allocated(Order))
    print(tracer.allocated_at(repeated[0]))
