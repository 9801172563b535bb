"""--live: the profile is served while the program runs, and the program notices nothing.

What the page does with it is tested in tests/browser.
"""

import fcntl
import gzip
import io
import json
import os
import select
import signal
import textwrap
import time
from pathlib import Path
from urllib.parse import quote

import pytest

import tracer
from asking import ask
from launch import environment, plain, start, traced, write
from outfiles import own_rows
from tracer.server.address import listen
from tracer.server.live_viewer import QUIET, SHORTEST_WAIT
from unnoticed import ADDRESS, CURIOUS, ENDLESS, FORKS, LEAF, SCREEN, running

pytestmark = pytest.mark.results


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def header(body):
    """The JSON of the page's data."""
    data = gzip.decompress(body)
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + length])


def seen(port, path, name="data"):
    status, _, body = ask(port, path + name)
    while status == 204:
        time.sleep(0.05)
        status, _, body = ask(port, path + name)
    assert status == 200
    return header(body)


def seen_to_run(port, path):
    """What seen() finds once leaf() was called; snapshots before that hold some milliseconds."""
    end = time.monotonic() + 300
    while "leaf" not in (found := seen(port, path))["profiles"][0]["rows"]["name"]:
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def saved(port, path):
    status, headers, body = ask(port, f"{path}capture", "POST", Sec_Fetch_Site="same-origin")
    assert status == 200
    assert headers["Content-Disposition"] == 'attachment; filename="profile.out"'
    return tracer.Stats(io.BytesIO(body))


def leaf_calls(stats):
    assert not own_rows(stats.stats)
    return sum(row[1] for label, row in stats.stats.items() if label[2] == "leaf")


