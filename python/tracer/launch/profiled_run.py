"""A run of a program under a profile, which is written once, in whichever way the program ends.

Its atexit function is registered before the program's, and so runs last. Only the process that made
the run acts. exit_hooks.py notices the other ends. run_section.py makes what is written, and
profile_output.py puts it out. autosave.py and live_feed.py work beside the program.
"""

from __future__ import annotations

import atexit
import os
import sys
from _operator import index
from _thread import RLock
from types import MethodType

from tracer._core import call_through, call_untracked, unrecorded
from tracer.data.section import RUNNING
from tracer.launch.errors import UsageError, hide_own_frames, reason_of
from tracer.launch.exit_hooks import (
    EndingSignals,
    ExitHooks,
    can_be_executed,
    die_of_interrupt_at_exit,
    hold_interrupts,
)
from tracer.launch.interpreter_state import InterpreterState, Uncollected
from tracer.launch.run_section import BESIDE, NOWHERE, RunSection, end_by, end_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType
    from typing import Any

    from tracer._core import Profiler
    from tracer.launch.background_thread import BackgroundWorker
    from tracer.launch.line_timing import LineTiming
    from tracer.launch.profile_output import ProfileOutput
    from tracer.launch.program import Program
    from tracer.launch.timeline_file import TimelineFile

READY = "ready"  # the program is being found and compiled
RECORDING = "recording"  # code of the program has run
OVER = "over"  # the profile is being written, or is written
GIVEN_UP = "given up"  # there is no profile to write: nothing ran, or this is a forked child
# The states that may follow each state.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    READY: (RECORDING, OVER, GIVEN_UP),
    RECORDING: (OVER, GIVEN_UP),
    OVER: (GIVEN_UP,),
    GIVEN_UP: (),
}


