"""Asking a server of tracer's as a browser does, and as none does: raw bytes over a socket."""

import socket
from contextlib import contextmanager
from http.client import HTTPResponse

from tracer.server.address import listen
from tracer.server.page_server import Server

PATIENCE = 300  # seconds: only what will never come takes as long


@contextmanager
def serving(routes, **options):
    """A Server of these routes on a free port of this machine."""
    server = Server(listen("127.0.0.1", 0), routes, **options)
    server.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def port_of(server):
    return server.listener.getsockname()[1]


def raw(port, data, *, end=True):
    """Everything that comes back for these bytes."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(data)
        if end:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(2**16):
            answer += piece
        return answer


def ask(port, path, method="GET", host=None, **headers):
    """The answer to one request: (status, headers, body). Header names have _ for -."""
    host = f"127.0.0.1:{port}" if host is None else host
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}" if host else "X-No: Host"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        response = HTTPResponse(connection, method=method)
        response.begin()
        return response.status, response.headers, response.read()


def status(port, path, method="GET", host=None, **headers):
    return ask(port, path, method, host, **headers)[0]
