"""The live objects of a program, for the page that shows the program while it runs.

The viewer asks for a census or for the paths to some objects. live_feed.py hands the answers over.
Nothing of them stays in the program, and no code of the program runs.
"""

from __future__ import annotations

import gc  # noqa: F401  # up to 3.11, the census asks this module for the objects
from time import monotonic

from tracer._core import count_objects, find_origins, find_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer._core import _Alive, _Origin

# After a census of one second the next comes this many seconds later: the program loses at most 2%.
REST = 50
SHORTEST_REST = 1.0  # seconds between two censuses, at least
SAMPLE = 100  # objects of a type whose paths are found

CensusRow = tuple[str, str, int, int]  # module, qualified name, count, bytes


class Objects:
    """Takes censuses and finds paths, and says when it does so next. `clock`: gives seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.due: float = 0.0  # when the next census may be taken
        self.paths_due: float = 0.0  # when paths may be found again

    @property
    def rest(self) -> float:
        """Seconds until the next census may be taken."""
        return max(0.0, self.due - self.clock())

    def census(self) -> list[CensusRow] | None:
        """How many objects there are of each type, and their bytes; None: memory was out."""
        began = self.clock()
        try:
            return count_objects()[0]
        except MemoryError:
            return None
        finally:
            now = self.clock()
            self.due = now + max(SHORTEST_REST, REST * (now - began))

    def paths(self, name: str) -> tuple[list[_Alive], list[_Origin] | None] | float | None:
        """A sample of the objects of the type of this name, and why each is alive; and where all
        objects of the type were allocated, or None: no memory is being recorded. None alone: memory
        was out. A float: the seconds after which to ask again, for others were found a short time
        ago.

        Somebody waits for the paths, so they are found at once, and the next census comes so much
        later. But who asks again and again gets at most 2% of the program's time, too.
        """
        began = self.clock()
        if began < self.paths_due:
            return self.paths_due - began
        try:
            return find_paths(name, SAMPLE), find_origins(name)
        except MemoryError:
            return None
        finally:
            now = self.clock()
            self.paths_due = now + REST * (now - began)
            self.due = max(self.due, now) + REST * (now - began)
