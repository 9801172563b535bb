"""The last lines of a run over time: collections, threads, marks, forks, what is not known.

timeline.py prints them below the strips.
"""

from __future__ import annotations

from textwrap import wrap

from tracer.report.cells import cut_end, on_one_line
from tracer.report.timeline_cells import lasting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tracer.analysis.timeline.run import TimedRun
    from tracer.analysis.timeline.strip import Strip

INDENT = 12
HARD_BLANK = "\xa0"  # at which no line breaks
MOST = 100  # marks, and forks: more are not listed


def events(run: TimedRun, strip: Strip, width: int, *, is_whole: bool) -> list[str]:
    """The lines, each cut at so many columns; is_whole: they go on in further lines."""
    found = [
        ("garbage", collections(run)),
        ("threads", threads(run)),
        ("marks", marks(run)),
        ("forks", forks(run)),
        ("saved", later(run)),
        ("waits", overwritten(run, strip)),
    ]
    texts = [f"{name:>{INDENT - 2}}  {text}" for name, text in found if text]
    if not is_whole:
        return [cut_end(text.replace(HARD_BLANK, " "), width) for text in texts]
    lines = [line for text in texts for line in wrap(text, width, subsequent_indent=INDENT * " ")]
    return [line.replace(HARD_BLANK, " ") for line in lines]


def collections(run: TimedRun) -> str:
    found = [it for it in run.timeline.collections if run.is_within(it.start, it.end)]
    if not found:
        return ""
    times = [it.end - it.start for it in found]
    longest = max(found, key=lambda it: it.end - it.start)
    of = run.by_position.get(longest.thread)
    where = "" if of is None else f" in {on_one_line(of.name)}"
    return (
        f"{len(found):,} collection{'s' * (len(found) != 1)} took "
        f"{lasting(run, sum(times))}; the longest "
        f"{lasting(run, max(times))}, at {longest.start * run.tick:.3f} s{where}, of "
        f"generation {longest.generation}"
    )


def threads(run: TimedRun) -> str:
    parts = []
    for it in run.threads:
        end = f"{it.ended * run.tick:.3f}" if it.is_over else "the end"
        parts.append(f"{on_one_line(it.name)} {it.began * run.tick:.3f} to {end}")
    return listed(parts, len(parts))


def marks(run: TimedRun) -> str:
    return moments(run, ((it.tick, on_one_line(it.name)) for it in run.timeline.marks))


def forks(run: TimedRun) -> str:
    """A child's pid is told where it is known."""
    told = (
        (it.tick, f"{it.what} {it.pid}" if it.pid > 0 else it.what) for it in run.timeline.forks
    )
    return moments(run, told)


def moments(run: TimedRun, things: Iterable[tuple[int, str]]) -> str:
    """What happened at a tick."""
    return listed(
        [f"{tick * run.tick:.3f} {text}" for tick, text in things if run.is_within(tick, tick)]
    )


def listed(parts: Sequence[str], most: int = MOST) -> str:
    """The parts on a line that breaks between them."""
    more = [f"and {len(parts) - most:,} more"] if len(parts) > most else []
    return "; ".join(part.replace(" ", HARD_BLANK) for part in [*parts[:most], *more])


def later(run: TimedRun) -> str:
    """Of a run whose figures end before its slices do."""
    if run.end <= run.counted:
        return ""
    saved, end = (f"{tick * run.tick:.3f} s" for tick in (run.counted, run.end))
    return f"at {saved}; single calls are known up to {end}"


def overwritten(run: TimedRun, strip: Strip) -> str:
    """Of a run whose oldest slices, and so its oldest waits, were not kept."""
    since = run.timeline.since
    if since <= strip.first:
        return ""
    return f"are known since {since * run.tick:.3f} s; a capital letter before that may be a wait"
