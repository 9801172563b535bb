"""What becomes of the profile when the program has ended, in whichever way it ended.

The recorder is told before the program starts, so that its atexit function runs after all of the
program's, and its signal handlers stand where nobody else's do. Only the process that made it acts.
How the other ends are noticed is in lastwords.py, and when to save before any end in saver.py.

A file is written with what is loaded before the program starts. The table takes modules that are
imported at the end, where the program may have left others of their names, or half of one: then the
profile is saved instead.
"""

from __future__ import annotations

import _frozen_importlib as importlib_bootstrap
import atexit
import os
import sys
from _operator import index
from _thread import RLock, get_ident
from time import monotonic, perf_counter, sleep, time
from types import MethodType

from tracer._core import call_aside, call_through, unrecorded, usage
from tracer.commands.lastwords import LastWords, can_be_executed
from tracer.commands.output import ProfileFile, flush, is_closed, quote, rescue, say, write_text
from tracer.commands.room import Room
from tracer.writing import dumps, section_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from tracer._core import Profiler
    from tracer.commands.saver import Saver
else:
    import _signal as signal  # the program may have a signal.py of its own

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
        self.last = MethodType(call_through, self.finish)
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
        atexit.register(self.last)
        for number in ENDING:
            if signal.getsignal(number) == signal.SIG_DFL:
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
        self.user, self.system, _ = usage()

    def start_saver(self, seconds: float) -> None:
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
        atexit.unregister(self.last)
        self.stop_saver()
        self.last_words.remove()
        self.release_signals()
        self.room.spare.release()

    def forget(self) -> None:
        """In a forked child: it runs at full speed, its signals are plain python's, and it has no
        profile to write."""
        self.pid = 0
        self.profile.disable()
        atexit.unregister(self.last)
        self.last_words.remove()
        self.release_signals()
        self.room.spare.release()
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

        Whoever comes while another thread is at it waits: it may be about to end the process. From
        here on Ctrl-C has nothing to interrupt.
        """
        if os.getpid() != self.pid:
            return False
        hold_interrupts()
        with self.lock:
            if self.over:
                return False
            self.over = True
            self.profile.disable()
            self.write()
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
                self.file.save(self.contents())
            except Exception as error:
                reason = getattr(error, "strerror", None) or repr(error)
                if not self.save_failed:
                    say(f"could not write {self.file.name}: {reason}; trying again", self.stderr)
                self.save_failed = True

    def write(self) -> None:
        try:
            with self.room:
                self.put_out(self.section())
        except Exception as error:
            say(f"the profile is lost: {error!r}", self.stderr)

    def contents(self) -> bytes:
        return dumps(self.section())

    def section(self) -> dict[str, Any]:
        """What tracer's part of a profile file is to hold."""
        user, system, ru_maxrss = usage()
        run = {
            "command": tuple(self.words),
            "started": self.started,
            "real": perf_counter() - self.clock,
            "user": user - self.user,
            "system": system - self.system,
            "max_memory": max_memory(ru_maxrss),
        }
        return section_of(self.profile.snapshot(), run)

    def put_out(self, section: dict[str, Any]) -> None:
        if self.file is None:
            self.print_table(section)
            return
        data = dumps(section)
        try:
            self.file.save(data)
        except OSError as error:
            rescue(data, f"could not write {self.file.name}: {error.strerror}", self.stderr)
            return
        if self.stderr is not None and not is_closed(self.stderr) and self.stderr.isatty():
            name = quote(self.file.name)
            say(f"wrote {name}; to see it: {self.prog} show {name}", self.stderr)

    def print_table(self, section: dict[str, Any]) -> None:
        try:
            if sys.stdout is not None and not is_closed(sys.stdout):
                flush(sys.stdout)  # what the program printed comes first
        except OSError:
            if sys.stdout is self.stdout:
                return  # the interpreter is going to say so, as it would without us
        except Exception:
            pass  # a signal came while the program was writing there, or its own stream failed
        try:
            text, notes = self.render(section)
        except BaseException as error:
            return rescue(dumps(section), f"could not make the table: {error!r}", self.stderr)
        problem = "standard output is closed"
        for stream in (self.stdout, sys.stdout):
            try:
                if stream is not None and not is_closed(stream):
                    write_text(text, stream)
                    for note in notes:
                        say(note, self.stderr)
                    return
            except ValueError:
                continue  # the program took its buffer away
            except OSError as error:
                problem = f"could not write to standard output: {error.strerror}"
                break
            except Exception as error:
                problem = f"could not write to the program's sys.stdout: {error!r}"
        rescue(dumps(section), problem, self.stderr)

    def render(self, section: dict[str, Any]) -> tuple[str, list[str]]:
        if not imports_can_be_made():
            raise ImportError("another thread is in the middle of importing")
        from tracer.commands.table import render_section

        return render_section(section, self.values)


def imports_can_be_made() -> bool:
    """Whether no other thread keeps a module of the standard library to itself, for a second.

    It does while it imports it. That may wait for this very thread, which would wait for it.
    """
    locks = vars(importlib_bootstrap)["_module_locks"]
    patience = monotonic() + 1
    while any(
        is_held(reference(), get_ident())
        for name, reference in list(locks.items())
        if name.partition(".")[0] in sys.stdlib_module_names
    ):
        if monotonic() > patience:
            return False
        sleep(0.001)
    return True


def is_held(lock: Any, me: int) -> bool:
    return lock is not None and lock.owner not in (None, me)


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


def hold_interrupts() -> None:
    """Let Ctrl-C do nothing: the program is over, and the profile takes but a moment to write."""
    try:
        signal.signal(signal.SIGINT, lambda number, frame: None)
    except ValueError:
        return  # not the main thread


def max_memory(ru_maxrss: int) -> int:
    """The most memory the process had, in bytes.

    Linux lets ru_maxrss begin at what the process that started this one used, so it is the last
    resort there.
    """
    try:
        status = os.open("/proc/self/status", os.O_RDONLY)
    except OSError:
        return ru_maxrss if sys.platform == "darwin" else ru_maxrss * 1024
    try:
        for line in os.read(status, 2**16).splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    finally:
        os.close(status)
    return ru_maxrss if sys.platform == "darwin" else ru_maxrss * 1024
