"""--live: what is recorded until now, for a process that shows it while the program runs.

That process makes the page and answers the browsers: none of its modules are imported here, and its
time is not the program's. Here is how it comes to be, and the thread that hands it a snapshot when
it asks for one. What it does is in tracer/server/live_viewer.py.
"""

from __future__ import annotations

import _socket
import marshal
import os
from _thread import TIMEOUT_MAX
from errno import EBADF
from time import monotonic, thread_time

from tracer.data.section import MARSHAL_VERSION
from tracer.launch.background_thread import Companion, Thread
from tracer.launch.descriptors import HeldFile, close_all_but, moved_up
from tracer.launch.errors import UsageError
from tracer.launch.output import say
from tracer.server.address import AddressError, AnySocket, listen, new_token, url_of
from tracer.server.browser import remarks
from tracer.server.live_protocol import LAST, NOTHING_YET, SNAPSHOT, head_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from tracer._core import Profiler

    Result = TypeVar("Result")
    # The token; names by which it may be asked for; the page's title; whether with source texts.
    Served = tuple[str, tuple[str, ...], str, bool]

# A snapshot that took a second is the last one for this many seconds: less than 1.5% of the time.
REST = 75
PAUSE = 0.25  # seconds between two looks whether a snapshot is wanted
PATIENCE = 5.0  # seconds in which what is handed over has to be taken

# Else the system ends a program that left SIGPIPE at its default, when there is no viewer any more.
NO_SIGNAL = getattr(_socket, "MSG_NOSIGNAL", 0)


class Channel(HeldFile):
    """The way to the viewer: a socket whose descriptor the program may close at any time."""

    def use(self, timeout: float, work: Callable[[AnySocket], Result]) -> Result:
        """What work(socket) gives. Raises OSError, also when it is not ours any more."""
        self.expect_ours()
        channel = AnySocket(fileno=self.number)
        try:
            channel.settimeout(timeout)  # the program may have set another for all sockets
            self.expect_ours()  # it may have come to run in between
            return work(channel)
        finally:
            channel.detach()

    def expect_ours(self) -> None:
        if not self.is_ours():
            raise OSError(EBADF, "the program has closed it")


class Live(Companion):
    """Shows what section() gives, which is None as long as there is nothing, from start() until
    finish(). Raises UsageError when the address cannot be had."""

    def __init__(
        self,
        profile: Profiler,
        section: Callable[[], dict[str, Any] | None],
        where: tuple[str, int],
        served: Served,
    ) -> None:
        super().__init__(profile)
        self.section = section
        try:
            self.listener: AnySocket = listen(*where, "give another after --live=")
        except AddressError as error:
            raise UsageError(str(error)) from None
        self.served = served
        url = url_of(self.listener, served[0])
        self.lines: list[str] = [f"live at {url} while the program runs", *remarks(self.listener)]
        self.due: float = 0.0

    def start(self) -> None:
        try:
            self.channel: Channel = Channel(start_viewer(self.listener, self.served))
        except OSError as error:
            raise UsageError(
                f"cannot start a process for --live: {error.strerror}; leave --live out"
            ) from None
        super().start()

    def finish(self, section: dict[str, Any] | None) -> None:
        self.stop()
        if section is not None:
            self.hand_over(LAST, section)
        self.channel.close()

    def forget(self) -> None:
        """In a forked child, which the viewer is not to wait for."""
        self.over = True
        self.channel.close()

    def work(self, thread: Thread) -> None:
        while not thread.stop.acquire(timeout=min(max(0.0, self.due - monotonic()), TIMEOUT_MAX)):
            self.due = monotonic() + PAUSE
            if self.is_wanted():
                began = thread_time()
                section = self.seen()
                self.hand_over(NOTHING_YET if section is None else SNAPSHOT, section, began)
                self.due = monotonic() + max(PAUSE, REST * (thread_time() - began))

    def seen(self) -> dict[str, Any] | None:
        try:
            return self.section()
        except Exception:
            return None  # there was no memory for it just now

    def is_wanted(self) -> bool:
        """Whether the viewer has asked for a snapshot."""
        try:
            return self.channel.use(0, lambda channel: channel.recv(1)) != b""
        except OSError:
            return False  # nothing has come

    def hand_over(
        self, kind: bytes, section: dict[str, Any] | None, began: float | None = None
    ) -> None:
        """To nobody, when the viewer has gone or the program has closed the way to it. `began` is
        when the thread set about it, by its own time."""

        def send(channel: AnySocket) -> None:
            channel.sendall(head, NO_SIGNAL)
            channel.sendall(data, NO_SIGNAL)

        try:
            data = marshal.dumps(section, MARSHAL_VERSION)
            rest = 0.0 if began is None else REST * (thread_time() - began)
            head = head_of(kind, rest, len(data))
            self.channel.use(PATIENCE, send)
        except (OSError, MemoryError):
            self.channel.close()  # half of it may be on the way


def start(
    profile: Profiler,
    section: Callable[[], dict[str, Any] | None],
    where: tuple[str, int],
    allow_host: tuple[str, ...],
    title: str,
    with_sources: bool,
) -> list[Live]:
    """A Live at work, whose address is said. Raises UsageError."""
    live = Live(profile, section, where, (new_token(), allow_host, title, with_sources))
    try:
        live.start()
    except RuntimeError as error:
        live.finish(None)
        raise UsageError(f"cannot start a thread for --live ({error}); leave --live out") from None
    for line in live.lines:
        say(line)
    return [live]


def start_viewer(listener: AnySocket, served: Served) -> int:
    """Start the process that answers at `listener`; the descriptor by which it is talked to.

    It is no child of this process, which a program that waits for its children would see.
    """
    ours, theirs = _socket.socketpair()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.fork() == 0:
                asked, handed = moved_up(listener.detach()), moved_up(theirs.detach())
                be_alone(asked, handed)
                from tracer.server.live_viewer import view

                view(asked, handed, *served)
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    listener.close()
    theirs.close()
    number = ours.detach()
    if status:
        os.close(number)
        raise OSError(None, "the system refuses")
    return number


def be_alone(*kept: int) -> None:
    """Have nothing in common with the program: no terminal and no open file but those kept."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    close_all_but(*kept)
    os.nice(10)
