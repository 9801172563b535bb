"""The table of the longest single calls: when each was, how long it took, in which thread or task,
and below what."""

from __future__ import annotations

from tracer.analysis.timeline.idle import STARTERS
from tracer.analysis.tree.called_names import bare
from tracer.analysis.tree.folding import IMPORTERS
from tracer.report.cells import CUT, cut_middle, on_one_line
from tracer.report.timeline_cells import LABEL, function_told, labels, lasting, moment, thread_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.timeline.run import TimedRun
    from tracer.analysis.timeline.slowest import LongCall
    from tracer.report.outline import Place

BELOW = " < "
SHORTEST = 8  # characters of a caller
LEAST_CHAIN = 20  # characters that are left for callers, while the call has more than it needs
NO_CALL = "No call that is drawn lies there."


def slowest_table(
    run: TimedRun,
    calls: Sequence[LongCall],
    width: int,
    place: Place,
    *,
    is_whole: bool = False,
) -> list[str]:
    """The lines of the table: a head, and a line for each call. is_whole: threads have their whole
    names, and lines are longer by what these take."""
    if not calls:
        return [NO_CALL]
    label = labels([call.thread for call in calls]) if is_whole else LABEL
    width += label - LABEL
    callers = Callers(run)
    head = f"        at      took  {'thread':{label}}  call < its callers"
    return [head, *(line_of(run, call, width, place, callers, label) for call in calls)]


def line_of(
    run: TimedRun, call: LongCall, width: int, place: Place, callers: Callers, label: int
) -> str:
    numbers = (
        f"{moment(run, call.start)}  {lasting(run, call.length):>8}  "
        f"{thread_name(call.thread, label)}  "
    )
    room = width - len(numbers)
    told = told_of(run, call)
    chain = callers.told(call.callers)
    whole = BELOW.join(["", *chain])
    for_name = room - len(told) - min(len(whole), LEAST_CHAIN)
    text = function_told(run, call.row, for_name, place) + told
    return (numbers + text + shortened(chain, room - len(text))).rstrip()


def told_of(run: TimedRun, call: LongCall) -> str:
    if call.task:
        number = f"{call.stretches:,} stretch{'es' * (call.stretches != 1)}"
        not_ended = ", not ended" if call.is_open else ""
        passed = call.end - call.start
        times = f"{number} in {lasting(run, passed)}"
        if call.length != call.ran:
            times = f"ran {lasting(run, call.ran)} in {number}"
        return f"  [{on_one_line(call.task)}: {times}{not_ended}]"
    words = ["a stretch"] * call.is_stretch + ["not ended"] * call.is_open
    return f"  [{', '.join(words)}]" if words else ""


class Callers:
    """What callers are named, each of them once: there are many calls below the same ones."""

    def __init__(self, run: TimedRun) -> None:
        self.run = run
        self.names: dict[int, tuple[str, bool]] = {}  # by row; "": it is left out. Is it own?
        self.chains: dict[tuple[int, ...], list[str]] = {}

    def name(self, row: int) -> tuple[str, bool]:
        if row not in self.names:
            run, module = self.run, self.run.outline.paths.modules[row]
            is_own = run.is_own(row)
            name = on_one_line(bare(run.name(row)) if is_own else module.package)
            is_told = is_own or not (run.is_builtin(row) or module.name in IMPORTERS)
            self.names[row] = name if is_told else "", is_own
        return self.names[row]

    def told(self, rows: tuple[int, ...]) -> list[str]:
        """The names of callers, the innermost first: the program's own functions, and of others the
        packages. What imports is left out, and what only starts the program's code."""
        if rows in self.chains:
            return self.chains[rows]
        names: list[str] = []
        own = 0  # how many names there are up to the outermost function of the program
        for row in rows:
            name, is_own = self.name(row)
            if name and names[-1:] != [name]:
                names.append(name)
            own = len(names) if is_own else own
        starters = [name for name in names[own:] if name not in STARTERS]
        self.chains[rows] = names[:own] + starters
        return self.chains[rows]


def shortened(chain: list[str], room: int) -> str:
    """` < caller < its caller`, without those in the middle for which there is no room; then the
    caller alone, without its middle."""
    ways = [chain]
    ways += [[*chain[:kept], CUT, chain[-1]] for kept in range(len(chain) - 2, 0, -1)]
    ways += [[chain[0], CUT]] if len(chain) > 1 else []
    rest = [CUT] if len(chain) > 1 else []
    left = room - len(BELOW) - len(BELOW + CUT) * len(rest)
    if chain and left >= SHORTEST:
        ways.append([cut_middle(chain[0], left), *rest])
    texts = ("".join(BELOW + name for name in names) for names in ways)
    return next((text for text in texts if len(text) <= room), "")
