"""asyncio with a clock of two hands: the event loop moves it where it would wait, and has nothing
to do meanwhile. A unit is a second."""

import asyncio
import selectors
from pathlib import Path

import tracer
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import paths_of
from waiting import TwoHands

hands = TwoHands()
SELECT = """
def wait(timeout):
    hands.now += round(timeout)
"""
space = {"hands": hands}
exec(compile(SELECT, selectors.__file__, "exec"), space)  # a function of selectors, by its file


class Selector(selectors.DefaultSelector):
    def select(self, timeout=None):
        if timeout:
            space["wait"](timeout)
            timeout = 0
        return super().select(timeout)


class Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        super().__init__(Selector())

    def time(self):
        return hands.now


def run(main):
    with asyncio.Runner(loop_factory=Loop) as runner:
        return runner.run(main())


def outline_of(main):
    """The outline of a coroutine function, run under a new loop; Python functions only."""
    profile = tracer.Profile(hands, 1.0, builtins=False)
    profile.runcall(run, main)
    file = main.__code__.co_filename
    return Outline(paths_of(tracer.Stats(profile)), {file: Path(file).read_text()}.get)