def gone(port):
    """Whether nobody serves there any more, within a moment."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        try:
            listen("127.0.0.1", port).close()
            return True
        except tracer.server.address.AddressError:
            time.sleep(0.05)
    return False


# -- What is served --------------------------------------------------------------------------


def test_profile_is_served_while_the_program_runs(folder):
    with running(folder) as (process, port, path):
        status, _, body = ask(port, path)
        assert (status, body[:15]) == (200, b"<!DOCTYPE html>")
        first = seen_to_run(port, path)
        assert first["title"] == "program.py"
        assert first["live"]["running"] and first["live"]["save"] == "capture"
        assert [run["ended"] for run in first["profiles"][0]["facts"]["runs"]] == [""]
        [profile] = first["profiles"]
        assert [thread["name"] for thread in profile["threads"]] == ["MainThread"]
        assert list(profile["sources"]) == [str(folder / "program.py")]
        second = seen(port, path, "next")
        assert second["live"]["number"] > first["live"]["number"]
        stats = saved(port, path)
        assert leaf_calls(stats) > 1
        [capture] = stats.captures
        assert capture.run.command == ("program.py",)
        assert capture.run.ended == "saved while the program ran"
        assert [thread.name for thread in capture.threads] == ["MainThread"]
        process.send_signal(signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=300)
        assert (process.returncode, stderr) == (-signal.SIGTERM, b"")
        assert b"  function, " in stdout
        assert gone(port)


def test_no_source(folder):
    with running(folder, ENDLESS, "--no-source") as (_, port, path):
        data = seen_to_run(port, path)
        assert data["profiles"][0]["sources"] == {}
        assert not data["live"]["sources"]
        assert source_of(port, path, folder / "program.py") == 404
        assert saved(port, path).captures[0].sources == {}


def source_of(port, path, file):
    """What the viewer answers about the source of a file: JSON, or the status of a refusal."""
    status, _, body = ask(port, f"{path}source/{quote(str(file), safe='')}")
    return json.loads(body)["source"] if status == 200 else status


def test_the_source_of_a_library_is_given_when_a_page_opens_it(folder):
    program = LEAF + "import textwrap\nwhile True: textwrap.dedent(' a'); leaf()\n"
    library = Path(textwrap.__file__)
    with running(folder, program) as (_, port, path):
        data = seen_to_run(port, path)
        while "dedent" not in data["profiles"][0]["rows"]["name"]:
            data = seen(port, path, "next")
        assert data["live"]["sources"]
        assert list(data["profiles"][0]["sources"]) == [str(folder / "program.py")]
        there = {"text": library.read_text(), "state": "same"}
        assert source_of(port, path, library) == there
        number = data["live"]["number"]
        while data["live"]["number"] == number:  # all later data has it
            data = seen(port, path, "next")
        assert data["profiles"][0]["sources"][str(library)] == there
        assert saved(port, path).captures[0].sources[str(library)].data == library.read_bytes()


def test_only_files_of_the_profile_are_given(folder):
    write(folder / "other.py", "secret = 1\n")
    os.mkfifo(folder / "pipe.py")
    named = [folder / "gone.py", folder / "pipe.py", write(folder / "notes.txt", "no Python, this")]
    made = "".join(f"exec(compile('leaf()', {str(file)!r}, 'exec'))\n" for file in named)
    with running(folder, LEAF + made + "while True: leaf(); time.sleep(0.001)\n") as found:
        _, port, path = found
        rows = seen_to_run(port, path)["profiles"][0]["files"]
        while str(named[-1]) not in [file["path"] for file in rows]:
            rows = seen(port, path, "next")["profiles"][0]["files"]
        own = folder / "program.py"
        assert source_of(port, path, own)["text"] == own.read_text()
        assert [source_of(port, path, file) for file in named] == [None, None, None]
        others = ["other.py", "../etc/passwd", "", ".", folder, folder / "other.py", "/etc/passwd"]
        others += [folder / "x" / ".." / "program.py", f"{own}\0", f"/{own}"]
        assert [source_of(port, path, file) for file in others] == [404] * len(others)
        assert source_of(port, f"/{'0' * 32}/", own) == 404
        assert ask(port, f"{path}source/{quote(str(own), safe='')}", "POST")[0] == 404
        assert ask(port, f"{path}source/{quote(str(own), safe='')}", host="elsewhere")[0] == 403


def test_program_from_standard_input(folder):
    words = ["-m", "tracer", "--live", "-"]
    with start(*words, cwd=folder, env=environment(**SCREEN)) as process:
        _, port, path = ADDRESS.fullmatch(process.stderr.readline().decode()).groups()
        port = int(port)
        assert ask(port, path)[0] == 200
        assert ask(port, f"{path}capture", "POST", Sec_Fetch_Site="same-origin")[0] == 204
        process.stdin.write(ENDLESS.encode())
        process.stdin.close()
        seen_to_run(port, path)
        assert saved(port, path).captures[0].sources["<stdin>"].data == ENDLESS.encode()
        process.kill()


@pytest.mark.parametrize("lines", ["-l", "--lines"])
def test_lines(folder, lines):
    program = ENDLESS if lines == "--lines" else ENDLESS.replace("def leaf", "@profile\ndef leaf")
    with running(folder, program, lines) as (_, port, path):
        hits, end = 0, time.monotonic() + 300
        while not hits:  # until leaf() was called
            assert time.monotonic() < end
            timed = [f for f in seen(port, path)["profiles"][0]["lines"] if f["name"] == "leaf"]
            hits = sum(line[1] for f in timed for line in f["lines"])


def test_one_snapshot_for_all_who_look(folder):
    with running(folder) as (_, port, path):
        seen(port, path)
        began = time.monotonic()
        numbers = [seen(port, path)["live"]["number"] for _ in range(20)]
        assert max(numbers) - min(numbers) <= 1 + (time.monotonic() - began) / SHORTEST_WAIT


# -- The end ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "end", ["", "os._exit(0)", "sys.exit()", "os.kill(os.getpid(), 15)"], ids=lambda e: e or "end"
)
def test_who_looks_sees_the_end(folder, end):
    program = LEAF + f"while not os.path.exists('stop'): time.sleep(0.01)\nleaf()\n{end}\n"
    with running(folder, program, "-o", "profile.out") as (process, port, path):
        assert seen(port, path)["live"]["running"]
        (folder / "stop").touch()
        last = seen(port, path, "next")
        while last["live"]["running"]:
            last = seen(port, path, "next")
        process.wait(300)
        assert last["live"]["save"] is None
        calls = last["profiles"][0]["facts"]["calls"]
        assert calls == tracer.Stats(folder / "profile.out").total_calls
        assert gone(port)


def test_who_asks_before_anybody_can_answer_has_an_answer(folder):
    """The program is over before the viewer has begun."""
    with running(folder, LEAF) as (process, port, path):
        last = seen(port, path)
        assert not last["live"]["running"]
        assert "leaf" in last["profiles"][0]["rows"]["name"]
        process.wait(300)


def test_a_page_that_is_long_about_it_sees_the_end(folder):
    """The viewer waits for a page; it waits less for a client that asks for data alone."""
    program = LEAF + "while not os.path.exists('stop'): time.sleep(0.01)\n"
    with running(folder, program) as (process, port, path):
        assert ask(port, path)[0] == 200
        assert seen(port, path)["live"]["running"]
        (folder / "stop").touch()
        process.wait(300)
        time.sleep(QUIET + 1)
        assert not seen(port, path, "next")["live"]["running"]
        assert gone(port)


def test_nothing_is_left_when_nobody_looks(folder):
    write(folder / "program.py", LEAF)
    found = traced("--live", "program.py", cwd=folder, env=environment(**SCREEN))
    address = ADDRESS.fullmatch(found.stderr.decode())
    assert b"  function, " in found.stdout
    assert gone(int(address[2]))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT])
def test_program_that_dies_without_a_word(folder, number):
    with running(folder) as (process, port, path):
        seen(port, path)
        process.send_signal(number)
        process.wait(300)
        while seen(port, path)["live"]["running"]:  # the viewer is told of a death a moment later
            time.sleep(0.05)
        assert gone(port)


def test_another_program_takes_its_place(folder):
    program = (
        LEAF
        + "while not os.path.exists('stop'): time.sleep(0.01)\nos.execlp('sleep', 'sleep', '30')"
    )
    with running(folder, program) as (process, port, path):
        seen(port, path)
        (folder / "stop").touch()
        while seen(port, path)["live"]["running"]:
            time.sleep(0.05)
        assert process.poll() is None
        assert gone(port)


def test_viewer_that_dies_is_no_loss(folder):
    program = LEAF + "while not os.path.exists('stop'): leaf(); time.sleep(0.01)\n"
    with running(folder, program) as (process, port, path):
        seen(port, path)
        os.kill(viewer_of(process.pid), signal.SIGKILL)
        time.sleep(0.5)
        (folder / "stop").touch()
        stdout, stderr = process.communicate(timeout=300)
        assert (process.returncode, stderr) == (0, b"")
        assert b"  function, " in stdout


def test_the_viewer_keeps_no_file_of_the_program(folder):
    """Else a reader that waits for the end of the program's pipe would wait for the viewer."""
    reading, writing = os.pipe()
    high = fcntl.fcntl(writing, fcntl.F_DUPFD, 100)
    with running(folder, pass_fds=(writing, high)) as (process, port, path):
        os.close(writing)
        os.close(high)
        assert ask(port, path)[0] == 200  # the viewer is at work
        process.kill()
        process.wait(300)
        assert select.select([reading], [], [], 0)[0]
        assert os.read(reading, 1) == b""  # the end: nobody can write there
    os.close(reading)


