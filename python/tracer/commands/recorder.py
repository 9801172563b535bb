"""What becomes of the profile when the program has ended, in whichever way it ended.

The recorder is told before the program starts, so that its atexit function runs after all of the
program's, and its signal handlers stand where nobody else's do. Only the process that made it acts.
"""

from __future__ import annotations

import atexit
import os
import resource
import signal
import sys
from time import perf_counter, time
from types import MethodType

from tracer.commands.output import ProfileFile, rescue, say, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from tracer._core import Profiler
    from tracer.capture import Capture

# Signals that end a process at once and that its user may well send to it.
ENDING = (signal.SIGTERM, signal.SIGHUP)


class Recorder:
    """Holds one run's profile, and writes or prints it once when the run is over."""

    def __init__(
        self,
        profile: Profiler,
        words: list[str],
        values: dict[str, Any],
        file: ProfileFile | None,
        prog: str,
    ) -> None:
        self.profile = profile
        self.words = words
        self.values = values
        self.file = file
        self.prog = prog
        # The interpreter calls it in the middle of the program; by way of C it is in no row.
        self.handler = MethodType(profile.mute_and_call, self.on_signal)
        self.pid = os.getpid()
        self.recorded = False
        self.over = False
        self.interrupted = False  # whether it was an uncaught KeyboardInterrupt that ended the run
        self.late_signal: int | None = None
        # The program may put others in their place, or close them.
        self.stdout, self.stderr = sys.stdout, sys.stderr
        self.path = list(sys.path)

    def start(self) -> None:
        atexit.register(self.finish)
        for number in ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self.handler)
        os.register_at_fork(after_in_child=self.forget)
        self.started = time()
        self.clock = perf_counter()
        self.usage = resource.getrusage(resource.RUSAGE_SELF)

    def record_call(self, function: Callable[..., object], /, *args: object) -> object:
        """Record what `function`, a builtin, calls: a part of the program."""
        self.recorded = True
        return self.profile.record_call(function, *args)

    def cancel(self) -> None:
        """There was nothing to run: leave no trace."""
        atexit.unregister(self.finish)
        self.release_signals()

    def forget(self) -> None:
        """In a forked child: it runs at full speed, its signals are plain python's, and it has no
        profile to write."""
        self.profile.disable()
        atexit.unregister(self.finish)
        self.release_signals()

    def release_signals(self) -> None:
        for number in ENDING:
            if signal.getsignal(number) is self.handler:
                signal.signal(number, signal.SIG_DFL)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Save the profile, then die of the signal, as the program would have."""
        if self.over:
            self.late_signal = number  # it came while the profile is being written
            return
        if os.getpid() == self.pid:
            self.finish()
        die_of(number)

    def finish(self) -> None:
        """Write or print the profile. Never raises: the program's own end is the last word."""
        if os.getpid() != self.pid or self.over:
            return
        self.over = True
        held = hold_interrupts()
        try:
            self.profile.disable()
            usage = resource.getrusage(resource.RUSAGE_SELF)
            real = perf_counter() - self.clock
            self.make_room()
            self.put_out(self.capture(real, usage))
        except Exception as error:
            say(f"the profile is lost: {error!r}", self.stderr)
        finally:
            release_interrupts(held)
            self.release_signals()
        if self.late_signal is not None:
            die_of(self.late_signal)
        if self.interrupted:
            die_of_interrupt_at_exit()

    def make_room(self) -> None:
        """Undo what the program may have left that would keep us from writing its profile."""
        # What is imported from here on is ours, and not from the program's folders.
        sys.path = self.path
        sys.setrecursionlimit(max(1000, sys.getrecursionlimit()))
        # It may have ended because it ran out of file descriptors.
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            return  # the system has a lower limit of its own: then it stays as it was

    def capture(self, real: float, usage: resource.struct_rusage) -> Capture:
        from tracer.capture import Capture, RunInfo

        run = RunInfo(
            command=tuple(self.words),
            started=self.started,
            real=real,
            user=usage.ru_utime - self.usage.ru_utime,
            system=usage.ru_stime - self.usage.ru_stime,
            max_memory=max_memory(usage.ru_maxrss),
        )
        return Capture(self.profile.snapshot(), run)

    def put_out(self, capture: Capture) -> None:
        if self.file is None:
            self.print_table(capture)
            return
        try:
            self.file.save(capture)
        except OSError as error:
            rescue(capture, f"could not write {self.file.name}: {error.strerror}", self.stderr)
            return
        if self.stderr is not None and not self.stderr.closed and self.stderr.isatty():
            from shlex import quote

            name = quote(self.file.name)
            say(f"wrote {name}; to see it: {self.prog} show {name}", self.stderr)

    def print_table(self, capture: Capture) -> None:
        from tracer.commands.table import render

        try:
            if sys.stdout is not None and not sys.stdout.closed:
                sys.stdout.flush()  # what the program printed comes first
        except OSError:
            return  # the interpreter is going to say so, as it would without us
        except RuntimeError:
            pass  # a signal came while the program was writing there
        text, notes, _ = render([capture], self.values)
        for stream in (self.stdout, sys.stdout):
            try:
                if stream is not None and not stream.closed:
                    write_text(text, stream)
                    for note in notes:
                        say(note, self.stderr)
                    return
            except ValueError:
                continue  # the program took its buffer away
            except OSError as error:
                reason = f"could not write to standard output: {error.strerror}"
                return rescue(capture, reason, self.stderr)
        rescue(capture, "standard output is closed", self.stderr)


def die_of(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def die_of_interrupt_at_exit() -> None:
    """Remind the interpreter that its last act is to die of SIGINT.

    It notes an uncaught KeyboardInterrupt, and forgets that whenever text is executed, as some of
    the modules do that were imported to write the profile. Executing text is also how to set it.
    """
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return


def hold_interrupts() -> Any:
    """Let Ctrl-C wait: the program is over, and the profile takes but a moment to write."""
    try:
        return signal.signal(signal.SIGINT, lambda number, frame: None)
    except ValueError:
        return None  # not the main thread


def release_interrupts(held: Any) -> None:
    if held is not None:
        signal.signal(signal.SIGINT, held)


def max_memory(ru_maxrss: int) -> int:
    """The most memory the process had, in bytes.

    Linux lets ru_maxrss begin at what the process that started this one used, so it is the last
    resort there.
    """
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return ru_maxrss if sys.platform == "darwin" else ru_maxrss * 1024
