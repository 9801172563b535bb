"""What becomes of the profile when the program has ended, in whichever way it ended.

The recorder is told before the program starts, so that its atexit function runs after all of the
program's, and its signal handlers stand where nobody else's do. Only the process that made it acts.
How the other ends are noticed is in lastwords.py, and when to save before any end in saver.py.
"""

from __future__ import annotations

import atexit
import os
import resource
import signal
import sys
from _operator import index
from _thread import RLock, get_ident
from time import perf_counter, time
from types import MethodType

from tracer._core import call_aside, unrecorded
from tracer.commands.lastwords import LastWords, can_be_executed
from tracer.commands.output import ProfileFile, rescue, say, write_text
from tracer.commands.room import Room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from tracer._core import Profiler
    from tracer.capture import Capture
    from tracer.commands.saver import Saver

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
        self.last_words = LastWords(self.before_exit, self.before_exec)
        self.saver: Saver | None = None
        self.save_failed = False
        self.pid = os.getpid()
        self.lock = RLock()  # whoever writes the profile holds it
        self.recorded = False
        self.over = False
        self.interrupted = False  # whether it was an uncaught KeyboardInterrupt that ended the run
        self.late_signal: int | None = None
        self.masks: dict[int, set[Any]] = {}  # of threads that are forking: their signal masks
        # The program may put others in their place, or close them.
        self.stdout, self.stderr = sys.stdout, sys.stderr
        self.room = Room()

    def start(self) -> None:
        atexit.register(self.finish)
        for number in ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self.handler)
        self.last_words.install()
        os.register_at_fork(
            before=MethodType(call_aside, self.before_fork),
            after_in_parent=MethodType(call_aside, self.after_fork),
            after_in_child=MethodType(call_aside, self.forget),
        )
        if self.values["save_every"] is not None:
            self.start_saver(self.values["save_every"])
        self.started = time()
        self.clock = perf_counter()
        self.usage = resource.getrusage(resource.RUSAGE_SELF)

    def start_saver(self, seconds: float) -> None:
        import tracer.capture  # noqa: F401  (not later, from the program's own sys.path)
        from tracer.commands.saver import Saver

        self.saver = Saver(self.profile, self.save, seconds)
        try:
            self.saver.start()
        except RuntimeError as error:
            self.saver = None
            say(f"no thread for --save-every ({error}): the profile is written at the end only")

    def record_call(self, function: Callable[..., object], /, *args: object) -> object:
        """Record what `function`, a builtin, calls: a part of the program."""
        self.recorded = True
        return self.profile.record_call(function, *args)

    def cancel(self) -> None:
        """There was nothing to run: leave no trace."""
        atexit.unregister(self.finish)
        self.stop_saver()
        self.last_words.remove()
        self.release_signals()

    def forget(self) -> None:
        """In a forked child: it runs at full speed, its signals are plain python's, and it has no
        profile to write."""
        self.pid = 0
        self.profile.disable()
        atexit.unregister(self.finish)
        self.last_words.remove()
        self.release_signals()
        self.after_fork()

    def before_fork(self) -> None:
        """Let signals wait until the child has plain python's handlers: it would lose them."""
        with unrecorded:
            ours = [number for number in ENDING if signal.getsignal(number) is self.handler]
            self.masks[get_ident()] = signal.pthread_sigmask(signal.SIG_BLOCK, ours)

    def after_fork(self) -> None:
        with unrecorded:
            mask = self.masks.pop(get_ident(), None)
            if mask is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)

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

    def before_exit(self, status: Any) -> None:
        """The program calls os._exit: nothing of it runs after that."""
        if -(2**31) <= index(status) < 2**31:  # else os._exit is going to raise
            self.end()

    def before_exec(self, path: object, *args: object, **names: object) -> None:
        """The program wants another one in its place. When that fails, this one goes on."""
        if os.getpid() != self.pid or not can_be_executed(path):
            return
        with unrecorded, self.lock:
            if not self.over:
                self.write()
                if self.saver is not None:
                    self.saver.put_off()

    def finish(self) -> None:
        """The program is over. Never raises: its own end is the last word."""
        if not self.end():
            return
        self.last_words.remove()
        self.release_signals()
        # What the code that it kept alive is to free, it frees while the program's modules stand.
        self.profile.clear()
        if self.late_signal is not None:
            die_of(self.late_signal)
        if self.interrupted:
            die_of_interrupt_at_exit()

    def end(self) -> bool:
        """Record no more and write the profile; False when that was done, or is not ours to do.

        Whoever comes while another thread is at it waits: it may be about to end the process.
        """
        if os.getpid() != self.pid:
            return False
        held = hold_interrupts()
        try:
            with self.lock:
                if self.over:
                    return False
                self.over = True
                self.profile.disable()
                self.write()
        finally:
            release_interrupts(held)
        self.stop_saver()
        return True

    def stop_saver(self) -> None:
        if self.saver is not None:
            self.saver.stop()

    def save(self) -> None:
        """In between, from the saver's thread. What goes wrong is said once, and tried again."""
        with self.lock:
            if self.over or not self.recorded or self.file is None:
                return
            try:
                self.file.save(self.capture())
            except Exception as error:
                reason = getattr(error, "strerror", None) or repr(error)
                if not self.save_failed:
                    say(f"could not write {self.file.name}: {reason}; trying again", self.stderr)
                self.save_failed = True

    def write(self) -> None:
        try:
            with self.room:
                self.put_out(self.capture())
        except Exception as error:
            say(f"the profile is lost: {error!r}", self.stderr)

    def capture(self) -> Capture:
        from tracer.capture import Capture, RunInfo

        usage = resource.getrusage(resource.RUSAGE_SELF)
        real = perf_counter() - self.clock
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
