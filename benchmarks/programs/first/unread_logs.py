# function: Order.__str__
# share: 66
# caller: ship
"""Orders, each told to a log of a level that nobody reads, as a text that is made nonetheless."""

import logging

log = logging.getLogger("shop")


class Order:
    def __init__(self, number):
        self.number = number
        self.lines = [(f"article {n}", n * number % 7) for n in range(12)]

    def __str__(self):
        lines = "; ".join(f"{amount} of {article}" for article, amount in self.lines)
        return f"order {self.number}: {lines}"

    def weight(self):
        return sum(amount for _, amount in self.lines)


def ship(order):
    log.debug(f"to ship: {order}")
    weight = order.weight()
    log.debug(f"shipped, with a weight of {weight}: {order}")
    return weight


orders = [Order(number) for number in range(2_000)]
print(sum(ship(order) for _ in range(30) for order in orders))
