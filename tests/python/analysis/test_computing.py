"""analysis/outline/computing.py: builtins that only compute."""

import pytest

from tracer.analysis.outline.computing import only_computes


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("<str.count>", True),
        ("<method 'count' of 'str' objects>", True),
        ("<built-in method _heapq.heappop>", True),
        ("<builtins.len>", True),
        ("<built-in method builtins.len>", True),
        ("<zlib.compress>", True),
        ("<HASH.update>", True),
        ("<builtins.sum>", False),
        ("<list.extend>", False),
        ("<time.sleep>", False),
        ("<setattr>", False),
        ("<lock.acquire>", False),
        ("<lock.release>", True),
        ("<method 'release' of '_thread.RLock' objects>", True),
        ("<method '__exit__' of '_thread.lock' objects>", True),
    ],
)
def test_a_builtin_that_only_computes_waits_for_its_turn(name, expected):
    assert only_computes(name) is expected
