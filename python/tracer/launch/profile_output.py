"""Where the profile goes: to FILE, as a table to standard output, or else to the temporary folder.

The modules that write FILE are loaded before the program starts. Those of the table are imported at
the end; if that fails, the profile is saved instead. The caller makes the table. run_section.py
makes the profile; profiled_run.py says when it goes out.
"""

from __future__ import annotations

import sys

from tracer.data.section import dumps
from tracer.launch.errors import reason_of
from tracer.launch.interpreter_state import imports_can_be_made
from tracer.launch.output import (
    ProfileFile,
    flush,
    is_closed,
    is_lprof,
    quote,
    rescue,
    say,
    write_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TextIO

    Text = tuple[str, bytes]  # the name of code that is in no file, and its source
    # Makes of a section, and of the stream that it is for: the table, as each stream shows it; and
    # the notes to print below it.
    Render = Callable[[dict[str, Any], TextIO | None], tuple[Callable[[TextIO], str], list[str]]]


class ProfileOutput:
    """Puts a profile out. It keeps the streams from before the program. `prog` is the command that
    shows a FILE."""

    def __init__(self, file: ProfileFile | None, render: Render, prog: str) -> None:
        self.file = file
        self.render = render
        self.prog = prog
        self.has_failed: bool = False  # whether an early save of FILE has failed
        if file is not None and is_lprof(file.name):
            # The program may break imports: what writes FILE is loaded before the program starts.
            from tracer.data.lines import Lines
            from tracer.data.lprof import bytes_of

            self.lprof_of: Callable[[dict[str, Any]], bytes] = lambda section: bytes_of(
                Lines([section["lines"]])
            )
        # The program may replace these streams, or close them.
        self.stdout: TextIO | None = sys.stdout
        self.stderr: TextIO | None = sys.stderr

    def say(self, message: str) -> None:
        say(message, self.stderr)

    def dumps(self, section: dict[str, Any]) -> bytes:
        """The bytes of the file, in the format that its name asks for."""
        if self.file is None or not is_lprof(self.file.name):
            return dumps(section)
        return self.lprof_of(section)

    def save_early(self, make_section: Callable[[], dict[str, Any]]) -> None:
        """Write FILE, if there is one, while the run goes on. Only the first error is printed."""
        if self.file is None:
            return
        try:
            self.file.save(self.dumps(make_section()))
        except Exception as error:
            if not self.has_failed:
                reason = reason_of(error)
                self.say(f"could not write {self.file.name!r}: {reason}; trying again")
            self.has_failed = True

    def put(self, section: dict[str, Any], text: Text | None) -> None:
        """Write or print the profile. `text` is the name and source of a program in no file."""
        if self.file is None:
            self.print_table(section, text)
            return
        data = self.dumps(section)
        if section["focus"] is not None and not section["functions"]:
            self.say(nothing_recorded(*section["focus"]))
        lines = section["lines"]
        if lines is not None and not any(thread["lines"] for thread in lines["threads"]):
            # A module that ran has lines: one without lines is empty.
            known = any(name != "<module>" for _, _, name, _ in lines["codes"])
            self.say(no_line_recorded(known, are_alone=not section["functions"]))
        try:
            self.file.save(data)
        except OSError as error:
            rescue(data, f"could not write {self.file.name!r}: {error.strerror}", self.stderr)
            return
        if self.stderr is not None and not is_closed(self.stderr) and self.stderr.isatty():
            name = quote(self.file.name)
            see = f"{self.prog} view {name} (in the browser), or show"
            self.say(f"wrote {name}; to see it: {see}")

    def print_table(self, section: dict[str, Any], source: Text | None) -> None:
        theirs: TextIO | None = getattr(sys, "stdout", None)
        try:
            if theirs is not None:
                flush(theirs)  # what the program printed comes first
        except OSError:
            if theirs is self.stdout:
                return  # the interpreter will report it, as without tracer
        except Exception:
            # sys.stdout is closed; a signal came while the program was writing there; or
            # the program's own stream failed.
            pass
        try:
            text_for, notes = self.table(section, source)
        except BaseException as error:
            reason = f"could not make the table: {reason_of(error)}"
            rescue(dumps(section), reason, self.stderr)
            return
        problem = "standard output is closed"
        for stream in (self.stdout, theirs):
            try:
                if stream is not None and not is_closed(stream):
                    write_text(text_for(stream), stream)
                    for note in notes:
                        self.say(note)
                    return
            except ValueError:
                continue  # the program detached the stream's buffer
            except OSError as error:
                problem = f"could not write to standard output: {error.strerror}"
                break
            except Exception as error:
                problem = f"could not write to the program's sys.stdout: {error!r}"
        rescue(dumps(section), problem, self.stderr)

    def table(
        self, section: dict[str, Any], text: Text | None
    ) -> tuple[Callable[[TextIO], str], list[str]]:
        if not imports_can_be_made():
            raise ImportError("another thread is in the middle of importing")
        if text is not None:
            import linecache

            name, source = text
            lines = [f"{line}\n" for line in source.decode(errors="replace").split("\n")]
            linecache.cache[name] = len(source), None, lines, name
        return self.render(section, self.open_stream())

    def open_stream(self) -> TextIO | None:
        """The stream that the table goes to, as far as that is known before it is written."""
        for stream in (self.stdout, sys.stdout):
            try:
                if stream is not None and not is_closed(stream):
                    return stream
            except Exception:  # the program detached its buffer, or it is the program's own
                continue
        return None


def no_line_recorded(are_functions_known: bool, *, are_alone: bool) -> str:
    """Why no line was timed in a run that times lines. `are_alone`: functions are not recorded."""
    if are_functions_known:
        return "no timed line was reached"
    if are_alone:
        return (
            "no function was decorated with @profile: put @profile above the functions to be timed "
            "by line, or give --lines to time all"
        )
    return (
        "no line was timed: the program's own code that ran is excluded, or lies elsewhere; "
        "add code by --lines-of"
    )


def nothing_recorded(include: tuple[str, ...], exclude: tuple[str, ...]) -> str:
    """Why no function was recorded, given the included and excluded paths."""
    if not include:
        return f"no function was recorded: all that was called is in {', '.join(exclude)}"
    but = f", less {', '.join(exclude)}," if exclude else ""
    return f"no function was recorded: nothing in {', '.join(include)}{but} was called"