def viewer_of(pid):
    """The process that runs the same words."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes()
    for other in Path("/proc").glob("[0-9]*"):
        try:
            same = (other / "cmdline").read_bytes() == words
            here = os.path.samefile(other / "cwd", f"/proc/{pid}/cwd")
            if same and here and int(other.name) != pid:
                return int(other.name)
        except OSError:
            continue
    raise AssertionError("there is no viewer")


# -- What the program notices: nothing -------------------------------------------------------


@pytest.mark.parametrize(
    "program",
    [
        *CURIOUS,
        "print([os.open('.', 0) for _ in range(5)])",
        "try: os.wait()\nexcept ChildProcessError as error: print(error)",
        "import signal\nprint([signal.getsignal(n) for n in (2, 10, 13, 17)])",
        "import signal\nsignal.signal(signal.SIGPIPE, signal.SIG_DFL)\nprint('pipe')",
        "import socket\nsocket.setdefaulttimeout(30)\nprint('timeout')",
        "os.closerange(3, 256)\nopen('mine', 'w').write('mine')\nprint(open('mine').read())\n"
        "files = [open('mine') for _ in range(60)]\ntime.sleep(0.6)\nprint(files[-1].read())",
        "print(sorted(name for name in sys.modules if 'socket' in name and name != '_socket'))",
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))\nprint('few files')",
    ],
)
def test_program_runs_as_it_does_plainly(folder, program):
    write(folder / "program.py", LEAF + program)
    words = ("-o", "profile.out", "--live", "program.py")
    found = traced(*words, cwd=folder, env=environment(**SCREEN))
    assert ADDRESS.fullmatch(found.stderr.decode())
    expected = plain("program.py", cwd=folder)
    assert (found.stdout, found.returncode) == (expected.stdout, expected.returncode)


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="/proc tells what files are open")
def test_it_keeps_one_socket_open(folder):
    """And a descriptor to spare, a pipe's, which it keeps open without --live, too."""
    program = (
        "import os\nkinds = []\nfor name in os.listdir('/proc/self/fd'):\n"
        "    try: kinds.append(os.readlink('/proc/self/fd/' + name).partition(':')[0])\n"
        "    except OSError: pass\n"
        "print(sorted(kind for kind in kinds if kind in ('pipe', 'socket')))"
    )
    write(folder / "program.py", program)
    kinds = [
        eval(found.stdout)
        for found in (
            plain("program.py", cwd=folder),
            traced("-o", "profile.out", "program.py", cwd=folder),
            traced("-o", "profile.out", "--live", "program.py", cwd=folder),
        )
    ]
    assert kinds[1:] == [sorted([*kinds[0], "pipe"]), sorted([*kinds[0], "pipe", "socket"])]


