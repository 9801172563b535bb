"""asyncio with a clock that the event loop moves instead of sleeping.

All time is spent in one place, where the loop would wait, unless the program moves the clock
itself.
"""

import asyncio
import selectors
import threading

import tracer
from rows import Clock, stats_of

clock = Clock()


class Selector(selectors.DefaultSelector):
    def __init__(self, idle):
        super().__init__()
        self.idle = idle

    def select(self, timeout=None):
        if timeout:
            clock.now += round(timeout)
            timeout = 0
        elif timeout is None:  # only another thread can end it
            self.idle.set()
        return super().select(timeout)


class Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.idle = threading.Event()
        super().__init__(Selector(self.idle))

    def time(self):
        return clock.now


def run(main):
    with asyncio.Runner(loop_factory=Loop) as runner:
        return runner.run(main())


def measure(main, **options):
    """A finished Profile of a coroutine function under a new loop; Python functions only."""
    profile = tracer.Profile(clock, 1.0, builtins=False, **options)
    profile.runcall(run, main)
    return profile


def own(source, file):
    """{name: (calls, resumes, suspended, tottime)} of the functions of a test's file, and of this
    module, that were resumed or took time."""
    found = {}
    stats = stats_of(source)
    for label, (_, calls, tottime, _, _) in stats.stats.items():
        resumes = stats.resumes.get(label)
        if label[0] in (file, __file__) and (resumes or tottime):
            total, suspended = (resumes.total, resumes.suspended) if resumes else (0, 0)
            assert label[2] not in found
            found[label[2]] = (calls, total, suspended, tottime)
    return found


async def wait_3():
    await asyncio.sleep(3)


async def wait_5():
    await asyncio.sleep(5)
