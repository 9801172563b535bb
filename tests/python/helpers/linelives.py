"""Programs that time lines, and that a defect would crash or hang: those of survival.py, with a
recorder that must still work in the end.
"""

from textwrap import dedent

from survival import survives

LINES = """
from linerows import clock, hits, lines_of, recorder_of

def counted(recorder):
    return hits(recorder, leaf).get(1, 0)

def goes_on(recorder):
    assert not recorder.enabled
    assert held() == [], held()
    before = counted(recorder)
    with recorder:
        leaf()
    assert counted(recorder) == before + 1
    assert held() == [], held()
"""


def lives(program, flags=(), **variables):
    """Assert that a program that times lines comes to its end, with nothing to report."""
    survives(LINES + dedent(program), flags, **variables)
