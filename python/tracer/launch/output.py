"""Writes the command's output: text to standard output, a line to standard error, a file.

A reader that has gone is no error. A profile that cannot be written where it should be is saved to
the temporary folder. The callers make the text.
"""

from __future__ import annotations

import os
import stat
import sys
from io import FileIO, TextIOWrapper

from tracer.launch.errors import OutputError, UsageError
from tracer.runtime.atomic_files import create_beside, destination, write_all, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO, TypeGuard

# Encodings of one form: others begin a text with a mark.
PLAIN = ("utf-8", "ascii", "us-ascii", "latin-1", "iso8859-1", "iso-8859-1")


def say(message: str, stream: TextIO | None = None) -> None:
    """Print one line on standard error, whatever state the program left the stream in."""
    stream = stream or getattr(sys, "stderr", None)
    line = f"tracer: {message}\n"
    try:
        if is_of_descriptor(stream):
            # A line that nobody reads any more must not stay in the stream: the interpreter would
            # flush it at its end, and exit with a status of its own.
            stream.flush()
            data = line.encode(stream.encoding, stream.errors or "strict")
            while data:
                data = data[os.write(stream.fileno(), data) :]
        elif stream is not None:
            stream.write(line)
            flush(stream)
    except Exception:
        return  # closed, full, or an object of the program's: nobody can be told


def is_of_descriptor(stream: TextIO | None) -> TypeGuard[TextIOWrapper]:
    """Whether a stream is as the interpreter makes it, and what is written goes to its descriptor
    as it is: not into memory, nor through a compressor."""
    if type(stream) is not TextIOWrapper or stream.encoding.lower() not in PLAIN:
        return False
    return type(getattr(stream.buffer, "raw", stream.buffer)) is FileIO


def quote(word: str) -> str:
    """The word quoted for a shell, like shlex.quote(), which may not be importable here."""
    safe = "@%+=:,./-_"
    if word and all(c in safe or (c.isascii() and c.isalnum()) for c in word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


# What the call tree is drawn with where the stream's encoding has no boxes.
BOXES = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-", "›": ">", "…": "..."})  # noqa: RUF001

# A program may replace sys.stdout by any object that has a write().


def is_closed(stream: TextIO) -> bool:
    return bool(getattr(stream, "closed", False))


def flush(stream: TextIO) -> None:
    if hasattr(stream, "flush"):
        stream.flush()


def write_text(text: str, stream: TextIO) -> None:
    """Write all of `text` and flush. Raises OSError, or ValueError when the stream is closed.

    File names are printed as their own bytes. Characters that the encoding lacks are escaped. A
    reader that closed its end (`| head`) is no error.
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        data = text.encode(encoding, "surrogateescape")
    except UnicodeEncodeError:
        data = text.translate(BOXES).encode(encoding, "backslashreplace")
    try:
        if hasattr(stream, "buffer"):
            write_bytes(data, stream)
        else:
            stream.write(data.decode(encoding, "backslashreplace"))
            flush(stream)
    except OSError as error:
        # Otherwise the interpreter flushes again at its end, and complains.
        if hasattr(stream, "buffer"):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
        if not isinstance(error, BrokenPipeError):
            raise


def put_text(text: str) -> None:
    """Write all of a text to standard output. Raises OutputError."""
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    try:
        write_text(text, sys.stdout)
    except OSError as error:
        raise OutputError(f"could not write to standard output: {error.strerror}") from None


def write_bytes(data: bytes, stream: TextIO) -> None:
    try:
        stream.flush()
        while data:  # an unbuffered stream (python -u) may take only a part
            data = data[stream.buffer.write(data) or 0 :]
        stream.flush()
    except RuntimeError:
        # A signal came while the program was writing to this very stream.
        while data:
            data = data[os.write(stream.fileno(), data) :]


def is_lprof(name: str | None) -> bool:
    """Whether a file of this name is written in line_profiler's format."""
    return name is not None and name.endswith(".lprof")


def is_named_otherwise(name: str | None) -> bool:
    """Whether the name of -o is that of a file which another verb makes of a profile."""
    return name is not None and name.endswith((".html", ".json", ".csv", ".svg"))


class ProfileFile:
    """The FILE of -o: checked before the program starts, written when it has ended."""

    def __init__(self, name: str) -> None:
        """Raises UsageError when FILE cannot be written, OutputError where a disk is full. The
        check leaves no trace."""
        self.name = name
        try:
            if not name:
                raise FileNotFoundError(None, "the name is empty")
            # Resolved now: the program may change the current folder.
            path, mode = destination(name)
            self.path: str = path
            # A regular file is replaced; a device or a named pipe is written into.
            self.is_replaced: bool = mode is None or stat.S_ISREG(mode)
            self.check(mode)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            kind = OutputError if is_full(error) else UsageError
            raise kind(
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
        # save() writes a new file beside FILE and renames it, so the check creates one there.
        handle, trial = create_beside(self.path)
        os.close(handle)
        os.unlink(trial)

    def is_file(self, path: str) -> bool:
        """Whether FILE and `path` are one file, by whatever names."""
        return os.path.exists(self.path) and os.path.samefile(self.path, path)

    def save(self, data: bytes) -> None:
        """Write the profile to FILE. Raises OSError."""
        write_whole(self.path, data)


def is_full(error: Exception) -> bool:
    """Whether the disk, or the user's share of it, has no more room."""
    import errno  # a program must not find it loaded

    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)


def rescue(data: bytes, reason: str, stream: TextIO | None) -> str | None:
    """Save a profile to the temporary folder, and say where it is and why. Returns its path, or
    None when the profile is lost."""
    problem = "there is none"
    for folder in temporary_folders():
        try:
            path = write_new(os.path.join(os.path.abspath(folder), "tracer-"), data)
        except OSError as error:
            problem = error.strerror or str(error)
        else:
            say(f"{reason}; the profile is saved as {path}", stream)
            return path
    say(f"{reason}; nor to the temporary folder ({problem}): the profile is lost", stream)
    return None


def temporary_folders() -> list[str]:
    """The folders of tempfile, which cannot be imported when a program is over."""
    named = [os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")]
    return [folder for folder in named if folder] + ["/tmp", "/var/tmp", os.curdir]


def write_new(prefix: str, data: bytes) -> str:
    """Write a new file that only its owner may read. Returns its path. Raises OSError."""
    path = f"{prefix}{os.urandom(8).hex()}.out"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        write_all(handle, data)
    except BaseException:
        os.unlink(path)
        raise
    return path
