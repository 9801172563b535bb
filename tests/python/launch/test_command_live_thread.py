"""The thread of --live, and the way to the viewer, which is a socket's other end here."""

import threading
import time
from itertools import pairwise

import pytest

from launch import plain
from tracer._core import Profiler
from tracer.launch import live_feed as live
from tracer.launch.live_feed import REST, Live

pytestmark = pytest.mark.results


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
    end = time.monotonic() + 300
    while not taken and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.5)
    shown.finish(None)  # which waits for a snapshot that is being taken
    assert 0.02 * REST <= shown.due - taken[-1] < 10 * REST
    assert all(later - before >= 0.02 * REST for before, later in pairwise(taken))
    ends[1].close()


def test_a_program_that_takes_the_descriptor_in_the_middle(tmp_path, monkeypatch):
    """The program may close the descriptor, and open a file there, between any two looks at it."""
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
        assert shown.request() == b""
    assert shown.request() == b"?"  # the question was not taken
    with open(tmp_path / "mine", "w+b") as mine, monkeypatch.context() as patch:
        patch.setattr(channel, "is_ours", lambda: True)
        patch.setattr(channel, "number", mine.fileno())
        patch.setattr(channel, "close", lambda: None)
        assert shown.request() == b""
        shown.hand_over(live.LAST, {})
        assert mine.read() == b""
    shown.finish(None)
    ends[1].close()


@pytest.mark.parametrize("takes", [True, False])
def test_a_viewer_has_time_to_take_it_but_not_for_ever(takes, monkeypatch):
    monkeypatch.setattr(live, "start_viewer", lambda *_: ends[0].detach())
    monkeypatch.setattr(live, "PATIENCE", 300 if takes else 0.1)
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
    end.join(300)
    given_up = not end.is_alive()
    ends[1].close()
    assert given_up
    assert taken > 2**24 or not takes


CLOSING = """
import os, sys
from tracer.launch import descriptors, live_feed

def closerange(low, high, close=os.closerange):
    asked.append((low, high))
    assert high <= 2**16, high
    close(low, high)

def is_open(number):
    try:
        return bool(os.fstat(number))
    except OSError:
        return False

asked = []
os.closerange, os.sysconf = closerange, lambda name: {limit}
descriptors.OPEN_FILES = {folders}
for number in (5, 9, 200, 300):
    os.dup2(0, number)
live_feed.be_alone(9, 200)
left = [number for number in range(400) if is_open(number)]
with open({answer!r}, "w") as answer:
    print(left, asked, file=answer)
"""


def closed(tmp_path, **variables):
    """The descriptors that be_alone(9, 200) leaves open, and the ranges that it had closed."""
    answer = tmp_path / "answer"
    done = plain("-c", CLOSING.format(answer=str(answer), **variables))
    assert done.returncode == 0, done.stderr.decode()
    return answer.read_text()


@pytest.mark.parametrize("limit", [2**30, -1, 256])
def test_what_is_open_is_closed_whatever_the_limit(tmp_path, limit):
    """The system may allow 2**30 descriptors, or set no limit."""
    assert (
        closed(tmp_path, limit=limit, folders="descriptors.OPEN_FILES") == "[0, 1, 2, 9, 200] []\n"
    )


@pytest.mark.parametrize("limit, end", [(2**30, 2**16), (-1, 2**16), (1024, 1024)])
@pytest.mark.parametrize("folder", ["nowhere", "other"])
def test_what_is_open_where_nothing_tells(tmp_path, folder, limit, end):
    """There is no such folder, or it does not tell of all, as /dev/fd of some systems."""
    (tmp_path / "other").mkdir()
    for number in range(3):
        (tmp_path / "other" / str(number)).touch()
    found = closed(tmp_path, limit=limit, folders=(str(tmp_path / folder),))
    assert found == f"[0, 1, 2, 9, 200] [(3, 9), (10, 200), (201, {end})]\n"