class ProfiledRun:
    """One run, and its profile. `lines` times lines; None if no lines are timed."""

    def __init__(
        self,
        profile: Profiler,
        lines: LineTiming | None,
        words: list[str],
        output: ProfileOutput,
        *,
        keeps_sources: bool = True,
        timeline_file: TimelineFile | None = None,
    ) -> None:
        self.profile = profile
        self.lines = lines
        self.words = words
        self.output = output
        self.keeps_sources = keeps_sources
        self.state: str = READY
        self.ended: str = ""  # as RunInfo has it
        self.interrupted: bool = False  # whether an uncaught KeyboardInterrupt ended the run
        self.pid: int = os.getpid()
        self.lock: RLock = RLock()  # held while the profile is written
        self.workers: list[BackgroundWorker] = []
        self.section: RunSection = RunSection(
            profile,
            lines,
            words,
            keeps_sources=keeps_sources,
            reads_files=output.file is not None,
        )
        self.timeline_file: TimelineFile | None = timeline_file
        self.section.timeline_file = timeline_file
        self.exit_function: MethodType = MethodType(call_through, self.at_exit)
        self.signals: EndingSignals = EndingSignals(profile, self.at_signal)
        self.exit_hooks: ExitHooks = ExitHooks(self.before_exit, self.before_exec)
        # After a traceback the interpreter reads its first __main__ once more. The program's
        # __main__ has replaced that module, so a reference keeps it alive.
        self.started_with: ModuleType | None = sys.modules.get("__main__")
        self.interpreter_state: InterpreterState = InterpreterState()

    def go_to(self, state: str) -> bool:
        """Enter `state` if it may follow. Returns whether it may."""
        follows = state in TRANSITIONS[self.state]
        if follows:
            self.state = state
        return follows

    def is_ours(self) -> bool:
        """Whether this process made the run: a forked child did not."""
        return os.getpid() == self.pid

    # -- Called by the command ---------------------------------------------------------------------

    def start(
        self,
        *,
        live: tuple[str, int] | None = None,
        allow_host: tuple[str, ...] = (),
        save_every: float | None = None,
    ) -> None:
        """Notice every end of the process from now on. Raises UsageError.

        `live` is the host and port where the profile is shown while the program runs. `allow_host`
        holds the host names that browsers may use there. `save_every` is in seconds."""
        if live is not None:
            from tracer.launch import live_feed

            title = " ".join(self.words)
            self.workers += live_feed.start(
                self.profile, self.section_until_now, live, allow_host, title, self.keeps_sources
            )
        atexit.register(self.exit_function)
        self.signals.install()
        self.exit_hooks.install()
        if self.lines is not None:
            try:
                self.lines.start()
            except UsageError:
                self.cancel()
                raise
        # Never unregistered: the run lives as long as the interpreter.
        os.register_at_fork(
            before=MethodType(call_untracked, self.before_fork),
            after_in_parent=MethodType(call_untracked, self.after_fork),
            after_in_child=MethodType(call_untracked, self.after_fork_in_child),
        )
        if save_every is not None or self.timeline_file is not None:
            from tracer.launch import autosave

            if save_every is None:
                savers = autosave.start(self.profile, self.save, 1.0, autosave.SHORT_REST)
            else:
                savers = autosave.start(self.profile, self.save, save_every, autosave.REST)
            self.workers[:0] = savers
        if self.workers:
            from tracer.launch.background_thread import keep_from_forks

            keep_from_forks(self.workers)
        self.section.start_clock()

    def run(self, program: Program) -> None:
        """Run the program to its end. Raises what the program raises."""
        try:
            try:
                code, namespace = program.prepare(self.record_call)
                code = self.prepared(program, code, namespace)
            except BaseException as error:
                if self.state == READY or isinstance(error, UsageError):
                    self.cancel()  # the program did not run: keep an older FILE
                raise
            if program.text is not None:
                self.section.text = program.text
                if self.lines is not None:
                    self.lines.add_text(code, program.text)
            try:
                self.record_call(exec, code, namespace)
            finally:
                call_untracked(program.flush)
        except BaseException as error:
            call_untracked(hide_own_frames, error, self.note_end, program.leave)
            raise
        call_untracked(program.leave)

    def prepared(self, program: Program, code: CodeType, namespace: dict[str, Any]) -> CodeType:
        """The code to run in place of the program's. Raises UsageError."""
        return code

    def note_end(self, error: BaseException) -> BaseException:
        """Note how the program ends that raises `error`. Returns `error`."""
        self.ended = end_by(error)
        self.interrupted = type(error) is KeyboardInterrupt
        return error

    def record_call(self, function: Callable[..., object], /, *args: object) -> object:
        """Call `function`, a builtin that runs a part of the program; record what it calls."""
        self.go_to(RECORDING)
        if self.lines is not None and self.lines.are_alone:
            return function(*args)
        return self.profile.record_call(function, *args)

    def cancel(self) -> None:
        """Leave no trace: there was nothing to run."""
        self.give_up()
        if self.timeline_file is not None:
            self.timeline_file.remove()
        self.stop_workers(None)

    # -- Called by the interpreter -----------------------------------------------------------------

    def at_exit(self) -> None:
        """The program is over. Never raises: the program's own end stands."""
        # Garbage is collected right after this, by the interpreter and where no code runs.
        with Uncollected():
            if not self.end():
                return
            self.exit_hooks.remove()
            self.signals.remove()
            # The profile kept code objects alive. Freeing them now finds the program's modules
            # intact.
            self.profile.clear()
            if self.lines is not None:
                self.lines.stop()
                self.lines = self.section.lines = None
        self.signals.die_of_late()
        if self.interrupted:
            die_of_interrupt_at_exit()

    def at_signal(self, ended: str) -> bool:
        """A signal is about to end the process. False while the profile is being written."""
        if self.state == OVER:
            return False
        if self.is_ours():
            self.ended = ended
            self.at_exit()
        return True

    def before_exit(self, status: Any) -> None:
        """The program calls os._exit: no code of the program runs after that."""
        if -(2**31) <= index(status) < 2**31:  # otherwise os._exit raises
            self.ended = end_with(index(status))
            self.end()

    def before_exec(self, path: object, *args: object, **names: object) -> None:
        """The program replaces itself by another. If that fails, this program goes on."""
        if not self.is_ours() or not can_be_executed(path):
            return
        self.profile.note_exec()
        with unrecorded, self.lock:
            if self.state in (READY, RECORDING):
                self.write()
                if self.timeline_file is not None:
                    self.timeline_file.remove()
                for worker in self.workers:
                    worker.put_off()

    def before_fork(self) -> None:
        self.signals.before_fork()
        self.profile.hold_timeline(True)

    def after_fork(self) -> None:
        self.profile.hold_timeline(False)
        self.signals.after_fork()

    def after_fork_in_child(self) -> None:
        """A forked child is not profiled: it has plain python's speed and signal handlers, and
        writes no profile."""
        self.give_up()
        if self.timeline_file is not None:
            self.timeline_file.forget()
        for worker in self.workers:
            worker.forget()
        self.signals.after_fork()

    # -- Called by the workers, from their threads -------------------------------------------------

    def save(self) -> None:
        """Save what has been recorded so far. Only the first error is printed."""
        with self.lock:
            if self.state == RECORDING:
                self.output.save_early(self.section_to_save)
                if self.timeline_file is not None:
                    self.timeline_file.sweep()

    def section_to_save(self) -> dict[str, Any]:
        return self.section.make(RUNNING, is_over=False, timeline=BESIDE)

    def section_until_now(self) -> dict[str, Any] | None:
        """What has been recorded so far, without source files; None when there is nothing."""
        with self.lock:
            if self.state != RECORDING:
                return None
            return self.section.make(RUNNING, is_over=False, texts=False, timeline=NOWHERE)

    # -- The end -----------------------------------------------------------------------------------

    def end(self) -> bool:
        """Stop recording and write the profile. False if that was done, or in a forked child.

        While one thread writes, a second caller waits, because the second may be about to end the
        process. From here on Ctrl-C is ignored.
        """
        if not self.is_ours():
            return False
        hold_interrupts()
        with self.lock:
            if not self.go_to(OVER):
                return False
            self.disable()
            section = self.write()
            if self.timeline_file is not None:
                self.timeline_file.remove()
        self.stop_workers(section)
        return True

    def write(self) -> dict[str, Any] | None:
        """Write or print the profile. Returns its section, or None if none could be made."""
        section = None
        try:
            with self.interpreter_state:
                section = self.section.make(self.ended, is_over=self.state == OVER)
                problem = self.section.add_phases(section)
                self.output.put(section, self.section.text)
                if problem:
                    self.output.say(f"{problem}; the profile is kept without its phases")
        except Exception as error:
            self.output.say(f"the profile is lost: {reason_of(error)}")
        return section

    def give_up(self) -> None:
        """Stop recording, remove all hooks, and write nothing."""
        self.go_to(GIVEN_UP)
        self.disable()
        atexit.unregister(self.exit_function)
        self.exit_hooks.remove()
        self.signals.remove()
        self.interpreter_state.spare.release()

    def disable(self) -> None:
        self.profile.disable()
        if self.lines is not None:
            self.lines.recorder.disable()

    def stop_workers(self, section: dict[str, Any] | None) -> None:
        """Finish all workers. `section` is the whole profile, which --live shows last."""
        for worker in self.workers:
            worker.finish(section)
