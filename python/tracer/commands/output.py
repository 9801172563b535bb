"""Where the command's words go: text to standard output, one line to standard error, a file.

None of it ends in a traceback: a reader that has gone is no error, and a profile that cannot be
written where it should be is saved elsewhere. What the text says is decided by the callers.
"""

from __future__ import annotations

import os
import stat
import sys

from tracer.commands.options import UsageError
from tracer.files import create_beside, destination

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from tracer.capture import Capture


def say(message: str, stream: TextIO | None = None) -> None:
    """Print one line on standard error, whatever state the program left that in."""
    stream = stream or sys.stderr
    try:
        if stream is not None:
            print(f"tracer: {message}", file=stream, flush=True)
    except (OSError, ValueError):
        return  # closed or full: there is nobody left to tell


def write_text(text: str, stream: TextIO) -> None:
    """Write all of `text` and flush; raises OSError, or ValueError when the stream is closed.

    File names are printed as the bytes they are, and what the stream's encoding lacks is escaped.
    A reader that closed its end (`| head`) has seen what it wanted: that is no error.
    """
    encoding = stream.encoding or "utf-8"
    try:
        data = text.encode(encoding, "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode(encoding, "backslashreplace")
    try:
        if hasattr(stream, "buffer"):
            write_bytes(data, stream)
        else:
            stream.write(data.decode(encoding, "backslashreplace"))
            stream.flush()
    except OSError as error:
        # Else the interpreter flushes again at its end, and complains.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
        if not isinstance(error, BrokenPipeError):
            raise


def write_bytes(data: bytes, stream: TextIO) -> None:
    try:
        stream.flush()
        while data:  # an unbuffered stream (python -u) may take a part only
            data = data[stream.buffer.write(data) or 0 :]
        stream.flush()
    except RuntimeError:
        # A signal came while the program was writing to this very stream.
        while data:
            data = data[os.write(stream.fileno(), data) :]


def print_usage(text: str, *, asked_for: bool) -> int:
    """Print the usage text: to stdout with status 0 when asked for, else to stderr with 2."""
    stream = sys.stdout if asked_for else sys.stderr
    if stream is not None:
        write_text(text, stream)
    return 0 if asked_for else 2


class ProfileFile:
    """The FILE of -o: checked before the program starts, written when it has ended."""

    def __init__(self, name: str) -> None:
        """Raises UsageError when FILE could not be written; leaves no trace of the check."""
        self.name = name
        try:
            if not name:
                raise FileNotFoundError(None, "the name is empty")
            # The user stands here now; the program may go elsewhere.
            self.path, mode = destination(name)
            # A device or a named pipe is not replaced, but written into.
            self.is_replaced = mode is None or stat.S_ISREG(mode)
            self.check(mode)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(
                f"cannot write {name!r}: {reason}; give a path that can be written after -o"
            ) from None

    def check(self, mode: int | None) -> None:
        if mode is not None:
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(None, "it is a directory")
            if not os.access(self.path, os.W_OK):
                raise PermissionError(None, "permission denied")
            if not self.is_replaced:
                return
        if self.name.endswith(os.sep):
            raise IsADirectoryError(None, "it names a directory")
        # The profile will be written beside FILE and then renamed, so that is what is tried.
        handle, trial = create_beside(self.path)
        os.close(handle)
        os.unlink(trial)

    def is_file(self, path: str) -> bool:
        """Whether FILE is this very file, by whatever name."""
        return os.path.exists(self.path) and os.path.samefile(self.path, path)

    def save(self, capture: Capture) -> None:
        """Write the profile to FILE. Raises OSError."""
        capture.write(self.path)


def write_to_temporary_folder(capture: Capture) -> str:
    """Save the profile under a new name in the temporary folder and return its path."""
    import tempfile

    number, path = tempfile.mkstemp(prefix="tracer-", suffix=".out")
    os.close(number)
    try:
        capture.write(path)
    except BaseException:
        os.unlink(path)
        raise
    return path


def rescue(capture: Capture, reason: str, stream: TextIO | None) -> None:
    """Save a profile that could not go where it should, and say where it is."""
    try:
        path = write_to_temporary_folder(capture)
    except OSError as error:
        say(f"{reason}; nor to the temporary folder ({error}): the profile is lost", stream)
    else:
        say(f"{reason}; the profile is saved as {path}", stream)
