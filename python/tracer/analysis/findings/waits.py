"""What stands out of what threads waited for: a rule for each finding, as in findings.py.

findings.py picks what is told; coroutines.py has what coroutines waited for. Waits of threads that
have nothing to do are no finding: see outline/waits_by_caller.py. tree/waiting.py has the sums.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.findings.coroutines import longest_step_of
from tracer.analysis.outline.finding import Finding, said_of, seconds, share
from tracer.analysis.timeline.stretches import length_of
from tracer.analysis.tree.called_names import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Paths, Row

MUCH = 0.2  # of the run: less that was waited is no finding
SHORTEST = 100_000_000  # ns: nor is less than that
MATTERS = 0.1  # of what the longest waiting thread waited: a thread with less is not counted
MOSTLY = 0.5  # of the run: if threads are busy for so much of it, others wait for the GIL

SAYS_WHY = ("sleep>", "ock.acquire>")  # of builtins: what these wait for, their names say
# Builtins that only compute, so all that these wait for is their turn.
COMPUTES = (
    *("<BZ2", "<Compress.", "<Decompress.", "<HASH.", "<LZMA"),
    *("<_hashlib.", "<binascii.", "<blake2", "<zlib."),
)

FOR_GIL = "the GIL or a processor"
FOR_LOCK = f"a lock, {FOR_GIL}"
GIL = (
    "Only one thread at a time runs Python code: the one that has the GIL. Processes do not share "
    "it, and C code may release it."
)
WITH = "Python code waits in itself for the lock of a `with`, for the GIL, or for a processor."
COMPUTES_ONLY = "It only computes: what it waits for is its turn."
SOMETHING = "C code waits for input and output, for a lock, or for the GIL after it."
# By the last part of a builtin's name, whole: what may be done. The first that fits is told.
ADVICE = (
    (
        "sleep",
        "A sleep is as long as it is told to be: wait for the event itself, if there is one.",
    ),
    (
        r"poll|select|recv\w*|send\w*|accept|connect|getaddrinfo|read\w*|write|flush|fsync|do_handshake",
        "Waits for input and output can overlap: in threads, or by asyncio.",
    ),
    (
        r"execute\w*|fetch\w*|commit",
        "It may wait for the database, or for the GIL after it. Fewer, larger requests wait less.",
    ),
    ("waitpid|wait4|waitid|wait3", "The processes could run side by side."),
)
LOCKS = ("ock.acquire", "ock.__enter__")  # at the ends of names: of lock, RLock, Lock
SHARE_LOCK = "Whoever has the lock could release it sooner, or several locks could share its work."

# -- The rules -------------------------------------------------------------------------------------


def waited_in_c(outline: Outline) -> Finding | None:
    """What a function of the program waited for most, in a function written in C."""
    paths = outline.paths
    step = longest_step_of(outline)
    found = [
        (long_wait(paths, by_thread), key)
        for key, by_thread in outline.waits_by_caller.items()
        if paths.is_builtin(key[1])
        # longest_step() tells of what kept the event loop from turning.
        and (step is None or key[0] != step.blamed or by_thread.keys() != {step.thread})
    ]
    if not found:
        return None
    wait, key = max(found)
    if not wait.is_worth_telling(paths):
        return None
    caller, callee = (paths.rows[row] for row in key)
    several = f", {wait.threads} threads" if wait.threads > 1 else ""
    waits = f", waits {seconds(wait.time)} in {called(callee)}{several}"
    return Finding(
        said_of(caller, f"{share(wait.elapsed, paths.length)} of the run:", waits),
        wait.elapsed,
        caller,
        (callee, caller),
        reason(callee, len(paths.trees) > 1),
        advice=advice_on(callee),
        figure="waited",
        callee=callee,
    )


def waited_in_python(outline: Outline) -> Finding | None:
    """What several threads waited in Python code: for the GIL, or for a lock, which `with` takes
    without a call. No lock is named where no function that waited much has a `with`, and threads
    were busy most of the time."""
    paths = outline.paths
    by_function: dict[int, int] = defaultdict(int)
    by_thread: dict[int, int] = defaultdict(int)
    by_caller: dict[int, int] = defaultdict(int)
    for (caller, callee), times in outline.waits_by_caller.items():
        if paths.is_builtin(callee):
            continue
        by_caller[caller] += sum(times.values())
        by_function[callee] += sum(times.values())
        for number, time in times.items():
            by_thread[number] += time
    wait = long_wait(paths, by_thread)
    if wait.threads < 2 or not wait.is_worth_telling(paths):
        return None
    caller = max(by_caller, key=lambda caller: by_caller[caller])
    busy = sum(sum(tree.time[1:]) - sum(tree.waited[1:]) for tree in paths.trees)
    least = MATTERS * max(by_function.values())
    waiting = [paths.rows[row] for row, time in by_function.items() if time >= least]
    is_lock = busy < MOSTLY * paths.length or any(may_lock(outline, row) for row in waiting)
    what = FOR_LOCK if is_lock else FOR_GIL
    part = f"{share(wait.elapsed, paths.length)} of the run"
    waits = f"{part}: {wait.threads} threads wait {seconds(wait.time)} for {what}, most in"
    return Finding(
        said_of(paths.rows[caller], waits),
        wait.elapsed,
        paths.rows[caller],
        what,
        advice=f"{WITH} {GIL}" if is_lock else GIL,
        figure="waited",
    )


WAIT_RULES = waited_in_c, waited_in_python


def may_lock(outline: Outline, row: Row) -> bool:
    """Whether a function has a `with`, or may have one: its text is not known."""
    from tracer.source.function_syntax import has_with  # not for each run: it imports ast

    text = outline.text_of(row.file)
    return text is None or has_with(text, row.line, row.name) is not False


# -- Paths -----------------------------------------------------------------------------------------


class Wait(NamedTuple):
    """What threads waited, in nanoseconds. elapsed: of the run's time, where threads waited side by
    side. time: of all these threads. threads: how many; those that waited little are left out."""

    elapsed: int
    time: int
    threads: int

    def is_worth_telling(self, paths: Paths) -> bool:
        return self.elapsed >= max(SHORTEST, MUCH * paths.length)


def long_wait(paths: Paths, by_thread: dict[int, int]) -> Wait:
    """The wait of threads, given for each by its number. They waited side by side where they were
    there at the same time."""
    least = MATTERS * max(by_thread.values(), default=0)
    times = {number: time for number, time in by_thread.items() if time >= least}
    spans = [paths.trees[number].span for number in times]
    alive = sum(end - start for start, end in spans)
    whole = sum(times.values())
    return Wait(round(whole * length_of(spans) / max(alive, 1)), whole, len(times))


def reason(callee: Row, has_threads: bool) -> str:
    """What a builtin may have waited for. A thread alone has the GIL."""
    if callee.name.endswith(SAYS_WHY):
        return ""
    if callee.name.startswith(COMPUTES):
        return " (GIL or processor)" if has_threads else " (processor)"
    return " (I/O, lock, GIL or processor)" if has_threads else " (I/O, lock or processor)"


def advice_on(callee: Row) -> str:
    """What may be done about a wait in a builtin."""
    name = called(callee)
    if name.endswith(LOCKS):
        return SHARE_LOCK
    last = name.rpartition(".")[2]
    advice = next((advice for names, advice in ADVICE if re.fullmatch(names, last)), SOMETHING)
    return COMPUTES_ONLY if callee.name.startswith(COMPUTES) else advice
