"""The lines on which samples fell, as the lines that are timed are told."""

from __future__ import annotations

from tracer.data.lines import Line, Lines
from tracer.data.sampled import LINE, Count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tracer.data.capture import Capture
    from tracer.data.sampled import Sampled
    from tracer.data.sampled_set import SampledSet


def sampled_lines(captures: Sequence[Capture], sampled: SampledSet) -> Lines:
    """The lines of all functions in whose samples they were, and those that were counted: `time` is
    that of the samples in which the line ran, or what it called, each with its error."""
    found = Lines()
    found.are_sampled = True
    found.are_chosen = all(map(chose_lines, captures))
    found.measured = sampled.time
    for capture in captures:
        if (facts := capture.sampled) is not None:
            found.texts.update(capture.sources)
            for function, line in _lines_of(capture, facts):
                file, first_line, name, qualname = capture.functions[function]
                found.add((file, first_line, name, qualname), line)
    found.change(lambda line: with_errors(line, sampled))
    return found


def with_errors(line: Line, sampled: SampledSet) -> Line:
    own = sampled.error(line.own or 0.0)
    return line._replace(error=sampled.error(line.time), own_error=own)


def chose_lines(capture: Capture) -> bool:
    """Whether the user said whose lines to tell."""
    facts = capture.sampled
    included = capture.focus is not None and bool(capture.focus[0])
    return facts is None or included or facts.hits is not None


def _lines_of(capture: Capture, facts: Sampled) -> Iterator[tuple[int, Line]]:
    """(function, line) of each line of one capture."""
    assert capture.sampled_data is not None
    hits = dict(facts.hits or {})
    for function, number, own, total in LINE.iter_unpack(capture.sampled_data["lines"]):
        count = hits.pop((function, number), Count(0, False))
        times = total * facts.period, None, own * facts.period, 0.0, 0.0
        yield function, Line(number, count.calls, *times, is_counted=count.is_exact)
    for (function, number), count in hits.items():
        line = Line(number, count.calls, 0.0, None, 0.0, 0.0, 0.0, is_counted=count.is_exact)
        yield function, line