def test_forks(folder):
    program = LEAF + FORKS + "print('forked', flush=True)\nwhile True: time.sleep(0.01)\n"
    with running(folder, program, flags=("-W", "always")) as (process, port, path):
        assert seen(port, path)["live"]["running"]
        assert process.stdout.readline() == b"forked\n"
        end = time.monotonic() + 300
        while (calls := leaf_calls(saved(port, path))) != 51:  # an earlier snapshot until then
            assert calls < 51 and time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=300)[1] == b""


def test_child_that_lives_on_keeps_nothing_alive(folder):
    program = LEAF + (
        "if os.fork() == 0:\n  while not os.path.exists('stop'): time.sleep(0.05)\n  os._exit(0)\n"
        "time.sleep(0.3)\n"
    )
    with running(folder, program) as (process, port, path):
        assert seen(port, path)
        process.wait(300)
        assert gone(port)
        (folder / "stop").touch()


def test_beside_save_every(folder):
    options = ("-o", "profile.out", "--save-every", "0.01")
    with running(folder, ENDLESS, *options) as (process, port, path):
        before = leaf_calls(saved(port, path))
        while not (folder / "profile.out").exists():
            time.sleep(0.01)
        while leaf_calls(saved(port, path)) == before:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.wait(300)
        assert leaf_calls(tracer.Stats(folder / "profile.out")) > before


def test_reader_of_its_output_does_not_wait_for_the_viewer(folder):
    program = LEAF + "while not os.path.exists('stop'): time.sleep(0.01)\nprint('done')\n"
    with running(folder, program) as (process, port, path):
        assert ask(port, path)[0] == 200  # a page, which is to be told of the end
        assert seen(port, path)["live"]["running"]
        (folder / "stop").touch()
        stdout, _ = process.communicate(timeout=300)  # until both are closed
        assert stdout.startswith(b"done\n")
        assert not seen(port, path)["live"]["running"]  # the viewer is there all the while
