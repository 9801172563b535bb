"""Runs a program for kernprof, and writes the profile when the program returns or raises.

launch/program.py finds and prepares the program. Only `python -m tracer` keeps the profile of a
program that a signal or os._exit ends: see launch/profiled_run.py.
"""

from __future__ import annotations

import builtins
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import StringIO
from types import CodeType
from typing import TYPE_CHECKING, Any, TextIO, cast

from tracer.api.line_profiler import LineProfiler
from tracer.compat.command_line import kept_process
from tracer.compat.contextual_profile import ContextualProfile
from tracer.launch.errors import UsageError, hide_own_frames
from tracer.launch.output import ProfileFile, quote, rescue, say, write_text
from tracer.launch.program import Program

if TYPE_CHECKING:
    from tracer.launch.program import RecordCall


class TextProgram(Program):
    """A program whose source is in no file: -c STATEMENTS, or standard input."""

    folder: str | None = None if sys.flags.safe_path else ""

    def __init__(self, name: str, arguments: list[str], source: bytes) -> None:
        super().__init__(name, arguments)
        self.source = source
        self.file = "<stdin>" if name == "-" else "<command>"

    def prepare(self, record_call: RecordCall) -> tuple[CodeType, dict[str, Any]]:
        import linecache

        text = self.source.decode("utf-8", "replace")
        lines = text.splitlines(keepends=True)
        linecache.cache[self.file] = (len(text), None, lines, self.file)  # for the table
        namespace = self.enter(None)
        namespace["__file__"] = self.file
        return compile(self.source, self.file, "exec", dont_inherit=True), namespace


