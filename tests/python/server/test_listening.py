"""Where a server listens: addresses, what they are called, and tokens. Who is answered there is in
test_serve.py.
"""

from typing import NamedTuple

import pytest

from tracer.server.address import AddressError, is_loopback, listen, new_token, url_of
from tracer.server.browser import SCREENS, remarks


def test_the_url_names_the_port_that_was_free():
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    assert url_of(listener, "token") == f"http://127.0.0.1:{port}/token/"
    listener.close()


def test_tokens_are_long_and_differ():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {32}


@pytest.mark.parametrize(
    ("host", "loopback"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_what_only_this_machine_can_reach(host, loopback):
    listener = listen(host, 0)
    assert is_loopback(listener) is loopback
    assert ("0.0.0.0" in url_of(listener, "t")) is False
    listener.close()


class Listener(NamedTuple):
    """A socket that listens at an address, which need not be one of this machine."""

    address: tuple

    def getsockname(self):
        return self.address


@pytest.mark.parametrize(
    ("address", "beginning"),
    [
        (("10.0.0.1", 80), "warning: this is open to whoever can reach 10.0.0.1, unencrypted"),
        (("0.0.0.0", 80), "warning: this is open to other machines, unencrypted"),
        (("fd00::1", 80, 0, 0), "warning: this is open to whoever can reach fd00::1, unencrypted"),
        (("::", 80, 0, 0), "warning: this is open to other machines, unencrypted"),
        (("127.0.0.1", 80), "from another machine: ssh -N -L 80:127.0.0.1:80 "),
        (("::1", 80, 0, 0), "from another machine: ssh -N -L 80:[::1]:80 "),
        (("127.0.0.2", 80), "from another machine: ssh -N -L 127.0.0.2:80:127.0.0.2:80 "),
    ],
)
def test_who_can_reach_an_address_is_said(monkeypatch, address, beginning):
    for name in SCREENS:
        monkeypatch.delenv(name, raising=False)
    (remark,) = remarks(Listener(address))
    assert remark.startswith(beginning)


def test_addresses_that_cannot_be_had():
    taken = listen("127.0.0.1", 0)
    port = taken.getsockname()[1]
    with pytest.raises(AddressError, match=rf"^port {port} of 127.0.0.1 is in use$"):
        listen("127.0.0.1", port)
    taken.close()
    listen("127.0.0.1", port).close()  # at once
    with pytest.raises(AddressError, match=r"^cannot listen on 192.0.2.1: "):
        listen("192.0.2.1", 0)
    with pytest.raises(AddressError, match=r"^'no such host' is no address of this machine: "):
        listen("no such host", 0)
