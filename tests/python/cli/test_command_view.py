"""The verbs `view` and `html`: the page of saved profiles, served and as a file.

How it is served is tested in test_serve.py, what the page does in tests/browser.
"""

import gzip
import json
import os
import re
import signal
import sys
import time
from contextlib import contextmanager

import pytest

import tracer
from asking import ask
from launch import environment, plain, refused, start, traced, write
from tracer.server.address import listen

pytestmark = pytest.mark.results

PROGRAM = "import json\ndef leaf(): pass\nfor _ in range(3): leaf()\njson.dumps([1])\n"
ADDRESS = re.compile(r"http://([^ ]+):(\d+)(/[0-9a-f]{32}/)\n")
HIDDEN = environment()
for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
    HIDDEN.pop(name, None)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with two profiles of one program, and one of cProfile's."""
    folder = tmp_path_factory.mktemp("profiles")
    write(folder / "program.py", PROGRAM)
    for name in ("one.out", "two.out"):
        assert traced("-o", name, "program.py", cwd=folder).returncode == 0
    with start("-m", "cProfile", "-o", "plain.out", "program.py", cwd=folder) as process:
        process.wait(300)
    (folder / "no-profile").write_text("no profile\n")
    return folder


@contextmanager
def viewing(folder, *words, env=HIDDEN):
    """(process, port, path) of a `view` at work."""
    with start("-m", "tracer", "view", *words, cwd=folder, env=env) as process:
        try:
            found = ADDRESS.fullmatch(process.stdout.readline().decode())
            assert found, process.stderr.read().decode()
            yield process, int(found[2]), found[3]
        finally:
            process.kill()


def header(body):
    """The JSON of the page's data."""
    data = gzip.decompress(body)
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


# -- view ------------------------------------------------------------------------------------


def test_page_is_served_until_it_is_interrupted(made):
    with viewing(made, "one.out") as (process, port, path):
        status, headers, body = ask(port, path)
        assert (status, body[:15]) == (200, b"<!DOCTYPE html>")
        assert headers["Content-Security-Policy"]
        seen = header(ask(port, f"{path}data")[2])
        assert (seen["title"], seen["live"], len(seen["profiles"])) == ("one.out", None, 1)
        assert ask(port, f"{path}capture", "POST", Sec_Fetch_Site="same-origin")[0] == 404
        assert ask(port, f"{path}one.out")[0] == 404
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=300)
        assert (process.returncode, stdout) == (0, b"")
        line = f"tracer: from another machine: ssh -N -L {port}:127.0.0.1:{port} "
        assert stderr.decode().startswith(line) and stderr.count(b"\n") == 1


def test_several_files_are_added_up(made):
    with viewing(made, "one.out", "two.out") as (_, port, path):
        seen = header(ask(port, f"{path}data")[2])
        assert seen["title"] == "one.out, two.out"
        [profile] = seen["profiles"]
        assert (
            profile["facts"]["calls"]
            == tracer.Stats(made / "one.out", made / "two.out").total_calls
        )


def test_two_files_are_compared(made):
    with viewing(made, "--compare", "one.out", "two.out") as (_, port, path):
        seen = header(ask(port, f"{path}data")[2])
        assert seen["title"] == "one.out → two.out"
        assert [profile["name"] for profile in seen["profiles"]] == ["one.out", "two.out"]


DIFFERENTLY = b"tracer: the two were recorded differently: "


@pytest.mark.parametrize("files", [("plain.out", "one.out"), ("one.out", "plain.out")])
def test_names_of_cprofile_and_of_tracer_match(made, files):
    """cProfile knows no qualified names, so both profiles bear the names of pstats."""
    with viewing(made, "--compare", *files) as (process, port, path):
        seen = header(ask(port, f"{path}data")[2])["profiles"]
        first = process.stderr.readline()
    assert first == DIFFERENTLY + b"by different profilers\n"
    for profile in seen:
        names = set(profile["rows"]["name"])
        assert {"leaf", "encode", "<built-in method builtins.isinstance>"} <= names
        assert not {"JSONEncoder.encode", "<builtins.isinstance>"} & names
        assert profile["facts"]["unlike"] == [first.decode()[len("tracer: ") : -1]]


def test_names_are_qualified_where_both_profiles_have_them(made):
    with viewing(made, "--compare", "one.out", "two.out") as (_, port, path):
        for profile in header(ask(port, f"{path}data")[2])["profiles"]:
            assert {"leaf", "JSONEncoder.encode"} < set(profile["rows"]["name"])
            assert profile["facts"]["unlike"] == []


def test_files_of_cprofile(made):
    with viewing(made, "plain.out") as (_, port, path):
        [profile] = header(ask(port, f"{path}data")[2])["profiles"]
        assert "in proportion" in profile["rule"]


