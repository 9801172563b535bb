"""The lines on which samples fell, as the lines that are timed are told."""

from __future__ import annotations

from tracer.data.lines import Line, Lines
from tracer.data.sampled import LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.data.capture import Capture
    from tracer.data.sampled_set import SampledSet


def sampled_lines(captures: Iterable[Capture], sampled: SampledSet) -> Lines:
    """The lines of all functions in whose samples they were: `time` is that of the samples in which
    the line ran, or what it called, each with its error. How often a line was reached is not known:
    hits are 0."""
    found = Lines()
    found.are_sampled = True
    found.measured = sampled.time
    for capture in captures:
        if capture.sampled_data is None:
            continue
        found.texts.update(capture.sources)
        period = capture.sampled_data["period"]
        for function, number, own, total in LINE.iter_unpack(capture.sampled_data["lines"]):
            key = tuple(capture.functions[function])
            line = Line(number, 0, total * period, None, own * period, 0.0, 0.0)
            found.add(key, line)
    found.change(lambda line: line._replace(error=sampled.error(line.time)))
    return found
