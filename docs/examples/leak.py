"""A service that forgets no order: what grows, and why it is alive."""

import tracer


class Order:
    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


class Service:
    def __init__(self):
        self.seen = set()

    def handle(self, number):
        self.seen.add(Order(number))


def work(count):
    for number in range(count):
        service.handle(number)


service = Service()
tracer.growth()
work(1000)
grown = tracer.growth()
print(grown)
print(tracer.why(grown.of(Order)[0]))
