"""The outlines of programs that wait, and what is told of a finding."""

import tracer
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import paths_of
from treetexts import said
from waiting import profile_of, space_of

LIBRARY = "/usr/lib/python3.11"
HERE = "/here/app/work.py"

# Threads, as treetexts.py has them; WORKER with the time of all its calls.
POOL = """
<module>@main 1 50
  Thread.join@threading 1 950~950
"""
WORKER = """
Thread.run@threading 1 0
  fetch@main 1 50
    <Cursor.execute> 40 {time}~{time}
"""
SPINNER = """
Thread.run@threading 1 0
  count@main 1 1000~700
"""
EVENTS = """
class Handle:
    def __init__(self, callback):
        self.callback = callback
    def _run(self):
        self.callback()
"""
SELECTORS = """
class EpollSelector:
    def select(self):
        WAIT_IN_C({time})
"""


def outline(source, *libraries, name="main", threads=False):
    """The outline of a run of main(), or of another function. `libraries`: (file, source) of what
    it needs."""
    texts = {f"{LIBRARY}/{file}": text for file, text in libraries} | {HERE: source}
    space = space_of("")
    for file, text in libraries:
        space_of(text, f"{LIBRARY}/{file}", space)
    space_of(source, HERE, space)
    profile = profile_of(space, name, builtins=True, threads=threads)
    return Outline(paths_of(tracer.Stats(profile)), texts.get)


def told(finding):
    """(text, saving in ms, line of its function)."""
    row = finding.row
    assert row is None or row.file == HERE
    return text_of(finding), round(finding.saving / 1e6), row and row.line


def text_of(finding):
    """What the finding says, with "{place}" for each place in it."""
    return said(finding, lambda row: "{place}") + finding.aside
