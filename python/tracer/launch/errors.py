"""Errors that end a command, and the report of an exception that the program raises.

main() prints the text of a UsageError, and returns its status.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class UsageError(Exception):
    """Bad input. The text is one line that names the thing and the remedy."""

    status: int = 2  # the exit status


class OutputError(UsageError):
    """What was asked for cannot be put out: a disk is full, a stream is closed."""

    status = 3


class UnknownOption(UsageError):
    """The verb has no option `flag`, which stands on the command line."""

    def __init__(self, text: str, flag: str) -> None:
        super().__init__(text)
        self.flag = flag


def reason_of(error: BaseException) -> str:
    """Why something failed, in one line: what the system says, else the exception itself."""
    return getattr(error, "strerror", None) or repr(error)


def hide_own_frames(
    error: BaseException,
    note: Callable[[BaseException], BaseException] = lambda error: error,
    reported: Callable[[], object] = lambda: None,
) -> None:
    """Make the process end by `error`, which the caller handles and raises again, as it ends
    plainly: with only the program's part of its traceback, and what its frames hold freed then.

    In the place of a SystemExit another one is raised here. Each frame that an exception leaves is
    added to its traceback, and the program may keep this one, as asyncio's tasks do. The other one
    has `error` as its context, and this frame, which holds `error`, in its traceback: so the
    interpreter frees all three when it would free `error`. No variable of this frame may hold the
    other one, which would then be garbage that is collected later.

    `note` is called with what ends the process, and returns that. `reported` is called when the
    interpreter has reported `error`.
    """
    # With -i, the interpreter reports a SystemExit as any other exception.
    if isinstance(error, SystemExit) and not sys.flags.inspect:
        error.__traceback__ = below_own_frames(error.__traceback__)
        raise note(SystemExit(exit_code(error)))
    note(error)
    report_without_own_frames(error, reported)


def exit_code(error: SystemExit) -> object:
    """The code that the interpreter finds in `error`. A class may compute the code, with effects:
    call this once."""
    try:
        return error.code
    except BaseException:
        return error  # which the interpreter prints


def report_without_own_frames(error: BaseException, reported: Callable[[], object]) -> None:
    """Make the interpreter report `error` with only the program's part of its traceback.

    The interpreter calls sys.excepthook when all frames have been added to the traceback. So
    tracer's hook cuts the traceback, and calls the hook that the program left. The hook keeps
    neither the error nor its traceback: that would hold what the program's frames hold.
    """
    number = id(error)
    depth = length(below_own_frames(error.__traceback__))
    hooks = {name: hook for name, hook in vars(sys).items() if name == "excepthook"}

    def excepthook(
        kind: type[BaseException], value: BaseException, whole: TracebackType | None
    ) -> None:
        del sys.excepthook
        vars(sys).update(hooks)
        traceback = whole
        if id(value) == number:
            traceback = last_of(whole, depth)
            sys.last_traceback = value.__traceback__ = traceback
        report(kind, value, traceback)
        reported()

    sys.excepthook = excepthook


def report(
    kind: type[BaseException], value: BaseException, traceback: TracebackType | None
) -> None:
    """Have sys.excepthook report an exception, as the interpreter does."""
    if not hasattr(sys, "excepthook"):
        write_error("sys.excepthook is missing\n")
        sys.__excepthook__(kind, value, traceback)
        return
    try:
        sys.excepthook(kind, value, traceback)
    except SystemExit:
        raise
    except BaseException as failure:
        failure.__traceback__ = failure.__traceback__ and failure.__traceback__.tb_next
        write_error("Error in sys.excepthook:\n")
        sys.__excepthook__(type(failure), failure, failure.__traceback__)
        write_error("\nOriginal exception was:\n")
        sys.__excepthook__(kind, value, traceback)


def write_error(text: str) -> None:
    """Write to sys.stderr; as the interpreter does, to its file descriptor if that fails."""
    try:
        sys.stderr.write(text)
    except Exception:
        os.write(2, text.encode())


def below_own_frames(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and is_own(traceback):
        traceback = traceback.tb_next
    return traceback


def length(traceback: TracebackType | None) -> int:
    count = 0
    while traceback is not None:
        count += 1
        traceback = traceback.tb_next
    return count


def last_of(traceback: TracebackType | None, depth: int) -> TracebackType | None:
    """The part of a traceback that has `depth` frames: those entered last."""
    for _ in range(length(traceback) - depth):
        traceback = traceback and traceback.tb_next
    return traceback


def is_own(traceback: TracebackType) -> bool:
    """Whether this traceback entry is tracer's, or that of runpy, which tracer called."""
    name: str = traceback.tb_frame.f_globals.get("__name__", "")
    return name == "runpy" or name.startswith(("tracer.cli.", "tracer.launch.", "tracer.compat."))