class Run:
    """One run. `options` are those of the command line, with all defaults."""

    def __init__(self, program: Program, name: str, options: dict[str, Any]) -> None:
        self.program = program
        self.options = options
        self.by_line: bool = options["line-by-line"]
        file = options["outfile"] or name + (".lprof" if self.by_line else ".prof")
        self.file: ProfileFile = ProfileFile(file)
        if program.path and self.file.is_file(program.path):
            raise UsageError(f"{file!r} is the program itself; give another path after -o")
        self.setup: CodeType | None = read_setup(options["setup"]) if options["setup"] else None
        self.profile: LineProfiler | ContextualProfile = (
            LineProfiler() if self.by_line else ContextualProfile()
        )
        self.stdout: TextIO | None = sys.stdout
        # Only the process that made the run writes the profile.
        self.pid: int = os.getpid()

    def execute(self, restore: bool) -> None:
        """Run the program to its end, then write and report. Raises what the program raises."""
        self.say(2, f"running {' '.join(map(quote, self.program.words))}")
        self.say(2, f"results go to {self.file.name!r}")
        # Imported now: the report needs pstats when the program is over.
        import pstats  # noqa: F401

        with ExitStack() as kept:
            if restore:
                kept.enter_context(kept_process("line_profiler"))
                kept.enter_context(kept_decorator())
            try:
                with self.silence():
                    self.run()
            except UsageError:
                raise  # nothing ran: keep an older file
            except BaseException as error:
                self.finish()
                if not restore:
                    hide_own_frames(error)
                raise
            self.finish()

    def run(self) -> None:
        self.install()
        is_whole = not (self.by_line or self.options["builtin"])
        record_call: RecordCall = (
            self.profile.record_call
            if is_whole and isinstance(self.profile, ContextualProfile)
            else lambda function, *words: function(*words)
        )
        if self.setup is not None:
            exec(self.setup, {"__name__": "__main__", "__file__": self.options["setup"]})
        code, namespace = self.program.prepare(record_call)
        is_text = isinstance(self.program, TextProgram)
        if self.by_line and (self.options["prof-mod"] or is_text):
            from tracer.compat.kernprof_targets import Targets

            assert isinstance(self.profile, LineProfiler)
            package = namespace.get("__package__")
            with Targets(self.profile, self.program, code, package, self.options):
                return self.with_saving(lambda: record_call(exec, code, namespace))
        if self.options["prof-mod"]:
            say("-p is of no use without -l, which times lines")
        self.with_saving(lambda: record_call(exec, code, namespace))

    def install(self) -> None:
        """Put `profile` where the program looks for it."""
        if self.by_line or self.options["builtin"]:
            builtins.profile = self.profile  # type: ignore[attr-defined]
        from tracer.compat import line_profiler

        # `from line_profiler import profile` in the program then gets this run's profiler.
        sys.modules["line_profiler"] = line_profiler
        if self.by_line or self.options["builtin"]:
            line_profiler.profile._kernprof_overwrite(cast(LineProfiler, self.profile))

    def with_saving(self, run: Callable[[], object]) -> None:
        """Call run(), and meanwhile write the results at intervals if -i asks for it."""
        every = self.options["output-interval"]
        if not every:
            run()
            return
        over = threading.Event()

        def save_again() -> None:
            while not over.wait(every) and os.getpid() == self.pid:
                try:
                    self.file.save(self.data())
                except OSError:
                    return  # the last save reports the error

        saver = threading.Thread(target=save_again, name="kernprof", daemon=True)
        saver.start()
        try:
            run()
        finally:
            over.set()
            saver.join()

    def data(self) -> bytes:
        """The bytes of the file, with what has been recorded so far."""
        if isinstance(self.profile, LineProfiler):
            from tracer.data import lprof

            stats = self.profile.get_stats()
            # Leave out code that is in no file: no viewer could find its source.
            nowhere = self.program.file if isinstance(self.program, TextProgram) else None
            timings = {key: rows for key, rows in stats.timings.items() if key[0] != nowhere}
            return lprof.dumps(timings, stats.unit)
        return self.profile.capture().dumps()

    def finish(self) -> None:
        if os.getpid() != self.pid:
            return  # a fork of the program's
        self.profile.disable()
        data = self.data()
        name = self.file.name
        try:
            self.file.save(data)
        except OSError as error:
            rescue(data, f"could not write {name!r}: {error.strerror}", sys.__stderr__)
            return
        self.say(0, f"Wrote profile results to {name!r}")
        if self.options["verbose"] > 0:
            self.view()
        else:
            viewer = "tracer.compat.line_profiler -rmt" if self.by_line else "pstats"
            self.say(0, f"Inspect results with:\n{quote(sys.executable)} -m {viewer} {quote(name)}")

    def view(self) -> None:
        if isinstance(self.profile, LineProfiler):
            stream = sys.stdout if self.options["rich"] else StringIO()
            self.profile.print_stats(
                stream,
                output_unit=self.options["unit"],
                stripzeros=self.options["skip-zero"],
                summarize=self.options["summarize"],
                rich=self.options["rich"],
                config=self.options["config"],
            )
            if isinstance(stream, StringIO):
                self.print(stream.getvalue())
        else:
            from tracer.api.stats import Stats

            stream = StringIO()
            Stats(self.profile, stream=stream).sort_stats(-1).print_stats()
            self.print(stream.getvalue())

    def say(self, level: int, text: str) -> None:
        """Print a text, if the user's verbosity is `level` or more."""
        if self.options["verbose"] >= level:
            self.print(f"{text}\n" if level < 2 else f"[kernprof] {text}\n")

    def print(self, text: str) -> None:
        """Print to the standard output from before the program."""
        try:
            if self.stdout is not None:
                write_text(text, self.stdout)
        except (OSError, ValueError) as error:
            say(f"could not write to standard output: {error}")

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Discard the program's standard output with -qq, and its standard error with -qqq, too."""
        loud = sys.stdout, sys.stderr
        verbose = self.options["verbose"]
        if verbose > -2:
            yield
            return
        with open(os.devnull, "w") as nowhere:
            sys.stdout, sys.stderr = nowhere, nowhere if verbose < -2 else sys.stderr
            try:
                yield
            finally:
                sys.stdout, sys.stderr = loud


def read_setup(path: str) -> CodeType:
    try:
        with open(path, "rb") as file:
            return compile(file.read(), path, "exec", dont_inherit=True)
    except OSError as error:
        raise UsageError(f"cannot read {path!r}: {error.strerror}; name a script") from None
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{path!r} cannot be run: {error}") from None


@contextmanager
def kept_decorator() -> Iterator[None]:
    """Restore the decorator `line_profiler.profile`, which a run sets."""
    from tracer.compat import line_profiler

    decorator = line_profiler.profile
    state = decorator._profile, decorator.enabled
    try:
        yield
    finally:
        decorator._profile, decorator.enabled = state