def test_port_and_address(made):
    free = listen("127.0.0.1", 0)
    port = free.getsockname()[1]
    line = f"port {port} of 127.0.0.1 is in use; give another after -a or -p"
    assert refused("view", "-p", str(port), "one.out", cwd=made, env=HIDDEN) == line
    free.close()
    with viewing(made, "-p", str(port), "--allow-host", "box.example", "one.out") as (
        _,
        ours,
        path,
    ):
        assert ours == port
        assert ask(port, path, host="box.example")[0] == 200
        assert ask(port, path, host="evil.example")[0] == 403
    with viewing(made, "-a", "0.0.0.0", "one.out") as (process, port, path):
        assert ask(port, path)[0] == 200
        process.send_signal(signal.SIGINT)
        warning = process.stderr.read().decode()
        assert warning.startswith("tracer: warning: this is open to other machines, unencrypted: ")


@pytest.mark.parametrize("no_browser", [False, True])
def test_browser_is_opened(made, tmp_path, no_browser):
    browser = write(tmp_path / "browser", '#!/bin/sh\necho "$1" >"$0.opened"\n')
    browser.chmod(0o755)
    words = ["--no-browser"] if no_browser else []
    with viewing(made, *words, "one.out", env={**HIDDEN, "BROWSER": str(browser)}) as (
        _,
        port,
        path,
    ):
        end = time.monotonic() + (1 if no_browser else 60)
        opened = tmp_path / "browser.opened"
        while not (opened.exists() and opened.read_text()) and time.monotonic() < end:
            time.sleep(0.01)
        assert opened.exists() is not no_browser
        assert no_browser or opened.read_text() == f"http://127.0.0.1:{port}{path}\n"


def test_a_browser_that_runs_in_the_terminal_is_answered(made, tmp_path):
    """tracer is not told more of the browser until it ends."""
    code = "import sys, urllib.request as it; print(it.urlopen(sys.argv[1]).status)"
    text = f'#!/bin/sh\n"{sys.executable}" -c "{code}" "$1" >&2\n'
    browser = write(tmp_path / "browser", text)
    browser.chmod(0o755)
    with viewing(made, "one.out", env={**HIDDEN, "BROWSER": str(browser)}) as (process, _, _):
        assert process.stderr.readline() == b"200\n"


def test_no_browser_to_be_had(made):
    with viewing(made, "one.out", env={**HIDDEN, "BROWSER": "/no/such/browser"}) as (process, _, _):
        line = process.stderr.readline()
        assert line == b"tracer: no browser could be opened: open the address yourself\n"


LOST = """
import os, signal, sys
from tracer.cli.main import main
from tracer.server.page_server import Server

class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            pass  # until the handler has raised, which nobody can catch here

def serve(server, serve=Server.serve_forever):
    Dying()
    serve(server)

Server.serve_forever = serve
sys.exit(main(["view", "one.out"]))
"""


def test_ctrl_c_ends_it_where_the_exception_is_lost(made):
    write(made / "lost.py", LOST)
    ended = plain("lost.py", cwd=made)
    assert b"Exception ignored" in ended.stderr  # "in", from 3.14 on "while calling"
    assert ended.returncode == 0


@pytest.mark.parametrize("text", ["x", "-1", "65536", "1.5", ""])
def test_no_port(made, text):
    line = f"-p {text!r}: give the number of a port, from 0 (any) to 65535"
    assert refused("view", "-p", text, "one.out", cwd=made, env=HIDDEN) == line


def test_no_address(made):
    line = refused("view", "-a", "no such host", "one.out", cwd=made, env=HIDDEN)
    assert line.startswith("'no such host' is no address of this machine: ")


# -- Both ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["view", "html"])
def test_mistakes(made, verb):
    assert refused(verb, "nowhere", cwd=made, env=HIDDEN) == (
        "cannot read 'nowhere': No such file or directory; "
        "name a profile that python -m tracer -o FILE wrote"
    )
    assert refused(verb, "no-profile", cwd=made, env=HIDDEN).startswith(
        "no-profile: no profile, or damaged: "
    )
    assert refused(verb, "--raw", cwd=made, env=HIDDEN) == (
        "nothing to show: name a FILE that -o wrote; --help tells more"
    )
    for files in (["one.out"], ["one.out", "two.out", "one.out"]):
        assert refused(verb, "--compare", *files, cwd=made, env=HIDDEN) == (
            f"--compare needs two files: before and after; {len(files)} "
            f"{'is' if len(files) == 1 else 'are'} named"
        )
    found = traced(verb, cwd=made)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.startswith(b"usage: ")


# -- html ------------------------------------------------------------------------------------


def data_of(path):
    """The JSON of the data in a page that is a file."""
    import base64

    text = path.read_text("utf-8")
    return header(base64.b64decode(re.search(r'id="data"[^>]*>([^<]*)<', text)[1]))


def written(folder, *words):
    found = traced("html", *words, cwd=folder, env=HIDDEN)
    assert (found.returncode, found.stdout) == (0, b"")
    return found.stderr.decode()


