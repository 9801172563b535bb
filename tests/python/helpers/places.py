"""Where the sources, the tests and what tests share stand, for tests and helpers in any room."""

from pathlib import Path

HELPERS = Path(__file__).parent
TESTS = HELPERS.parents[1]
ROOT = TESTS.parent
