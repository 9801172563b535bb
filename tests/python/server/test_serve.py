"""The page over HTTP: who is answered, what of, and what no request can do. Clients that are slow
or rude are in test_serve_rude.py, and where a server listens in test_listening.py.
"""

import socket
import threading

import pytest

import tracer
from asking import ask, port_of, raw, serving, status
from rows import begun
from tracer.server import page_server
from tracer.server.address import listen
from tracer.server.page_server import BYTES, HTML, PAGE_POLICY, Answer, Server, plain_name

PAGE = Answer(b"<!DOCTYPE html><p>page", HTML, PAGE_POLICY)
DATA = Answer(bytes(range(256)) * 4)


@pytest.fixture
def saves():
    return []


@pytest.fixture
def server(saves):
    def save():
        saves.append(1)
        return Answer(b"capture")

    routes = {
        ("GET", ""): lambda: PAGE,
        ("GET", "data"): lambda: DATA,
        ("POST", "capture"): save,
    }
    with serving(routes, allowed=["box.example"]) as server:
        yield server


# -- What is answered ------------------------------------------------------------------------


def test_page_and_data(port, home):
    code, headers, body = ask(port, home)
    assert (code, body, headers["Content-Type"]) == (200, PAGE.body, HTML)
    assert headers["Content-Security-Policy"] == PAGE_POLICY
    code, headers, body = ask(port, f"{home}data")
    assert (code, body, headers["Content-Type"]) == (200, DATA.body, BYTES)
    assert headers["Content-Length"] == str(len(DATA.body))


def test_head_is_get_without_the_body(port, home):
    code, headers, body = ask(port, f"{home}data", "HEAD")
    assert (code, body, headers["Content-Length"]) == (200, b"", str(len(DATA.body)))


def test_address_without_its_last_slash_leads_there(port, home):
    code, headers, body = ask(port, home[:-1])
    assert (code, headers["Location"], body) == (302, home, b"")


@pytest.mark.parametrize("path", ["", "data", "nothing"])
def test_every_answer_has_the_headers_that_make_it_safe(port, home, path):
    _, headers, _ = ask(port, home + path)
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    if path:
        assert headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert "Server" not in headers
    assert "Access-Control-Allow-Origin" not in headers


def test_url(server):
    assert server.url == f"http://127.0.0.1:{port_of(server)}/{server.token}/"


# -- The token -------------------------------------------------------------------------------


def test_nothing_without_the_token(port, home, server, saves):
    wrong = [
        "/",
        "//",
        "/data",
        "//data",
        f"/{'0' * 32}/",
        f"/{'0' * 32}/data",
        f"/{server.token[:-1]}/data",
        f"/{server.token}0/data",
        f"/{server.token.upper()}x/data",
        f"/x{home}data",
        "/%00/data",
        "/\xff\xfe/data",
        "data",
        "*",
        f"http://127.0.0.1:{port}{home}data",
        f"/?token={server.token}",
    ]
    answers = {ask(port, path)[0::2] for path in wrong}
    assert answers == {(404, b"Not Found\n")}
    assert ask(port, f"/{'0' * 32}/capture", "POST", Sec_Fetch_Site="same-origin")[0] == 404
    assert not saves


def test_token_is_compared_in_constant_time(monkeypatch, port, home):
    compared = []

    def compare_digest(given, ours):
        compared.append((given, ours))
        return given == ours

    monkeypatch.setattr(page_server.hmac, "compare_digest", compare_digest)
    assert status(port, "/wrong/data") == 404
    assert status(port, "/") == 404
    assert [given for given, _ in compared] == [b"wrong", b""]


@pytest.mark.parametrize(
    "path",
    [
        "index.html",
        "data/",
        "data/x",
        "/data",
        "../data",
        "..%2fdata",
        "data?x=1",
        "data#x",
        "DATA",
        "dat%61",
        "%2e%2e/%2e%2e/etc/passwd",
        "../../../../etc/passwd",
        "/etc/passwd",
        "capture",
        "style.css",
        "__init__.py",
        "data\x00",
        "x" * 5000,
    ],
)
def test_only_the_routes_are_there(port, home, path, saves):
    assert ask(port, home + path)[0::2] == (404, b"Not Found\n")
    assert not saves


