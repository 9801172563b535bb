"""The words for what was waited for, and what may be done about it."""

from __future__ import annotations

import re

from tracer.analysis.outline.computing import only_computes
from tracer.analysis.outline.waiting_kinds import SAYS_WHY
from tracer.analysis.tree.called_names import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Row

BUSY = 0.2  # of the run: threads that all were busy for less do not wait for the GIL

FOR_GIL = "the GIL or a processor"
LOCK = "a lock"
FOR_LOCK = f"a lock, {FOR_GIL}"
GIL = (
    "Only one thread at a time runs Python code: the one that has the GIL. Processes do not share "
    "it, and C code may release it."
)
WITH = "Python code waits in itself for the lock of a `with`, for the GIL, or for a processor."
COMPUTES_ONLY = "It only computes: what it waits for is its turn."
SOMETHING = "C code waits for input and output, for a lock, or for the GIL after it."
PROCESSES = "The processes could run side by side."
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
    ("waitpid|wait4|waitid|wait3", PROCESSES),
)
LOCKS = ("ock.acquire", "ock.__enter__")  # at the ends of names: of lock, RLock, Lock
SHARE_LOCK = "Whoever has the lock could release it sooner, or several locks could share its work."


def reason(callee: Row, has_threads: bool) -> str:
    """What a builtin may have waited for. A thread alone has the GIL."""
    if callee.name.endswith(SAYS_WHY):
        return ""
    if only_computes(callee.name):
        return " (GIL or processor)" if has_threads else " (processor)"
    return " (I/O, lock, GIL or processor)" if has_threads else " (I/O, lock or processor)"


def advice_on(callee: Row) -> str:
    """What may be done about a wait in a builtin."""
    name = called(callee)
    if name.endswith(LOCKS):
        return SHARE_LOCK
    last = name.rpartition(".")[2]
    advice = next((advice for names, advice in ADVICE if re.fullmatch(names, last)), SOMETHING)
    return COMPUTES_ONLY if only_computes(callee.name) else advice


def may_lock(outline: Outline, row: Row) -> bool:
    """Whether a function has a `with`, or may have one: its text is not known. What only computes
    has none."""
    if row.file == "~" and only_computes(row.name):
        return False
    from tracer.source.function_syntax import has_with  # not for each run: it imports ast

    text = outline.text_of(row.file)
    return text is None or has_with(text, row.line, row.name) is not False


def is_busy(outline: Outline) -> bool:
    """Whether threads were busy for much of the run: else nobody held the GIL most of the time."""
    busy = sum(sum(tree.time[1:]) - sum(tree.waited[1:]) for tree in outline.paths.trees)
    return busy >= BUSY * outline.length


def is_for_gil(outline: Outline, row: int) -> bool:
    """Whether a function waits for the GIL, where threads take turns."""
    return is_busy(outline) and not may_lock(outline, outline.rows[row])
