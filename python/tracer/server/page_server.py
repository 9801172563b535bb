"""Serves the page over HTTP to whoever has its address, and to nobody else.

A table of routes lists all that can be asked for: no path or name in a request leads to a file.
page/ makes the page; live_viewer.py makes the answers for a program that still runs.
"""

from __future__ import annotations

import hmac
import io
import re
import socket
from _thread import start_new_thread
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from socketserver import BaseServer
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from tracer._core import call_untracked
from tracer.server.address import AnySocket, is_loopback, new_token, url_of

# [address] or a name, each maybe with a port; or an IPv6 address without brackets and port.
HOST = re.compile(
    r"\[([0-9a-f:.]+)\](?::[0-9]{1,5})?|([^\s:\[\]]+)(?::[0-9]{1,5})?|([0-9a-f.]*(?::[0-9a-f.]*){2,})"
)
HTML = "text/html; charset=utf-8"
BYTES = "application/octet-stream"
TEXT = "text/plain; charset=utf-8"

MOST_CONNECTIONS = 32  # at a time; a browser opens six
LARGEST_HEAD = 32 * 2**10  # bytes of a request
HEAD_SECONDS = 10  # from the connection to the end of the request
PIECE = 2**18  # bytes; the client must take each within PIECE_SECONDS
PIECE_SECONDS = 30

# In every answer. The page holds its own policy, so that a page in a file has the policy, too.
SAFE_HEADERS = (
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)
NOTHING_ALLOWED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

# For the page, whose own policy allows its script and style by their hashes.
PAGE_POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

NOT_THIS_HOST = (
    "This server does not answer to the name that it was asked by: use its address as it was "
    "printed, or start it with --allow-host NAME."
)
FROM_ELSEWHERE = "Only the page itself may ask for this."


class Answer(NamedTuple):
    """What a route returns."""

    body: bytes
    kind: str = BYTES
    policy: str = NOTHING_ALLOWED  # Content-Security-Policy
    status: HTTPStatus = HTTPStatus.OK
    headers: tuple[tuple[str, str], ...] = ()


# Answers by method and by the path behind the token: ("GET", "data"). HEAD is answered as GET is.
# Several threads call the functions.
Routes = Mapping[tuple[str, str], Callable[[], Answer]]
# Answers to GET by the first part of such a path; what is behind the slash is given, decoded.
NamedRoutes = Mapping[str, Callable[[str], Answer]]


class Server(BaseServer):
    """Answers at `url` from serve_forever() until shutdown(); then call server_close(). A Server
    owns its listener.

    allowed: host names to answer to, beside those of this machine.
    """

    def __init__(
        self,
        listener: AnySocket,
        routes: Routes,
        allowed: Iterable[str] = (),
        token: str | None = None,
        named: NamedRoutes | None = None,
    ) -> None:
        self.token: str = token or new_token()
        self.url: str = url_of(listener, self.token)
        self.routes = routes
        self.named: NamedRoutes = named or {}
        self.is_private: bool = is_loopback(listener)
        self.listener: socket.socket = socket.socket(fileno=listener.detach())
        self.names: set[str] = {"localhost", *own_names(), *map(plain_name, allowed)}
        self.free: BoundedSemaphore = BoundedSemaphore(MOST_CONNECTIONS)
        self.is_interrupted: bool = False
        super().__init__(self.listener.getsockname(), Handler)

    def start(self) -> None:
        """Serve from a thread that neither profiles nor `threading` know. The thread does not keep
        the process from ending. Raises RuntimeError if the system refuses a thread."""
        start_new_thread(call_untracked, (self.serve_forever,))

    def interrupt(self, number: int, frame: object) -> None:
        """Raise KeyboardInterrupt: a handler of signals. serve_forever() raises it again where it
        was lost, as in a callback that the import of a module has."""
        self.is_interrupted = True
        raise KeyboardInterrupt

    # -- What BaseServer calls --------------------------------------------------------------

    def fileno(self) -> int:
        return self.listener.fileno()

    def service_actions(self) -> None:
        if self.is_interrupted:
            raise KeyboardInterrupt

    def server_close(self) -> None:
        self.listener.close()

    def get_request(self) -> tuple[socket.socket, Any]:
        return self.listener.accept()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, which is like that of start()."""
        if not self.free.acquire(blocking=False):
            request.close()
            return
        try:
            start_new_thread(call_untracked, (self.process, request, client_address))
        except RuntimeError:  # the system refuses a thread
            self.free.release()
            request.close()

    def process(self, request: socket.socket, client_address: Any) -> None:
        try:
            self.finish_request(request, client_address)
            request.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the client has gone
        except Exception:
            self.handle_error(request, client_address)
        finally:
            request.close()
            self.free.release()

    @cached_property
    def whole_name(self) -> str:
        """The name of this machine with its domain. Finding it may ask the network."""
        return plain_name(socket.getfqdn())

    # -- Who may ask for what ---------------------------------------------------------------

    def answers_to(self, hosts: list[str]) -> bool:
        """Whether these Host headers name this machine. The owner of a name may point it at any
        address at any time. A page under such a name must not pass for ours."""
        if len(hosts) != 1:
            return False
        name = plain_name(hosts[0])
        if name in self.names or name.endswith(".localhost") or is_ip_address(name):
            return True
        return not self.is_private and name == self.whole_name

    def route(self, method: str, path: str) -> Callable[[], Answer] | None:
        """The route for a path; None for an unknown path, or another token."""
        empty, token, name = [*path.split("/", 2), "", ""][:3]
        ours = hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())
        if not ours or empty:
            return None
        if path.count("/") == 1:
            return self.redirect
        method = "GET" if method == "HEAD" else method
        first, slash, rest = name.partition("/")
        if method == "GET" and slash and first in self.named:
            return partial(self.named[first], decoded(rest))
        return self.routes.get((method, name))

    def redirect(self) -> Answer:
        """Answers the address without its last slash, which is easily lost in copying."""
        there = ("Location", f"/{self.token}/")
        return Answer(b"", TEXT, status=HTTPStatus.FOUND, headers=(there,))


class Head(io.RawIOBase):
    """The first bytes of a connection: LARGEST_HEAD at most, within HEAD_SECONDS."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.left: int = LARGEST_HEAD
        self.end: float = monotonic() + HEAD_SECONDS

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        seconds = self.end - monotonic()
        if seconds <= 0:
            raise TimeoutError
        if self.left == 0:
            return 0
        self.connection.settimeout(seconds)
        count = self.connection.recv_into(buffer, min(len(buffer), self.left))
        self.left -= count
        return count