# -- The name it is asked by -----------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:1",
        "LOCALHOST.",
        "tracer.localhost:8080",
        "127.0.0.1",
        "127.8.8.8:99",
        "192.168.1.5:8080",
        "[::1]:8080",
        "[::1]",
        "[fe80::1]:1",
        socket.gethostname(),
        f"{socket.gethostname().partition('.')[0]}.local:80",
        "box.example",
        "Box.Example.:4000",
    ],
)
def test_names_of_this_machine(port, home, host):
    assert status(port, home, host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evillocalhost",
        "box.example.evil.example",
        "evil.example#localhost",
        "localhost/evil",
        "[evil.example]",
        "0177.0.0.1",
        "2130706433",
        "127.1",
        "user@localhost",
        ":80",
        " ",
    ],
)
@pytest.mark.parametrize("path", ["", "data"])
def test_any_other_name_is_refused(port, home, host, path):
    code, headers, body = ask(port, home + path, host=host)
    assert code == 403
    assert body == f"{page_server.NOT_THIS_HOST}\n".encode()
    assert headers["Content-Type"] == page_server.TEXT


def test_no_host_or_two_are_refused(port, home):
    assert status(port, home, host="") == 403
    head = f"GET {home} HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"
    assert raw(port, head.encode()).startswith(b"HTTP/1.0 403 ")
    assert raw(port, f"GET {home} HTTP/1.0\r\n\r\n".encode()).startswith(b"HTTP/1.0 403 ")


def test_the_network_is_asked_for_the_own_name_only_where_others_can_ask(monkeypatch):
    monkeypatch.setattr(page_server.socket, "getfqdn", lambda: "box.whole.example")
    for host, answers in (("127.0.0.1", False), ("0.0.0.0", True)):
        server = Server(listen(host, 0), {})
        assert server.answers_to(["box.whole.example:80"]) is answers
        assert not server.answers_to(["evil.example"])
        server.server_close()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[::1]:80", "::1"),
        (" A.B.:1 ", "a.b"),
        ("::1", "::1"),
        ("localhost", "localhost"),
        ("[", ""),
        ("", ""),
        ("[::1].evil.example", ""),
        ("localhost:99999999", ""),
        ("localhost\n evil.example", ""),
        ("a:b", ""),
    ],
)
def test_plain_names(text, name):
    assert plain_name(text) == name


# -- Saving ----------------------------------------------------------------------------------


def test_capture_is_saved_from_the_page(port, home, saves):
    for headers in (
        {"Sec_Fetch_Site": "same-origin"},
        {"Origin": f"http://127.0.0.1:{port}"},
        {"Sec_Fetch_Site": "same-origin", "Origin": f"http://127.0.0.1:{port}"},
    ):
        code, _, body = ask(port, f"{home}capture", "POST", Content_Length="0", **headers)
        assert (code, body) == (200, b"capture")
    assert len(saves) == 3


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1"},
        {"Origin": "https://127.0.0.1:PORT"},
        {"Origin": "http://127.0.0.1:PORT.evil.example"},
        {"Sec_Fetch_Site": "same-origin", "Origin": "http://evil.example"},
        {"Sec_Fetch_Site": "cross-site", "Origin": "http://127.0.0.1:PORT"},
    ],
)
def test_capture_is_saved_from_nowhere_else(port, home, headers, saves):
    headers = {name: value.replace("PORT", str(port)) for name, value in headers.items()}
    code, _, body = ask(port, f"{home}capture", "POST", **headers)
    assert (code, body) == (403, f"{page_server.FROM_ELSEWHERE}\n".encode())
    assert not saves


@pytest.mark.parametrize("headers", [{"Content_Length": "1"}, {"Transfer_Encoding": "chunked"}])
def test_no_request_has_a_body(port, home, headers, saves):
    headers["Sec_Fetch_Site"] = "same-origin"
    assert status(port, f"{home}capture", "POST", **headers) == 413
    assert not saves


def test_nothing_else_is_posted(port, home):
    for path in ("", "data", "nothing"):
        assert status(port, home + path, "POST", Sec_Fetch_Site="same-origin") == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "send"])
def test_other_methods(port, home, method):
    code, _, body = ask(port, f"{home}data", method)
    assert (code, body) == (501, b"Not Implemented\n")


# -- Beside a profile ------------------------------------------------------------------------


def test_threads_of_the_server_are_in_no_profile(server, port, home):
    before = threading.active_count()
    with tracer.Profile() as profile:
        for _ in range(3):
            status(port, home)
    names = {label[2] for label in begun(profile)}
    assert "create_connection" in names
    assert not names & {"finish_request", "parse_request", "handle", "do_GET"}
    assert [t.thread.name for t in tracer.Stats(profile).threads if t.total_calls] == ["MainThread"]
    assert threading.active_count() == before
