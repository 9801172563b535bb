"""Errors in the user's input, and the report of an exception that the program raises.

main() prints the text of a UsageError, and the exit status is 2.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class UsageError(Exception):
    """Bad input. The text is one line that names the thing and the remedy."""


class OptionError(UsageError):
    """An error in an option, which stands on the command line as `flag`."""

    def __init__(self, text: str, flag: str) -> None:
        super().__init__(text)
        self.flag = flag


class UnknownOption(OptionError):
    """The verb has no such option."""


class MissingValue(OptionError):
    """The option takes a value, and none follows."""


def reason_of(error: BaseException) -> str:
    """Why something failed, in one line: what the system says, else the exception itself."""
    return getattr(error, "strerror", None) or repr(error)


def hide_own_frames(error: BaseException) -> None:
    """Make the interpreter report `error` with only the program's part of its traceback.

    Each frame that the error leaves is added to the traceback; then the interpreter calls
    sys.excepthook. So tracer's hook cuts the traceback, and calls the hook that the program left.
    The hook keeps neither the error nor its traceback: the interpreter frees a SystemExit before
    the atexit functions run, and with it what the program's frames hold.
    """
    number = id(error)
    depth = length(below_own_frames(error.__traceback__))
    hook = getattr(sys, "excepthook", sys.__excepthook__)

    def excepthook(
        kind: type[BaseException], value: BaseException, whole: TracebackType | None
    ) -> None:
        sys.excepthook = hook
        if id(value) != number:
            hook(kind, value, whole)
            return
        traceback = last_of(whole, depth)
        sys.last_traceback = value.__traceback__ = traceback
        try:
            hook(kind, value, traceback)
        except SystemExit:
            raise
        except BaseException as failure:
            # Report it as the interpreter does, but without this frame.
            failure.__traceback__ = failure.__traceback__ and failure.__traceback__.tb_next
            print("Error in sys.excepthook:", file=sys.stderr)
            sys.__excepthook__(type(failure), failure, failure.__traceback__)
            print("\nOriginal exception was:", file=sys.stderr)
            sys.__excepthook__(kind, value, traceback)

    sys.excepthook = excepthook


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
