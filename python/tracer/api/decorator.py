"""`profile`, the decorator: marks functions whose lines are to be timed, and times them.

    from tracer import profile      # or, under `python -m tracer`, nothing: it is a builtin there

    @profile
    def f(): ...

The decorator returns its target unchanged, and keeps the target's code objects. It times them under
the command's option -l, when the environment variable TRACER (or LINE_PROFILE) is 1, and between
profile.enable() and profile.disable().
"""

from __future__ import annotations

import os
import sys
from _warnings import warn
from types import CodeType

from tracer._core import LineRecorder
from tracer.runtime.unrecorded import all_aside
from tracer.source.code_objects import codes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, TextIO, TypeVar

    from tracer.data.lines import Lines
    from tracer.runtime.atomic_files import AnyPath
    from tracer.source.checksums import Sources

    T = TypeVar("T")

VARIABLES = ("TRACER", "LINE_PROFILE")
NO = ("", "0", "false", "no", "off")  # values of such variables


@all_aside
class LineDecorator:
    """The class of `tracer.profile`, which is its only instance.

    The decorator takes functions, methods, class methods, static methods, properties, partials,
    generators and coroutines. It marks the code that they run, also behind other decorators that
    set `__wrapped__`. Of a class it marks all that is defined in the class. It warns of a target
    that is not written in Python, and leaves the target alone.

    Under the options -l and --lines the command does the timing, from the program's first line to
    its last. Then enable(), disable(), clear() and `with profile:` change nothing.
    """

    def __init__(self) -> None:
        self.codes: dict[int, CodeType] = {}  # by identity: two functions may have equal code
        self.recorder: LineRecorder | None = None
        self.sources: Sources | None = None  # the recorder's
        self.is_lent: bool = False  # whether attach() gave the recorder
        self.is_settled: bool = False  # whether the environment need not be asked any more

    def __call__(self, target: T) -> T:
        if not self.is_settled:
            self.ask_environment()
        codes = list(codes_of(target))
        if not codes:
            warn(
                f"@profile cannot time the lines of {target!r}: it is not written in Python; "
                "decorate a function or class that is",
                RuntimeWarning,
                2,
            )
        for code in codes:
            self.codes[id(code)] = code
            if self.recorder is not None:
                self.recorder.add_code(code)
        return target

    def attach(self, recorder: LineRecorder | None, sources: Sources | None = None) -> None:
        """Leave the timing to a recorder that the caller enables and disables; None: to nobody."""
        self.is_lent = recorder is not None
        self.take(recorder, sources)

    def take(self, recorder: LineRecorder | None, sources: Sources | None) -> None:
        """Have this recorder time what is decorated; None: have nobody time it."""
        self.is_settled = True
        self.recorder = recorder
        self.sources = sources
        if recorder is not None:
            for code in self.codes.values():
                recorder.add_code(code)

    def ask_environment(self) -> None:
        """Enable if a variable of the environment says so, and report at the end of the process."""
        self.is_settled = True
        asked_for = any(os.environ.get(name, "").lower() not in NO for name in VARIABLES)
        if not asked_for:
            return
        from tracer.runtime.processes import is_worker

        if is_worker():
            return
        import atexit

        import tracer.report.line_table  # noqa: F401 -- at the end, the program may have moved its folder

        atexit.register(self.report, os.getpid())
        self.enable()

    def report(self, owner: int) -> None:
        """Disable and print, in the process `owner` alone; save a table that cannot be printed."""
        if os.getpid() != owner:
            return  # a forked child
        self.disable()
        try:
            if sys.stdout is None:
                raise OSError(None, "it is closed")
            self.print_stats()
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader has closed the pipe
        except (OSError, ValueError) as error:
            self.rescue(getattr(error, "strerror", None) or str(error))

    def rescue(self, reason: str) -> None:
        """Save the lines that could not be printed, and say where the file is."""
        import tempfile

        path = os.path.join(tempfile.gettempdir(), f"tracer-{os.urandom(8).hex()}.out")
        try:
            self.dump_stats(path)
            end = f"the lines are saved as {path}"
        except OSError as error:
            end = f"nor save the lines as {path}: {error.strerror}"
        if sys.stderr is not None:
            sys.stderr.write(f"tracer: could not write to standard output: {reason}; {end}\n")

    @property
    def enabled(self) -> bool:
        """Whether lines are being timed."""
        return self.recorder is not None and self.recorder.enabled

    def enable(self) -> None:
        """Time the lines of what is decorated, now or later, in every thread."""
        self.is_settled = True
        if self.recorder is None:
            from tracer.source.checksums import Sources

            sources = Sources()
            self.take(LineRecorder(first_lines=sources.first_lines), sources)
        if self.recorder is not None and not self.is_lent:
            self.recorder.enable()

    def disable(self) -> None:
        """Stop timing. The figures are kept, and enable() adds to them."""
        if self.recorder is not None and not self.is_lent:
            self.recorder.disable()

    def clear(self) -> None:
        """Forget the figures. What is decorated stays decorated."""
        if self.recorder is not None and not self.is_lent:
            self.recorder.clear()

    def __enter__(self) -> Self:
        self.enable()
        return self

    def __exit__(self, *error: object) -> None:
        self.disable()

    @property
    def lines(self) -> Lines:
        """The figures until now, as tracer.Lines. Recording goes on as it was."""
        from tracer.data.lines import Lines

        return Lines([self.snapshot()])

    def snapshot(self) -> dict[str, Any]:
        """The recorder's snapshot, and `sources`."""
        sources = self.sources
        if sources is None:
            from tracer.source.checksums import Sources

            sources = Sources()
        return sources.beside((self.recorder or LineRecorder()).snapshot())

    def print_stats(self, stream: TextIO | None = None, **options: Any) -> None:
        """Print the table of lines, by default on standard output, if there is one. `options`:
        those of tracer.report.lines.report()."""
        from tracer.report.line_table import write
        from tracer.report.lines import report

        stream = sys.stdout if stream is None else stream
        if stream is not None:  # print() ignores a missing stdout, too
            write(report(self.lines, **options), stream)

    def dump_stats(self, file: AnyPath) -> None:
        """Write a file: in line_profiler's format if its name ends in .lprof, else in tracer's."""
        if os.fsdecode(file).endswith(".lprof"):
            from tracer.data.lprof import bytes_of
            from tracer.runtime.atomic_files import write_whole

            write_whole(file, bytes_of(self.lines))
        else:
            from tracer.data.capture import capture_of_lines

            capture_of_lines(self.snapshot()).write(file)


profile: LineDecorator = LineDecorator()
