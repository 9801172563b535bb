"""The live objects of a program, for the page that shows the program while it runs.

The viewer asks for a census or for the paths to some objects. live_feed.py hands the answers over.
Nothing of them stays in the program, and no code of the program runs.
"""

from __future__ import annotations

import gc  # noqa: F401  # up to 3.11, the census asks this module for the objects
from time import monotonic

from tracer._core import count_objects, find_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer._core import _Alive

# After a census of one second the next comes this many seconds later: the program loses at most 2%.
REST = 50
SHORTEST_REST = 1.0  # seconds between two censuses, at least
FEW = 5  # objects of a type whose paths are found

CensusRow = tuple[str, str, int, int]  # module, qualified name, count, bytes


class Objects:
    """Takes censuses, and says when the next one may be taken. `clock`: gives seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.due: float = 0.0

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

    def paths(self, name: str) -> list[_Alive] | None:
        """Some objects of the type of this name, and why each is alive; None: memory was out.
        Somebody waits for them, so they are found at once: the next census comes so much later."""
        began = self.clock()
        try:
            return find_paths(name, FEW)
        except MemoryError:
            return None
        finally:
            now = self.clock()
            self.due = max(self.due, now) + REST * (now - began)
