"""Clients that are no browser, slow or rude, and faults of ours: whatever comes over a connection,
the next request is answered. What requests can ask for is in test_serve.py.
"""

import socket
import threading
import time
from contextlib import suppress

import pytest

from asking import ask, raw, serving, status
from tracer.server import page_server
from tracer.server.page_server import HTML, PAGE_POLICY, Answer

PAGE = Answer(b"<!DOCTYPE html><p>page", HTML, PAGE_POLICY)
LARGE = Answer(bytes(20_000_000))


@pytest.fixture
def server():
    with serving({("GET", ""): lambda: PAGE}) as server:
        yield server


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


# -- What is no request ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01",  # TLS
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1 x\r\n\r\n",
        b"GET /<script>alert(1)</script> x HTTP/1.1\r\n\r\n",
        b"\x00" * 1000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"x: y\r\n" * 200 + b"\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
    ],
)
def test_what_is_no_request_is_no_trouble(port, home, data, capfd):
    answer = raw(port, data)
    assert b" 200 " not in answer and len(answer) < 1000
    assert b"<" not in answer
    assert status(port, home) == 200
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 60_000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X%d: y\r\n" % n for n in range(9000)),
        b"GET /" + b"x" * 100_000,
    ],
    ids=["one long header", "thousands of headers", "a long path"],
)
def test_thousands_of_bytes_of_headers(port, home, head):
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        answer = b""
        try:
            connection.sendall(head)
            while piece := connection.recv(2**16):
                answer += piece
        except ConnectionError:
            pass  # the server did not wait for the end of the head
    assert answer == b"" or b"431" in answer[:13] or b"Request Header" in answer
    assert status(port, home) == 200


# -- Slow and rude clients -------------------------------------------------------------------


def test_slow_client_is_not_waited_for(monkeypatch, port, home):
    monkeypatch.setattr(page_server, "HEAD_SECONDS", 0.3)
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        for _ in range(1000):
            try:
                connection.sendall(b"x")  # each byte alone would be in time
            except OSError:
                break
            time.sleep(0.02)
        else:
            pytest.fail("it goes on and on")
    assert time.monotonic() - began > 0.25
    assert status(port, home) == 200


def test_client_that_takes_nothing_is_not_waited_for(monkeypatch, server, port, home):
    monkeypatch.setattr(page_server, "PIECE_SECONDS", 0.1)
    server.routes = {("GET", "data"): lambda: LARGE}
    for _ in range(page_server.MOST_CONNECTIONS - 1):  # leaves room for one connection
        server.free.acquire()
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(get(f"{home}data"))
        count = len(connection.recv(1))
        assert server.free.acquire(timeout=300)  # the server has given this connection up
        while piece := connection.recv(2**20):
            count += len(piece)
    assert count < len(LARGE.body)


def test_client_that_goes_away(server, port, home, capfd):
    server.routes = {("GET", "data"): lambda: LARGE}
    for _ in range(5):
        connection = socket.create_connection(("127.0.0.1", port), 10)
        connection.sendall(get(f"{home}data"))
        connection.recv(100)
        linger = (1).to_bytes(4, "little") + bytes(4)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)  # no farewell
        connection.close()
    assert ask(port, f"{home}data")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_so_many_connections_and_no_more(server, port, home):
    busy = [
        socket.create_connection(("127.0.0.1", port)) for _ in range(page_server.MOST_CONNECTIONS)
    ]
    while server.free._value:  # until all have been let in
        time.sleep(0.001)
    with suppress(OSError):
        assert raw(port, get(home)) == b""
    for connection in busy:
        connection.close()
    end = time.monotonic() + 300
    while time.monotonic() < end:
        try:
            assert status(port, home) == 200
            break
        except (OSError, ValueError):
            time.sleep(0.05)
    else:
        pytest.fail("it answers nobody any more")


def test_many_at_once(port, home):
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(status(port, home))) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 20


def test_a_fault_of_ours_is_told_and_the_next_is_answered(server, port, home, capfd):
    def fail():
        raise ZeroDivisionError("a fault")

    server.routes = {("GET", "data"): fail, ("GET", ""): lambda: PAGE}
    assert raw(port, get(f"{home}data")) == b""
    assert status(port, home) == 200
    assert "ZeroDivisionError: a fault" in capfd.readouterr().err
