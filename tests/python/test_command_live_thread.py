"""The thread of --live, and the way to the viewer, which is a socket's other end here."""

import threading
import time
from itertools import pairwise

import pytest

from tracer._core import Profiler
from tracer.launch import live_feed as live
from tracer.launch.live_feed import REST, Live


def test_rests_fifty_times_as_long_as_a_snapshot_took(monkeypatch):
    assert REST >= 50
    taken = []

    def section():
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
        taken.append(time.monotonic())
        return {}

    monkeypatch.setattr(live, "start_viewer", lambda *_: ends[0].detach())
    ends = live._socket.socketpair()
    shown = Live(Profiler(), section, ("127.0.0.1", 0), ("token", (), "title", True))
    shown.start()
    shown.listener.close()
    for _ in range(3):
        ends[1].sendall(b"?")
    end = time.monotonic() + 60
    while not taken and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.5)
    shown.finish(None)  # which waits for a snapshot that is being taken
    assert 0.02 * REST <= shown.due - taken[-1] < 10 * REST
    assert all(later - before >= 0.02 * REST for before, later in pairwise(taken))
    ends[1].close()


def test_a_program_that_takes_the_descriptor_in_the_middle(tmp_path, monkeypatch):
    """It may close it and open a file of its own between any two looks at it."""
    monkeypatch.setattr(live, "start_viewer", lambda *_: ends[0].detach())
    ends = live._socket.socketpair()
    shown = Live(Profiler(), dict, ("127.0.0.1", 0), ("token", (), "title", True))
    shown.start()
    shown.listener.close()
    shown.stop()
    channel = shown.channel
    ends[1].sendall(b"?")
    looks = iter((True, False))
    with monkeypatch.context() as patch:
        patch.setattr(channel, "is_ours", lambda: next(looks))
        assert not shown.is_wanted()
    assert shown.is_wanted()  # the question was not taken
    with open(tmp_path / "mine", "w+b") as mine, monkeypatch.context() as patch:
        patch.setattr(channel, "is_ours", lambda: True)
        patch.setattr(channel, "number", mine.fileno())
        patch.setattr(channel, "close", lambda: None)
        assert not shown.is_wanted()
        shown.hand_over(live.LAST, {})
        assert mine.read() == b""
    shown.finish(None)
    ends[1].close()


@pytest.mark.parametrize("takes", [True, False])
def test_a_viewer_has_time_to_take_it_but_not_for_ever(takes, monkeypatch):
    monkeypatch.setattr(live, "start_viewer", lambda *_: ends[0].detach())
    monkeypatch.setattr(live, "PATIENCE", 60 if takes else 0.1)
    ends = live._socket.socketpair()
    shown = Live(Profiler(), dict, ("127.0.0.1", 0), ("token", (), "title", True))
    shown.start()
    shown.listener.close()
    time.sleep(0.2)  # it asks whether there is a question, and waits for none
    section = {"much": bytes(2**24)}  # more than a socket holds
    end = threading.Thread(target=shown.finish, args=(section,), daemon=True)
    end.start()
    taken = 0
    if takes:
        time.sleep(0.2)
        while data := ends[1].recv(2**20):
            taken += len(data)
    end.join(20)
    given_up = not end.is_alive()
    ends[1].close()
    assert given_up
    assert taken > 2**24 or not takes
