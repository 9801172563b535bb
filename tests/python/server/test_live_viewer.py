"""The process behind --live, run here: how long it serves, and how often it makes a page's data.
With a program, and as a process of its own: test_command_live.py."""

import socket
import threading
from types import SimpleNamespace

import pytest

from asking import status
from rows import Clock
from tracer.server import live_viewer
from tracer.server.address import listen
from tracer.server.live_viewer import LINGER, MAKING, QUIET, SHORTEST_WAIT, Pages, Snapshot, view
from tracer.server.page_server import Server


def test_it_serves_until_the_program_has_ended(monkeypatch):
    """Also while nobody looks."""

    class Served(Server):
        def __init__(self, *words):
            super().__init__(*words)
            servers.append(self)

    servers = []
    monkeypatch.setattr(live_viewer, "LINGER", 0)
    monkeypatch.setattr(live_viewer, "Server", Served)
    program, channel = socket.socketpair()
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    words = (listener.detach(), channel.detach(), "token", (), "title", False)
    viewer = threading.Thread(target=view, args=words, daemon=True)
    viewer.start()
    assert status(port, "/token/") == 200
    viewer.join(0.2)  # as long as it may take to see that it ends too early
    assert viewer.is_alive()
    program.close()
    viewer.join(300)
    assert not viewer.is_alive()
    servers[0].shutdown()
    servers[0].server_close()


@pytest.mark.parametrize(
    ("making", "rest", "wait"),
    [(0.1, 0.5, SHORTEST_WAIT), (0.1, 7.0, 7.0), (5.0, 7.0, 5.0 * MAKING)],
)
def test_data_that_took_long_is_kept_for_long(monkeypatch, making, rest, wait):
    clock = Clock()
    clock.now = 100.0

    def data_of(*args):
        clock.now += making
        yield b"data"

    program = SimpleNamespace(over=False, snapshot=lambda seconds: Snapshot(1, b"", rest, 0.0))
    pages = Pages(program, "title", texts=False)
    monkeypatch.setattr(live_viewer, "monotonic", lambda: clock.now)
    monkeypatch.setattr(live_viewer, "data_of", data_of)
    monkeypatch.setattr(live_viewer, "ProfileSet", lambda *args, **names: None)
    monkeypatch.setattr(live_viewer, "shown", lambda stats, *, is_running: None)
    monkeypatch.setattr(pages, "capture_of", lambda snapshot: SimpleNamespace(run=None))
    assert pages.data().body == b"data"
    assert pages.next == pytest.approx(100 + making + wait)
    assert MAKING == 4


def test_pages_that_know_of_the_end_are_waited_for_less_long(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(live_viewer, "monotonic", lambda: clock.now)
    pages = Pages(SimpleNamespace(objects=None), "title")
    pages.opened = 2
    for pages.endings, seconds in (1, LINGER), (2, QUIET):
        clock.now = pages.looked + seconds - 0.5
        assert pages.is_looked_at()
        clock.now += 1
        assert not pages.is_looked_at()
        pages.looks = 1  # whose answer is under way
        assert pages.is_looked_at()
        pages.looks = 0
