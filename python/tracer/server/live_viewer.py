"""The process that shows a program's profile while the program runs: `--live`.

It asks the program for a snapshot when somebody looks, makes the page's data once for all who look,
and ends with the program. launch/live_feed.py starts this process, and says how often the program
answers.
"""

from __future__ import annotations

import marshal
import socket
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from threading import Condition, Lock, Thread
from time import monotonic, sleep
from typing import NamedTuple, ParamSpec

from tracer.data.capture import Capture
from tracer.data.profile_set import ProfileSet
from tracer.data.section import files_of, named_and_timed
from tracer.data.types import RunInfo
from tracer.page.document import RUNNING, data_of, page_of, shown
from tracer.page.run_facts import source_of
from tracer.server.address import AnySocket
from tracer.server.live_objects import Objects, json_of
from tracer.server.live_protocol import (
    CENSUS,
    HEAD_SIZE,
    LAST,
    NOTHING_YET,
    PATHS,
    WANTED,
    parts_of_head,
)
from tracer.server.page_server import HTML, PAGE_POLICY, Answer, NamedRoutes, Routes, Server
from tracer.source.texts import texts_of

SHORTEST_WAIT = 1.0  # seconds between two requests of a page, at least
MAKING = 4  # data that took a second to make is kept for so many: others need the CPU
PATIENCE = 20.0  # seconds to wait for a snapshot; there is none while C code holds the GIL
LINGER = 10.0  # seconds that a page has to ask once more after the program has ended
QUIET = 3.0  # seconds without a request: nobody looks any more, if all pages know of the end
FEW_SECONDS = 3.0  # to wait for a newer snapshot, if there is an older one

_Words = ParamSpec("_Words")

NOTHING_TO_SEE = Answer(b"", status=HTTPStatus.NO_CONTENT)


class Snapshot(NamedTuple):
    number: int
    data: bytes
    rest: float  # seconds until the program gives another snapshot
    due: float  # that moment, as a value of monotonic()
    last: bool = False


