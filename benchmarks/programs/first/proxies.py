# function: Line.gross
# share: 56
# caller: total
# words: __getattr__
"""Order lines with a property, which reads its figures through a proxy."""

from decimal import Decimal

CENT = Decimal("0.01")


class Article:
    def __init__(self, number):
        self.price = Decimal(number % 90 + 1)
        self.rate = Decimal("0.19")


class Proxy:
    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        return getattr(self._target, name)


class Line:
    def __init__(self, article, amount):
        self.article = article
        self.amount = amount

    @property
    def gross(self):
        net = self.article.price * self.amount
        return (net + net * self.article.rate).quantize(CENT)


def total(lines):
    result = Decimal(0)
    for line in lines:
        result += line.gross
    return result


def main():
    articles = [Proxy(Article(number)) for number in range(500)]
    lines = [Line(articles[number % 500], number % 9) for number in range(600_000)]
    print(total(lines))


main()
