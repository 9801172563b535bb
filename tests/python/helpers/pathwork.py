"""Functions whose paths tests can spell out."""

from rows import Clock, record


class Work:
    """Functions that take known times, by a clock that they move. One tick is a nanosecond."""

    def __init__(self):
        self.clock = Clock()

    def leaf(self, ticks):
        self.clock.now += ticks

    def once(self, ticks):
        self.clock.now += 1
        self.leaf(ticks)

    def twice(self):
        self.once(10)
        self.leaf(5)
        self.once(20)

    def deep(self, n):
        self.clock.now += 1
        if n:
            self.deep(n - 1)

    def profile(self, function, *args, **options):
        return record(function, *args, timer=self.clock, timeunit=1e-9, builtins=False, **options)
