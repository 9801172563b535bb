"""What becomes of the profile when the program has ended, in whichever way it ended.

The recorder is told before the program starts, so that its atexit function runs after all of the
program's, and its signal handlers stand where nobody else's do. Only the process that made it acts.
How the other ends are noticed is in exit_hooks.py, when to save before any end in autosave.py, how
the profile is looked at before it in live.py, and where it goes in profile_output.py.
"""

from __future__ import annotations

import atexit
import os
import sys
from _operator import index
from _thread import RLock, get_ident
from time import perf_counter, time
from types import MethodType

from tracer._core import call_aside, call_through, unrecorded, usage
from tracer.data.section import RUNNING, files_of, section_of
from tracer.launch.errors import UsageError
from tracer.launch.exit_hooks import LastWords, can_be_executed
from tracer.launch.interpreter_state import Room
from tracer.launch.output import ProfileFile, is_lprof
from tracer.launch.process import (
    die_of,
    die_of_interrupt_at_exit,
    end_with,
    hold_interrupts,
    max_memory,
)
from tracer.launch.profile_output import Outlet
from tracer.source.texts import texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from types import CodeType, FrameType, ModuleType
    from typing import Any

    from tracer._core import LineRecorder, Profiler
    from tracer.launch.autosave import Saver
    from tracer.launch.live_feed import Live
else:
    import _signal as signal  # the program may have a signal.py of its own

# Signals that end a process at once and that its user may well send to it.
ENDING: dict[int, str] = {signal.SIGTERM: "SIGTERM", signal.SIGHUP: "SIGHUP"}