def test_page_is_written(made, tmp_path):
    assert written(made, "-o", tmp_path / "page.html", "one.out") == ""
    seen = data_of(tmp_path / "page.html")
    assert (seen["title"], seen["live"]) == ("one.out", None)
    assert list(seen["profiles"][0]["sources"]) == [str(made / "program.py")]
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_page_is_written_beside_the_profile(made):
    assert written(made, "one.out", "two.out") == "tracer: wrote one.html\n"
    assert data_of(made / "one.html")["title"] == "one.out, two.out"
    (made / "one.html").unlink()


def test_sources_of_libraries_are_put_in_when_asked_for(made, tmp_path):
    written(made, "--sources", "-o", tmp_path / "page.html", "one.out")
    sources = data_of(tmp_path / "page.html")["profiles"][0]["sources"]
    assert str(made / "program.py") in sources
    assert json.dumps.__code__.co_filename in sources


def test_profile_may_not_have_any_file_read(made, tmp_path):
    secret = write(tmp_path / "secret", "secret = 1\n")
    code = compile("def f(): pass", str(secret), "exec")
    space = {}
    exec(code, space)
    profile = tracer.Profile()
    profile.runcall(space["f"])
    tracer.Stats(profile).dump_stats(tmp_path / "x.out")
    written(made, "--sources", "-o", tmp_path / "x.html", tmp_path / "x.out")
    [profile] = data_of(tmp_path / "x.html")["profiles"]
    assert str(secret) in [file["path"] for file in profile["files"]]
    assert str(secret) not in profile["sources"]


def test_profile_is_not_written_over(made):
    assert refused("html", "-o", "one.out", "one.out", cwd=made, env=HIDDEN) == (
        "'one.out' is the profile itself; give another path after -o"
    )
    assert tracer.Stats(made / "one.out").total_calls


def test_page_that_cannot_be_written(made):
    line = refused("html", "-o", "no/where.html", "one.out", cwd=made, env=HIDDEN)
    assert line.startswith("cannot write 'no/where.html': No such file or directory; ")
    found = traced("html", "-o", "/dev/full", "one.out", cwd=made)
    line = "tracer: could not write '/dev/full': No space left on device\n"
    assert (found.returncode, found.stderr.decode()) == (3, line)


def test_progress_is_told_on_a_terminal_only(made, tmp_path):
    assert written(made, "-o", tmp_path / "page.html", "one.out") == ""
    assert os.path.getsize(tmp_path / "page.html") < 300_000


# -- From Python -----------------------------------------------------------------------------


def test_to_html(made, tmp_path):
    stats = tracer.Stats(made / "one.out")
    stats.to_html(tmp_path / "page.html")
    seen = data_of(tmp_path / "page.html")
    assert seen["title"] == "program.py"
    assert list(seen["profiles"][0]["sources"]) == [str(made / "program.py")]
    stats.to_html(tmp_path / "page.html", libraries=True)
    assert (
        json.dumps.__code__.co_filename in data_of(tmp_path / "page.html")["profiles"][0]["sources"]
    )
    with pytest.raises(OSError, match="No such file"):
        stats.to_html(tmp_path / "no" / "page.html")


def test_view_in_a_repl(made, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    viewing = tracer.Stats(made / "one.out").view()
    found = ADDRESS.fullmatch(f"{viewing.url}\n")
    assert ask(int(found[2]), found[3])[0] == 200
    assert header(ask(int(found[2]), f"{found[3]}data")[2])["title"] == "program.py"
    assert repr(viewing) == f"<tracer: the page is at {viewing.url} until close()>"
    assert capsys.readouterr().err.startswith(f"the page is at {viewing.url}\n")
    viewing.close()
    with pytest.raises(ConnectionRefusedError):
        ask(int(found[2]), found[3])


def test_view_opens_the_browser(made, monkeypatch, capsys):
    import webbrowser

    opened = []
    monkeypatch.setenv("BROWSER", "x")
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    viewing = tracer.Stats(made / "one.out").view()
    viewing.close()
    assert opened == [viewing.url]
    assert capsys.readouterr() == ("", "")


def test_view_keeps_no_process_from_ending(made):
    program = "import tracer; tracer.Stats('one.out').view(); print('end')"
    with start("-c", program, cwd=made, env=HIDDEN) as process:
        stdout, _ = process.communicate(timeout=300)
        assert (process.returncode, stdout) == (0, b"end\n")


def test_view_in_a_notebook(made, monkeypatch):
    import html
    from types import SimpleNamespace

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(
        __import__("sys").modules, "IPython", SimpleNamespace(get_ipython=lambda: shell)
    )
    frame = tracer.Stats(made / "one.out").view()
    markup = frame._repr_html_()
    assert markup.startswith("<iframe sandbox=")
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', markup)[1])
    assert page.startswith("<!DOCTYPE html>") and "Content-Security-Policy" in page
    assert repr(frame) == "<tracer: the page, for notebooks>"