class Handler(BaseHTTPRequestHandler):
    """One request. The connection is closed after the answer."""

    server: Server

    def setup(self) -> None:
        super().setup()
        self.head: Head = Head(self.connection)
        self.rfile: io.BufferedReader[Head] = io.BufferedReader(self.head)

    def do_GET(self) -> None:
        self.answer()

    def do_HEAD(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def answer(self) -> None:
        if self.head.left == 0:
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif not self.server.answers_to(self.headers.get_all("Host", [])):
            self.refuse(HTTPStatus.FORBIDDEN, NOT_THIS_HOST)
        elif (route := self.server.route(self.command, self.path)) is None:
            self.refuse(HTTPStatus.NOT_FOUND)
        elif self.command == "POST" and not self.is_of_the_page():
            self.refuse(HTTPStatus.FORBIDDEN, FROM_ELSEWHERE)
        elif self.has_body():
            self.refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self.send(route())

    def has_body(self) -> bool:
        lengths = self.headers.get_all("Content-Length", [])
        return "Transfer-Encoding" in self.headers or any(length != "0" for length in lengths)

    def is_of_the_page(self) -> bool:
        """Whether the browser says that a page of ours asks. Every browser sends one of these
        headers with a POST, and no page can change them."""
        site = self.headers.get_all("Sec-Fetch-Site", [])
        origin = self.headers.get_all("Origin", [])
        return (
            bool(site or origin)
            and all(value == "same-origin" for value in site)
            and all(value == f"http://{self.headers['Host']}" for value in origin)
        )

    def send(self, answer: Answer) -> None:
        self.send_response_only(answer.status)
        for name, value in (*SAFE_HEADERS, *answer.headers):
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", answer.policy)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Connection", "close")
        self.connection.settimeout(PIECE_SECONDS)
        self.end_headers()
        if self.command != "HEAD":
            for start in range(0, len(answer.body), PIECE):
                self.connection.sendall(memoryview(answer.body)[start : start + PIECE])
        self.close_connection = True

    def refuse(self, status: HTTPStatus, text: str = "") -> None:
        self.send(Answer(f"{text or status.phrase}\n".encode(), TEXT, status=status))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """For the base class. Its messages hold parts of the request, which are not sent back."""
        self.refuse(HTTPStatus(code))

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def decoded(text: str) -> str:
    """The text that the page's encoded() made such a part of an address of: one that Python cannot
    write as UTF-8, too."""
    data = unquote_to_bytes(text)
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")  # it is not of the page


def plain_name(host: str) -> str:
    """The name in a Host header, without port, brackets and a dot at its end. Empty if the header
    has another form."""
    found = HOST.fullmatch(host.strip().lower())
    return "" if found is None else next(filter(None, found.groups())).removesuffix(".")


def own_names() -> set[str]:
    """The names that this machine goes by."""
    name = plain_name(socket.gethostname())
    short = name.partition(".")[0]
    return {name, short, f"{short}.local"} - {""}


def is_ip_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