class Program:
    """The connection to the program, and its latest snapshot."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.changed: Condition = Condition()
        self.latest: Snapshot = Snapshot(0, b"", 0.0, 0.0)
        self.over: bool = False
        self.answers: int = 0  # all answers, NOTHING_YET included
        self.asked: bool = False
        self.objects: Objects = Objects(self.changed, channel.sendall, lambda: self.over)
        Thread(target=self.receive, daemon=True).start()

    def receive(self) -> None:
        """Receive answers until the program ends, in whichever way."""
        try:
            while not self.latest.last:
                kind, number, rest, length = parts_of_head(received(self.channel, HEAD_SIZE))
                data = received(self.channel, length)
                with self.changed:
                    if kind in (CENSUS, PATHS):
                        self.objects.take(kind, number, rest, data)
                        self.changed.notify_all()
                        continue
                    self.answers += 1
                    if kind != NOTHING_YET:
                        due = monotonic() + rest
                        before = self.latest.number
                        self.latest = Snapshot(before + 1, data, rest, due, kind == LAST)
                    self.asked = False
                    self.changed.notify_all()
        except OSError:
            return  # the program ended without a last answer
        finally:
            with self.changed:
                self.over = True
                self.changed.notify_all()

    def snapshot(self, seconds: float = PATIENCE) -> Snapshot:
        """The latest snapshot. If a newer one is due, wait for it, at most so many seconds."""
        end = monotonic() + seconds
        with self.changed:
            before, due = self.answers, self.latest.due
            while self.answers == before and not self.over and due <= monotonic() < end:
                self.ask()
                self.changed.wait(end - monotonic())
            return self.latest

    def ask(self) -> None:
        if not self.asked:
            try:
                self.channel.sendall(WANTED)
                self.asked = True
            except OSError:
                return  # the program has just ended; receive() will notice


def received(channel: socket.socket, count: int) -> bytes:
    """So many bytes. Raises OSError if the connection ends before."""
    data = bytearray()
    while len(data) < count:
        piece = channel.recv(min(count - len(data), 2**20))
        if not piece:
            raise ConnectionResetError
        data += piece
    return bytes(data)


class Pages:
    """The answers to requests for a program's page."""

    def __init__(self, program: Program, title: str, texts: bool = True) -> None:
        self.program = program
        self.title = title
        self.texts = texts
        self.files: frozenset[str] = frozenset()  # those of the functions of the latest snapshot
        self.started: float = 0.0  # when the program was, in seconds since the epoch
        self.opened_files: set[str] = set()  # that a page asked for
        self.making: Lock = Lock()
        self.made: tuple[int, bool, bytes] | None = None  # snapshot's number, running, data
        self.next: float = 0.0  # when the data is made again
        self.looks = 0  # requests that have no answer yet
        self.looked: float = monotonic()  # the last request; at first, one may be under way
        self.opened: int = 0  # how many pages were sent
        self.endings: int = 0  # answers that said that the program is over

    def routes(self) -> Routes:
        return {
            ("GET", ""): self.page,
            ("GET", "data"): self.look(self.data),
            ("GET", "next"): self.look(self.next_data),
            ("POST", "capture"): self.look(self.capture),
            ("POST", "objects/anew"): self.look(self.program.objects.begin_anew),
        }

    def named_routes(self) -> NamedRoutes:
        objects = self.program.objects
        return {
            "objects": self.look(objects.answer),
            "alive": self.look(objects.found),
            "source": self.look(self.source),
        }

    def look(self, answer: Callable[_Words, Answer]) -> Callable[_Words, Answer]:
        def counted(*words: _Words.args, **named: _Words.kwargs) -> Answer:
            self.looks += 1
            try:
                return answer(*words, **named)
            finally:
                self.looks -= 1
                self.looked = monotonic()

        return counted

    def page(self) -> Answer:
        self.opened += 1
        return Answer(page_of(self.title, RUNNING), HTML, PAGE_POLICY)

    def data(self) -> Answer:
        """The page's data of the latest snapshot."""
        with self.making:  # one request makes the data, the others wait for it
            if self.made is None or self.program.over or monotonic() >= self.next:
                self.make(self.program.snapshot(PATIENCE if self.made is None else FEW_SECONDS))
            if self.made is None:
                return NOTHING_TO_SEE
            self.endings += not self.made[1]
            return Answer(self.made[2])

    def next_data(self) -> Answer:
        """The page's data once it is time to ask again, or the program has ended."""
        with self.program.changed:
            left = min(max(0.0, self.next - monotonic()), PATIENCE)
            self.program.changed.wait_for(lambda: self.program.over, left)
        return self.data()

    def make(self, snapshot: Snapshot) -> None:
        running = not self.program.over
        if snapshot.number == 0 or (self.made and self.made[:2] == (snapshot.number, running)):
            return
        began = monotonic()
        capture = self.capture_of(snapshot)
        if running and capture.run is not None:  # the page shows by itself that the program runs
            capture.run = replace(capture.run, ended="")
        stats = ProfileSet(capture, names="qualname")
        wait = max(SHORTEST_WAIT, snapshot.rest)
        save = "capture" if running else None
        live = {
            "running": running,
            "number": snapshot.number,
            "wait": wait,
            "save": save,
            "sources": self.texts,
        }
        data = b"".join(data_of([shown(stats, is_running=running)], self.title, live))
        self.made = snapshot.number, running, data
        now = monotonic()
        self.next = now + max(wait, MAKING * (now - began))

    def capture_of(self, snapshot: Snapshot) -> Capture:
        section = marshal.loads(snapshot.data)
        if self.texts:  # read here, so that the program need not wait
            files = files_of(section, section["lines"])
            named, timed = named_and_timed(section, section["lines"])
            self.files, self.started = frozenset(files), section["run"]["started"]
            texts = texts_of(files, self.started, named, timed | self.opened_files)
            section["sources"] = {**texts, **section["sources"]}
        return Capture(section, RunInfo(**section["run"]))

    def source(self, file: str) -> Answer:
        """The source of a file that functions of the profile name, as the page's JSON has it; null
        where it cannot be read. All later data has it, too."""
        if file not in self.files:
            return Answer(b"", status=HTTPStatus.NOT_FOUND)
        found = texts_of([file], self.started, timed=[file])
        self.opened_files.update(found)
        sources = [source_of(file, *source) for file, source in found.items()]
        return json_of({"source": sources[0] if sources else None})

    def is_looked_at(self) -> bool:
        # A busy page may take long over its data before it asks again.
        quiet = QUIET if self.endings >= self.opened else LINGER
        return self.looks > 0 or monotonic() - self.looked < quiet

    def capture(self) -> Answer:
        """The profile as it is now, as a file to save."""
        snapshot = self.program.snapshot()
        if snapshot.number == 0:
            return NOTHING_TO_SEE
        name = ("Content-Disposition", 'attachment; filename="profile.out"')
        return Answer(self.capture_of(snapshot).dumps(), headers=(name,))


def view(
    listener: int, channel: int, token: str, allowed: tuple[str, ...], title: str, texts: bool
) -> None:
    """Serve a program's page until nobody is left to look. `listener`: the descriptor to serve at.
    `channel`: the descriptor of the connection to the program. `texts`: add source files."""
    program = Program(socket.socket(fileno=channel))
    pages = Pages(program, title, texts)
    listening = AnySocket(fileno=listener)
    server = Server(listening, pages.routes(), allowed, token, pages.named_routes())
    Thread(target=server.serve_forever, daemon=True).start()
    with program.changed:
        program.changed.wait_for(lambda: program.over)
    end = monotonic() + LINGER
    while pages.is_looked_at() and monotonic() < end:
        sleep(0.05)
