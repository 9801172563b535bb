"""What the page shows of a profile beside its figures: facts of the run, timed lines, sources.

All values are as JSON has them. Times are whole nanoseconds; the page formats them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tracer._core import BACKEND_TITLES
from tracer.data.section import end_text
from tracer.results.facts import facts_of as run_facts
from tracer.results.object_calls import object_lines
from tracer.results.sampling import SHOWS_WAITS, sampling_lines
from tracer.source.file_kinds import LIBRARY, OWN, SITE, place_of
from tracer.source.statements import summed
from tracer.source.texts import LARGEST, MOST, decoded, state_of, text_of

if TYPE_CHECKING:
    from tracer.analysis.findings.tracing_cost import TracingCost
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import RunInfo

NS = 1e9


def facts_of(stats: ProfileSet) -> dict[str, Any]:
    """The facts of the run, for the overview."""
    facts, captures = run_facts(stats), stats.captures
    recorded = [capture for capture in captures if capture.functions]
    focus = [capture.focus for capture in captures if capture.focus is not None]
    return {
        "runs": list(map(_run, facts.runs)),
        "backends": _each(BACKEND_TITLES.get(c.backend, c.backend) for c in recorded),
        "clocks": _each(capture.clock for capture in recorded),
        "builtins": _each(_builtins(capture.builtins) for capture in recorded),
        "threads": facts.threads,
        "calls": facts.calls,
        "include": _each(path for included, _ in focus for path in included),
        "exclude": _each(path for _, excluded in focus for path in excluded),
        "tracing": _tracing(stats, facts.cost),
        "sampling": [text.removesuffix(SHOWS_WAITS) for _, text in sampling_lines(stats)],
        "objects": [text for _, text in object_lines(stats)],
        "lost": facts.lost,
        "shared": sum(thread.sharers - 1 for c in captures for thread in c.threads),
        "unkept": facts.without_path,
        "cutOff": [{"name": name, "after": _ns(after)} for name, after in facts.cut_offs],
        "problems": list(stats.problems),
    }


def _run(run: RunInfo) -> dict[str, Any]:
    return {
        "command": list(run.command),
        "started": _number(run.started),
        "real": _ns(run.real),
        "user": _ns(run.user),
        "system": _ns(run.system),
        "memory": run.max_memory,
        "python": run.python,
        "ended": end_text(run.ended),
    }


def _tracing(stats: ProfileSet, cost: TracingCost | None) -> dict[str, Any] | None:
    if cost is None:
        return None
    state = "in" if stats.raw else "out"
    return {"state": state, "taken": _ns(cost.taken), "kept": _ns(cost.kept)}


def _builtins(recorded: bool | str) -> str:
    return recorded if isinstance(recorded, str) else "yes" if recorded else "no"


def lines_of(stats: ProfileSet) -> list[dict[str, Any]]:
    """The timed lines, by function. Functions that were never called have none. Of a plain
    generator nothing is suspended: whoever takes its values works meanwhile."""
    from tracer.analysis.outline.suspensions import waiting_functions

    functions = stats.lines.functions
    labels = {it: (it.file, it.first_line, it.qualname) for it in functions}
    suspended = [labels[it] for it in functions if any(line.suspended for line in it.lines)]
    waits = waiting_functions(stats, suspended)
    return [
        {
            "file": function.file,
            "line": function.first_line,
            "name": function.qualname,
            "lines": [
                [
                    line.line,
                    line.hits,
                    _ns(line.time),
                    None if line.c_time is None else _ns(line.c_time),
                    None if line.own is None else _ns(line.own),
                    _ns(line.suspended) if waits.get(labels[function], True) else 0,
                    None if line.waited is None else _ns(line.waited),
                    None if line.python is None else _ns(line.python),
                    None if line.native is None else _ns(line.native),
                    None if line.error is None else _ns(line.error),
                    line.is_counted,
                ]
                for line in function.lines
            ],
        }
        for function in functions
    ]


def sources_of(
    stats: ProfileSet, paths: Paths, *, read: bool = False, libraries: bool = False
) -> dict[str, Any]:
    """The texts of source files, and whether each file is the same now. The profile's own texts
    come first. `read`: read the program's other files, unless the profile was recorded with
    --no-source. `libraries`: read those of libraries, too. Only `.py` files are read: a profile
    from a stranger may name any file."""
    stored = {file: text for capture in stats.captures for file, text in capture.sources.items()}
    found = {file: source_of(file, *source) for file, source in stored.items()}
    read = read and all(capture.keeps_source for capture in stats.captures)
    kinds = ((OWN,) if read else ()) + ((SITE, LIBRARY) if libraries else ())
    timed = stats.lines
    files = {row.file for row in paths.rows} | {function.file for function in timed.functions}
    room = MOST
    for file in sorted(files - found.keys()):
        if file.endswith(".py") and os.path.isabs(file) and place_of(file)[0] in kinds:
            now = text_of(file, min(room, LARGEST))
            if now is not None:
                sums = timed.sources.get(file)
                state = "unknown" if not sums else "same" if sums == {summed(now[0])} else "edited"
                found[file] = {"text": decoded(now[0]), "state": state}
                room -= len(now[0])
    return found


def source_of(file: str, data: bytes, changed: bool) -> dict[str, Any]:
    """The text of a source file, and whether the file is the same now. `changed`: whether it was
    changed after the program was started."""
    return {"text": decoded(data), "state": "unknown" if changed else state_of(file, data)}


def _ns(seconds: float) -> int:
    return round(_number(seconds) * NS)


def _number(value: float) -> float:
    """A number that JSON can hold; 0 for any other, which only a damaged file has."""
    return value if math.isfinite(value) else 0.0


def _each(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))
