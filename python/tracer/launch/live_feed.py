"""--live: starts the viewer, a process of its own, and sends it snapshots while the program runs.

A thread sends a snapshot when the viewer asks for one, and so a census of live objects, or the
paths to some. The viewer (tracer/server/live_viewer.py) makes the page and answers browsers, in its
own time and not in the program's.
"""

from __future__ import annotations

import _socket
import marshal
import os
from errno import EBADF
from time import monotonic, thread_time

from tracer.data.section import MARSHAL_VERSION
from tracer.launch.background_thread import BackgroundWorker, Thread
from tracer.launch.descriptors import HeldFile, close_all_but, moved_up
from tracer.launch.errors import UsageError
from tracer.launch.live_objects import Objects
from tracer.launch.output import say
from tracer.server.address import AddressError, AnySocket, listen, new_token, url_of
from tracer.server.browser import remarks
from tracer.server.live_protocol import (
    CENSUS,
    CENSUS_WANTED,
    LAST,
    NAME_SIZE,
    NOTHING_YET,
    NUMBER_SIZE,
    PATHS,
    PATHS_WANTED,
    SNAPSHOT,
    WANTED,
    head_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from tracer._core import Profiler

    Result = TypeVar("Result")
    # The token; host names that browsers may use; the page's title; whether source texts are shown.
    Served = tuple[str, tuple[str, ...], str, bool]

# After a snapshot of one second the thread rests this many seconds: overhead stays below 1.5%.
REST = 75
PAUSE = 0.25  # seconds between two checks for a request
PATIENCE = 5.0  # seconds within which the viewer must take a snapshot

# Without this flag a viewer that has gone ends a program that left SIGPIPE at its default.
NO_SIGNAL = getattr(_socket, "MSG_NOSIGNAL", 0)


class Channel(HeldFile):
    """The socket to the viewer. The program may close its descriptor at any time."""

    def use(self, timeout: float, work: Callable[[AnySocket], Result]) -> Result:
        """The result of work(socket). Raises OSError, also when the program closed the socket."""
        self.expect_ours()
        channel = AnySocket(fileno=self.number)
        try:
            channel.settimeout(timeout)  # the program may have set a default
            self.expect_ours()  # the program may have run in between
            return work(channel)
        finally:
            channel.detach()

    def expect_ours(self) -> None:
        if not self.is_ours():
            raise OSError(EBADF, "the program has closed it")


class Live(BackgroundWorker):
    """Shows the profile from start() until finish(). section() returns it, or None while there is
    none. Raises UsageError when the address cannot be used."""

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
        self.notes: list[str] = [f"live at {url} while the program runs", *remarks(self.listener)]
        self.due: float = 0.0  # when the next snapshot may be taken
        self.wanted: set[bytes] = set()  # snapshot and census, where the viewer waits for them
        self.objects: Objects = Objects()

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
        """Called in a forked child: the viewer must not wait for the child."""
        self.over = True
        self.channel.close()

    def work(self, thread: Thread) -> None:
        wait = 0.0
        while not thread.rest(wait):
            wait = PAUSE
            while request := self.request():
                if request == PATHS_WANTED:
                    self.find_paths()
                else:
                    self.wanted.add(request)
            if WANTED in self.wanted and monotonic() >= self.due:
                self.wanted.discard(WANTED)
                self.take_snapshot()
            if CENSUS_WANTED in self.wanted and self.objects.rest == 0:
                self.wanted.discard(CENSUS_WANTED)
                self.hand_over(CENSUS, self.objects.census(), lambda: self.objects.rest)

    def seen(self) -> dict[str, Any] | None:
        try:
            return self.section()
        except Exception:
            return None  # out of memory, perhaps not for long

    def take_snapshot(self) -> None:
        began = thread_time()
        section = self.seen()
        kind = NOTHING_YET if section is None else SNAPSHOT
        self.hand_over(kind, section, lambda: REST * (thread_time() - began))
        self.due = monotonic() + max(PAUSE, REST * (thread_time() - began))

    def request(self) -> bytes:
        """The next request of the viewer's; empty if none has come."""
        try:
            return self.channel.use(0, lambda channel: channel.recv(1))
        except OSError:
            return b""

    def find_paths(self) -> None:
        """Answer a request for paths, of which the first byte was read."""

        def received(channel: AnySocket) -> tuple[int, bytes]:
            number = int.from_bytes(channel.recv(NUMBER_SIZE), "little")
            length = int.from_bytes(channel.recv(NAME_SIZE), "little")
            return number, channel.recv(length)  # short, and sent at once with the byte before

        try:
            number, encoded = self.channel.use(PATIENCE, received)
            name = encoded.decode("utf-8", "surrogatepass")
        except (OSError, UnicodeError):
            self.channel.close()  # what comes next is no request
            return
        self.hand_over(PATHS, self.objects.paths(name), lambda: self.objects.rest, number)

    def hand_over(
        self,
        kind: bytes,
        answer: Any,
        rest: Callable[[], float] | None = None,
        number: int = 0,
    ) -> None:
        """Send an answer, which may be a section, to the request of this number; do nothing if the
        viewer has gone or the program closed the channel. rest(): the seconds until the program
        answers again; None: 0."""

        def send(channel: AnySocket) -> None:
            channel.sendall(head, NO_SIGNAL)
            channel.sendall(data, NO_SIGNAL)

        try:
            data = marshal.dumps(answer, MARSHAL_VERSION)
            head = head_of(kind, number, 0.0 if rest is None else rest(), len(data))
            self.channel.use(PATIENCE, send)
        except (OSError, MemoryError):
            self.channel.close()  # a part may have been sent


def start(
    profile: Profiler,
    section: Callable[[], dict[str, Any] | None],
    where: tuple[str, int],
    allow_host: tuple[str, ...],
    title: str,
    with_sources: bool,
) -> list[Live]:
    """A list with a started Live. Its address is printed. Raises UsageError."""
    live = Live(profile, section, where, (new_token(), allow_host, title, with_sources))
    try:
        live.start()
    except RuntimeError as error:
        live.finish(None)
        raise UsageError(f"cannot start a thread for --live ({error}); leave --live out") from None
    for line in live.notes:
        say(line)
    return [live]


def start_viewer(listener: AnySocket, served: Served) -> int:
    """Start the viewer, which answers at `listener`. Returns the descriptor of the socket to it.

    The viewer is no child of this process: a program that waits for its children would see it.
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
    """Share nothing with the program: no terminal, and no open file but `kept`."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    close_all_but(*kept)
    os.nice(10)
