"""--live on the command line: which addresses it takes, and what it says of them."""

import re

import pytest

from asking import ask
from launch import environment, traced, write
from tracer.launch.errors import UsageError
from tracer.server.address import listen
from unnoticed import ADDRESS, ENDLESS, LEAF, SCREEN, running, without_threads

pytestmark = pytest.mark.results


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", ("127.0.0.1", 0)),
        ("8080", ("127.0.0.1", 8080)),
        ("0.0.0.0:8080", ("0.0.0.0", 8080)),
        ("[::1]:0", ("::1", 0)),
        ("localhost:1", ("localhost", 1)),
        ("[half:1", ("[half", 1)),
    ],
)
def test_places(text, place):
    assert live_option().read(text) == place


def live_option():
    from tracer.cli.options.run import RunOptions

    return next(option for option in RunOptions.OPTIONS if option.name == "live")


@pytest.mark.parametrize(
    "text", ["x", "-1", "65536", "host:", ":80", "host:x", "1:2:x", "²", "1" * 5000]
)
def test_no_places(text):
    with pytest.raises(UsageError, match=re.escape(f"--live={text}: give PORT or HOST:PORT")):
        live_option().read(text)


def test_port_in_use(folder):
    taken = listen("127.0.0.1", 0)
    port = taken.getsockname()[1]
    write(folder / "program.py", "open('ran', 'w')\n")
    found = traced(f"--live={port}", "program.py", cwd=folder)
    assert found.returncode == 2
    assert found.stderr.decode() == (
        f"tracer: port {port} of 127.0.0.1 is in use; give another after --live=\n"
    )
    assert not (folder / "ran").exists()
    taken.close()


def test_allow_host_without_live(folder):
    write(folder / "program.py", "")
    found = traced("--allow-host", "x", "program.py", cwd=folder)
    line = "tracer: --allow-host is of no use without --live; give it, too\n"
    assert (found.returncode, found.stderr.decode()) == (2, line)


def test_host_that_is_allowed(folder):
    with running(folder, ENDLESS, "--allow-host", "box.example") as (_, port, path):
        assert ask(port, path, host="box.example:80")[0] == 200
        assert ask(port, path, host="evil.example:80")[0] == 403


def test_open_to_others_is_warned_of_and_no_screen_is_helped(folder):
    write(folder / "program.py", "")
    hidden = environment()
    for name in SCREEN:
        hidden.pop(name, None)
    found = traced("--live=0.0.0.0:0", "program.py", cwd=folder, env=hidden)
    address, warning = found.stderr.decode().splitlines()
    assert "0.0.0.0" not in address
    assert warning.startswith("tracer: warning: this is open to other machines, unencrypted: ")
    found = traced("--live", "program.py", cwd=folder, env=hidden)
    address, remark = found.stderr.decode().splitlines()
    port = ADDRESS.fullmatch(f"{address}\n")[2]
    assert remark.startswith(f"tracer: from another machine: ssh -N -L {port}:127.0.0.1:{port} ")


def test_no_thread_to_be_had(folder):
    write(folder / "program.py", LEAF)
    found = without_threads("--live", "program.py", cwd=folder)
    line = "tracer: cannot start a thread for --live (no more threads); leave --live out\n"
    assert (found.returncode, found.stderr.decode(), found.stdout) == (2, line, b"")
