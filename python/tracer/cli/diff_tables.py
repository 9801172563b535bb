"""Makes what `diff` prints: the two runs, the largest changes, and what grew too much; or JSON.

results/comparison.py computes the changes. cli/commands/diff.py prints, and sets the exit status.
"""

from __future__ import annotations

from pstats import func_strip_path  # type: ignore[attr-defined]
from typing import NamedTuple

from tracer.analysis.memory.memory import has_memory
from tracer.analysis.memory.sizes import size_text
from tracer.analysis.outline.finding import counted
from tracer.analysis.tree.called_names import plain_name
from tracer.cli.run_header import command_line, ends_of, labelled
from tracer.data.section import RUNNING
from tracer.report.cells import fitted, fitted_row
from tracer.report.changes import WAITS, changes_table, growth
from tracer.report.styled import change as coloured
from tracer.report.styled import in_lines
from tracer.results.compared import EXPLAINED, are_waits_worth_telling, waited_of
from tracer.results.comparison import TOTAL, Change
from tracer.results.metrics import BYTES, ERRORS, Metrics
from tracer.results.sampling import or_more
from tracer.source.short_names import short_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from tracer.api.stats import Stats
    from tracer.cli.options.diff import DiffOptions, GrowthLimit
    from tracer.cli.screen import Screen
    from tracer.data.types import Label
    from tracer.results.comparison import Comparison

BECAUSE = " (waits changed more; --metric tottime has both)"
HINT = "  (--metric busy compares what worked)"
ENDLESS = 1_000_000  # characters of a line of what is no terminal
NARROWEST = 24  # characters of a function, however narrow the terminal


class Compared(NamedTuple):
    """What is printed. grown: what grew too much. names, pair: of the profiles before and after.
    metric: what is compared; because: why, and hint: what else could be; both may be empty."""

    comparison: Comparison
    grown: Sequence[Change]
    names: Sequence[str]
    pair: Sequence[Stats]
    metric: str
    because: str = ""
    hint: str = ""


def as_text(compared: Compared, options: DiffOptions, rows: int, screen: Screen) -> str:
    """The text, with so many rows of each table, 0: all; on a terminal no line is wider than
    that."""
    comparison, grown, metric = compared.comparison, compared.grown, compared.metric
    limit = rows or len(comparison.changes) or 1
    shown = Shown(comparison, screen, options.strip_dirs)
    lines: list[str] = []
    if not options.no_header:
        header = (
            *header_lines(compared, options.thread),
            *summary_lines(comparison, shown, metric),
        )
        lines += [*(it for line in header for it in shown.wrapped(line)), ""]
    told = ", of those that are exact" if metric == "calls" else " beyond the errors of samples"
    beyond = told * any(it.sampled is not None for it in compared.pair)
    tables = [(comparison.biggest(metric), f"change of {metric}{beyond}{compared.because}")]
    if options.fail_above is not None and grown:
        above = f"more than {options.fail_above.told} in {metric}"
        tables.append((list(grown), f"change of {metric}, of what grew by {above}"))
    for changes, order in tables:
        lines += changes_table(changes, order, limit, metric, shown.width, shown.row)
    if options.fail_above is not None and not grown:
        lines += [f"   Nothing grew by more than {options.fail_above.told} in {metric}.", ""]
    return in_lines(lines)


def wrapped(line: str, width: int) -> list[str]:
    """A line in as many as the width needs, broken at blanks."""
    lines = []
    while len(line) > width and (end := line.rfind(" ", 13, width + 1)) > 0:
        lines.append(line[:end])
        line = " " * 12 + line[end + 1 :]
    return [*lines, line]


class Shown:
    """How functions are shown: on a terminal with short files, in its width."""

    def __init__(self, comparison: Comparison, screen: Screen, strip_dirs: bool) -> None:
        self.width: int = screen.width if screen.is_terminal else ENDLESS
        self.strip_dirs = strip_dirs
        files = (change.label[0] for change in comparison.changes)
        self.shorter: dict[str, str] = short_names(files) if screen.is_terminal else {}

    def label(self, change: Change) -> Label:
        file, line, name = change.label
        short = self.shorter.get(file, file), line, name
        stripped: Label = func_strip_path(short) if self.strip_dirs else short
        return stripped

    def wrapped(self, line: str) -> list[str]:
        """A line of the header, in as many lines as the terminal needs."""
        if len(line) <= self.width:
            return [line]
        return wrapped(line, max(self.width, NARROWEST))

    def row(self, change: Change, room: int) -> str:
        return fitted_row(self.label(change), max(room, NARROWEST))

    def sentence(self, start: str, change: Change, end: str) -> str:
        """A line with the function's name and place between `start` and `end`."""
        file, line, name = self.label(change)
        place = "" if file in ("~", "") else f"{file}:{line}"
        room = max(self.width - len(start + end), NARROWEST)
        return start + fitted(plain_name(name), place, room) + end


def summary_lines(comparison: Comparison, shown: Shown, compared: str) -> Iterator[str]:
    """The function of the program's own that changed most, and the one with most extra own time:
    a table of many libraries has them far apart. Where busy is compared, both are by busy; where
    memory is, the first is by memory, and there is no other."""
    if compared in BYTES:
        change = comparison.of_own_code(compared)
        if change is not None:
            end = "  " + both_sizes(change, compared)
            yield shown.sentence(labelled("own code", ""), change, end)
        return
    of_code, of_time = ("busy", "busy") if compared == "busy" else ("cumtime", "tottime")
    for title, metric, change in (
        ("own code", of_code, comparison.of_own_code(of_code)),
        ("own time", of_time, comparison.most_own_time(of_time)),
    ):
        if change is not None:
            both = " -> ".join(
                f"{0.0 if it is None else it.of(metric):.3f} s"
                for it in (change.before, change.after)
            )
            grew = growth(change, metric)
            end = f"  {metric} {both}" + ("  " + coloured(grew) if grew else "")
            yield shown.sentence(labelled(title, ""), change, end)


