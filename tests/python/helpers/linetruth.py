"""The truth of hits: what sys.settrace says of every line, with the lines of a statement as one.

For each frame, an event on a line of another statement than the event before is a hit. So is an
event on the first line of the same statement, if the event before was on that line, too. Any other
event in the same statement is none.
"""

import sys

from firstlines import first_lines_of


class Watch:
    """One frame: the trace function of its lines."""

    __slots__ = ("before", "firsts", "hits")

    def __init__(self, hits, firsts):
        self.hits, self.firsts = hits, firsts
        self.before = 0

    def __call__(self, frame, event, arg):
        if event == "line":
            self.see(frame.f_lineno)
        return self

    def see(self, line):
        first = self.firsts.get(line, line)
        before, self.before = self.before, line
        same = first == self.firsts.get(before, before)
        if not same or (line == first and line == before):
            self.hits[first] = self.hits.get(first, 0) + 1


class Truth:
    """A context in which the hits of all code of some files are counted, of this thread."""

    def __init__(self, files):
        self.files = frozenset(files)
        self.codes = {}  # {code: (hits, firsts)}

    def begin(self, frame, event, arg):
        code = frame.f_code
        if code.co_filename not in self.files:
            return None
        if code not in self.codes:
            self.codes[code] = {}, first_lines_of(code)
        # A frame that is resumed has its Watch already.
        return frame.f_trace or Watch(*self.codes[code])

    def __enter__(self):
        sys.settrace(self.begin)
        return self

    def __exit__(self, *error):
        sys.settrace(None)

    def hits(self):
        """{(file, first line, name): {line: hits}}; code objects that share a label are added."""
        found = {}
        for code, (hits, _) in self.codes.items():
            lines = found.setdefault((code.co_filename, code.co_firstlineno, code.co_name), {})
            for line, count in hits.items():
                lines[line] = lines.get(line, 0) + count
        return found