class Recorder:
    """Holds one run's profile, and writes or prints it once when the run is over."""

    def __init__(
        self,
        profile: Profiler,
        lines: LineRecorder | None,
        words: list[str],
        values: dict[str, Any],
        file: ProfileFile | None,
        prog: str,
    ) -> None:
        self.profile = profile
        self.lines = lines
        self.text: tuple[str, bytes] | None = None  # the source of a program that is in no file
        self.words = words
        self.values = values
        self.file = file
        # The interpreter calls it in the middle of the program; by way of C it is in no row.
        self.handler: MethodType = MethodType(profile.mute_and_call, self.on_signal)
        self.last: MethodType = MethodType(call_through, self.finish)
        self.last_words: LastWords = LastWords(self.before_exit, self.before_exec)
        self.saver: Saver | None = None
        self.live: Live | None = None
        self.save_failed: bool = False
        self.pid: int = os.getpid()
        self.lock: RLock = RLock()  # whoever writes the profile holds it
        self.recorded: bool = False
        self.over: bool = False
        self.ended: str = ""  # as RunInfo has it
        self.interrupted = False  # whether it was an uncaught KeyboardInterrupt that ended the run
        self.late_signal: int | None = None
        self.masks: dict[int, set[Any]] = {}  # of threads that are forking: their signal masks
        # The interpreter reads the module of the script that it was started with once more when it
        # has shown a traceback, and has let go of it by then: the program's own is in its place.
        self.outer: ModuleType | None = sys.modules.get("__main__")
        self.outlet: Outlet = Outlet(file, values, prog)
        self.room: Room = Room()

    def start(self) -> None:
        if self.values["live"] is not None:
            from tracer.launch import live_feed

            self.live = live_feed.started(self.profile, self.seen, self.values, self.words)
        atexit.register(self.last)
        for number in ENDING:
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, self.handler)
        self.last_words.install()
        if self.lines is not None:
            self.start_lines(self.lines)
        # For good: whatever the program does, the recorder lives as long as the interpreter.
        os.register_at_fork(
            before=MethodType(call_aside, self.before_fork),
            after_in_parent=MethodType(call_aside, self.after_fork),
            after_in_child=MethodType(call_aside, self.forget),
        )
        if self.values["save_every"] is not None:
            from tracer.launch import autosave

            self.saver = autosave.started(self.profile, self.save, self.values["save_every"])
        companions = [one for one in (self.saver, self.live) if one is not None]
        if companions:
            from tracer.launch.background_thread import keep_from_forks

            keep_from_forks(companions)
        self.started: float = time()
        self.clock: float = perf_counter()
        self.user: float
        self.system: float
        self.user, self.system, _ = usage()

    def start_lines(self, lines: LineRecorder) -> None:
        from tracer.launch import line_timing

        if self.file is not None and is_lprof(self.file.name):
            pass
        self.section_of_lines: Callable[[LineRecorder], dict[str, Any]] = line_timing.section_of
        try:
            lines.enable()
        except RuntimeError as error:
            self.cancel()
            raise UsageError(f"lines cannot be timed: {error}") from None

    def learn(self, code: CodeType, text: tuple[str, bytes] | None) -> None:
        """The program's code and, where that is in no file, the name and source it has instead."""
        self.text = text
        if self.lines is None or text is None:
            return
        from tracer.launch.line_timing import add_all
        from tracer.source.statements import learn

        learn(*text)
        if self.values["lines"]:
            add_all(self.lines, code)

    def record_call(self, function: Callable[..., object], /, *args: object) -> object:
        """Record what `function`, a builtin, calls: a part of the program."""
        self.recorded = True
        if self.values["l"]:
            return function(*args)
        return self.profile.record_call(function, *args)

    def cancel(self) -> None:
        """There was nothing to run: leave no trace."""
        atexit.unregister(self.last)
        self.stop_companions(None)
        self.last_words.remove()
        self.release_signals()
        self.room.spare.release()
        self.disable()

    def forget(self) -> None:
        """In a forked child: it runs at full speed, its signals are plain python's, and it has no
        profile to write."""
        self.pid = 0
        self.disable()
        if self.live is not None:
            self.live.forget()
        atexit.unregister(self.last)
        self.last_words.remove()
        self.release_signals()
        self.room.spare.release()
        self.after_fork()

    def disable(self) -> None:
        self.profile.disable()
        if self.lines is not None:
            self.lines.disable()

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
            self.ended = f"by {ENDING[number]}"
            self.finish()
        die_of(number)

    def before_exit(self, status: Any) -> None:
        """The program calls os._exit: nothing of it runs after that."""
        if -(2**31) <= index(status) < 2**31:  # else os._exit is going to raise
            self.ended = end_with(index(status))
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
        self.lines = None
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
            self.disable()
            section = self.write()
        self.stop_companions(section)
        return True

    def stop_companions(self, section: dict[str, Any] | None) -> None:
        """`section` is what those who look are to see last."""
        if self.saver is not None:
            self.saver.stop()
        if self.live is not None:
            self.live.finish(section)

    def save(self) -> None:
        """In between, from the saver's thread. What goes wrong is said once, and tried again."""
        with self.lock:
            if self.over or not self.recorded or self.file is None:
                return
            try:
                self.file.save(self.outlet.dumps(self.section(ended=RUNNING)))
            except Exception as error:
                reason = getattr(error, "strerror", None) or repr(error)
                if not self.save_failed:
                    self.outlet.say(f"could not write {self.file.name}: {reason}; trying again")
                self.save_failed = True

    def seen(self) -> dict[str, Any] | None:
        """What is recorded until now, for those who look; None when there is nothing."""
        with self.lock:
            if self.over or not self.recorded:
                return None
            return self.section(texts=False, ended=RUNNING)

    def write(self) -> dict[str, Any] | None:
        """Write or print the profile; what of it tracer's part of a file holds."""
        section = None
        try:
            with self.room:
                section = self.section()
                self.outlet.put(section, self.text)
        except Exception as error:
            self.outlet.say(f"the profile is lost: {error!r}")
        return section

    def times(self) -> dict[str, float]:
        """How long the program has run until now."""
        user, system, _ = usage()
        real = perf_counter() - self.clock
        return {"real": real, "user": user - self.user, "system": system - self.system}

    def section(self, texts: bool = True, ended: str | None = None) -> dict[str, Any]:
        """What tracer's part of a profile file is to hold; `texts`: with those of source files.
        `ended`: what to say of the run's end, where that is not known yet."""
        memory = max_memory(usage()[2])  # without what is needed to look
        times = self.times() if self.over else None
        lines = None if self.lines is None else self.section_of_lines(self.lines)
        snapshot = self.profile.snapshot()
        # Of a program that goes on, the times are not to be older than what it had done by then.
        times = times or self.times()
        run = {
            "command": tuple(self.words),
            "started": self.started,
            **times,
            "max_memory": memory,
            "python": "CPython {}.{}.{}".format(*sys.version_info),
            "ended": self.ended if ended is None else ended,
        }
        sources: dict[str, tuple[bytes, bool]] | None = None
        if not self.values["no_source"]:
            sources = {}
            if texts and self.file is not None:
                sources = texts_of(files_of(snapshot, lines), self.started)
            if self.text is not None:
                sources[self.text[0]] = self.text[1], False
        return section_of(snapshot, run, lines, sources)