def header_lines(compared: Compared, thread: str | None) -> Iterator[str]:
    comparison, names, pair = compared.comparison, compared.names, compared.pair
    reals: list[float] = []
    busy: list[float] = []
    for title, name, stats in zip(("before", "after"), names, pair, strict=True):
        runs = [capture.run for capture in stats.captures if capture.run is not None]
        reals.append(sum(run.real for run in runs))
        busy.append(sum(run.user + run.system for run in runs))
        command = f" of {command_line(runs[0].command)}" if len(runs) == 1 else ""
        end = f", {ends_of(runs, told_beside)}" if any(run.ended for run in runs) else ""
        yield labelled(title, f"{command_line([name])}{command}{end}")
    if thread is not None:
        yield labelled("thread", command_line([thread]))
    then, now = comparison.total.before, comparison.total.after
    assert then is not None and now is not None
    calls = " -> ".join(
        f"{of.calls:,}{or_more(stats)}" for of, stats in zip((then, now), pair, strict=True)
    )
    yield labelled("calls", calls) + grown_by(comparison.total, "calls")
    for title, seconds, what in (("time", reals, "real"), ("", busy, "user and sys")):
        if all(seconds):
            change = Change("", TOTAL, *(Metrics(tottime=number) for number in seconds))
            both = f"{seconds[0]:.3f} s -> {seconds[1]:.3f} s {what}"
            yield labelled(title, both) + grown_by(change, "tottime")
    if told := EXPLAINED[waited_of(comparison, pair)]:
        yield labelled("", told)
    for metric, hint in ("tottime", ""), ("waited", compared.hint):
        if metric == "tottime" or are_waits_worth_telling(comparison, pair):
            times = f"{then.of(metric):.3f} s -> {now.of(metric):.3f} s"
            yield labelled(metric, times) + grown_by(comparison.total, metric) + hint
    if all(map(has_memory, pair)):
        for metric in [it for it in BYTES if it in ("peak", compared.metric)]:
            yield labelled(metric, "") + both_sizes(comparison.total, metric)
    yield labelled("functions", functions(comparison))


def told_beside(ended: str) -> str:
    """How a run ended, beside its command. One that was saved while it went on says only that."""
    return ended if ended == RUNNING else f"ended {ended}"


def both_sizes(change: Change, metric: str) -> str:
    """The bytes before and after, and their growth."""
    before, after = (0 if it is None else int(it.of(metric)) for it in change[2:])
    return f"{size_text(before)} -> {size_text(after)}" + grown_by(change, metric)


def grown_by(change: Change, metric: str) -> str:
    if not (change.delta(metric) and change.ratio(metric)):
        return ""
    return "  " + coloured(growth(change, metric))


def functions(comparison: Comparison) -> str:
    states = [change.state for change in comparison.changes]
    new, gone = states.count("new"), states.count("gone")
    both = [change for change in comparison.changes if change.before and change.after]
    other = sum(1 for change in both if change.delta("calls"))
    counts = f"{len(both) + gone:,} -> {len(both) + new:,}"
    return f"{counts}: {new:,} new, {gone:,} gone, {other:,} with other calls"


def describe_growth(grown: Sequence[Change]) -> str:
    """How much grew: the total, a number of functions, or both."""
    functions = [change for change in grown if change.label != TOTAL]
    parts = ["the total"] if len(functions) < len(grown) else []
    if functions:
        parts.append(counted(len(functions), "function"))
    return " and ".join(parts)


def as_json(compared: Compared, limit: GrowthLimit | None) -> str:
    """The comparison as JSON (RFC 8259), in ASCII only: it has nothing for a terminal to act on.
    limit: of --fail-above."""
    import json

    comparison, grown, names, pair, metric = compared[:5]

    def figures(found: Metrics | None, stats: Stats) -> dict[str, float | None] | None:
        if found is None:
            return None
        waits = {name: found.of(name) if stats.knows_calls else None for name in WAITS}
        known = {**found._asdict(), **waits}
        without = set() if has_memory(stats) else {*BYTES}
        without |= set() if stats.sampled else {*ERRORS, "is_counted"}
        return {name: figure for name, figure in known.items() if name not in without}

    found = set(grown)

    def entry(change: Change) -> dict[str, Any]:
        file, line, name = change.label
        return {
            "module": encodable(change.module),
            "name": encodable(name),
            "file": encodable(file),
            "line": line,
            "state": change.state,
            "before": figures(change.before, pair[0]),
            "after": figures(change.after, pair[1]),
            "grown": change in found,
        }

    order = {change: place for place, change in enumerate(comparison.biggest(metric))}
    changes = sorted(comparison.changes, key=lambda change: order.get(change, len(order)))
    whole = {
        "metric": metric,
        "fail_above": None if limit is None else limit.percent,
        "before": encodable(names[0]),
        "after": encodable(names[1]),
        "total": entry(comparison.total),
        "functions": [entry(change) for change in changes],
    }
    if limit is not None and limit.size is not None:
        whole["fail_above_bytes"] = limit.size
    text = json.dumps(whole, indent=1, allow_nan=False).replace("\x7f", "\\u007f")
    return f"{text}\n"


def encodable(text: str) -> str:
    """The text, with lone surrogates escaped as in Python. They stand for bytes that are not UTF-8,
    and most readers of JSON refuse them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
