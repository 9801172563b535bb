"""Paths that a profile names may be anything: a pipe, which nobody writes to, or a name that is no
UTF-8. What is made of a profile neither waits for the one nor fails with the other."""

import json
import os
from pathlib import Path

import pytest

import tracer
from asking import ask, port_of, serving
from launch import traced
from survival import survives
from tracer.page import document
from tracer.server.live_viewer import Pages
from tracer.server.page_server import Answer, decoded

SOURCE = "def work():\n    return 1\n"
PIPE = """
import os, sys, tempfile
folder = tempfile.mkdtemp()
pipe = os.path.join(folder, "pipe.py")
os.mkfifo(pipe)
"""
# Says of the pipe what is true of another file, as where it was put there just now.
CHANGED = """
real = os.stat
os.stat = lambda path, **more: real(__file__ if path == pipe else path, **more)
__file__ = tracer.__file__
"""


@pytest.mark.parametrize("before", ["", CHANGED], ids=["a pipe", "a pipe by now"])
@pytest.mark.parametrize(
    "reading",
    [
        "from tracer.source.statements import read\nassert read(pipe, 1 << 20) is None",
        "from tracer.source.texts import text_of\nassert text_of(pipe, 1 << 20) is None",
        "from tracer.source.checksums import checksum\nassert checksum(pipe) is None",
        "from tracer.source import functions\ntry:\n    functions._lines_of(pipe)\n"
        "except OSError as error:\n    assert error.strerror == 'it is no regular file'\n"
        "else:\n    raise AssertionError",
        "from tracer.analysis.native.symbolizer import segments_of\n"
        "from tracer.data.samples import Module\n"
        "assert segments_of(Module(pipe, '', 0, 1, 0)) == []",
        "from tracer.analysis.native.code import _code\nother = os.path.join(folder, 'pipe.c')\n"
        "os.rename(pipe, other)\npipe = other\n"
        "assert _code((tracer.__file__, 0, 'f'), pipe, {1: (1.0, 1.0)}) is None",
        "from tracer.data import killed\nsection = {'timeline': {'kept_in': 'pipe.py'}}\n"
        "assert killed.put_together(section, os.path.join(folder, 'x.out')) is section",
    ],
)
def test_a_pipe_is_not_waited_for(before, reading):
    survives(f"{PIPE}{before}\n{reading}\n")


def test_the_source_of_a_profile_is_not_sought_along_the_path():
    survives(
        f"{PIPE}sys.path.insert(0, folder)\n"
        "from tracer.source import functions\n"
        "assert functions._lines_of('pipe.py') is None\n"
    )


@pytest.fixture
def odd(tmp_path):
    """A profile whose functions are of a pipe, and of files with odd names."""
    profile = tracer.Profile()
    files = [tmp_path / "pipe.py", tmp_path / os.fsdecode(b"caf\xe9.py")]
    os.mkfifo(files[0])
    for file in files:
        space = {}
        exec(compile(SOURCE, str(file), "exec"), space)
        profile.runcall(space["work"])
    profile.capture().write(tmp_path / "odd.out")
    return tmp_path / "odd.out"


@pytest.mark.parametrize(
    "words",
    [("html",), ("html", "--sources"), ("show", "--include", "x"), ("export", "--to", "json")],
)
def test_the_command_ends(odd, words):
    verb, *options = words
    done = traced(verb, str(odd), *options, cwd=odd.parent)
    assert b"Traceback" not in done.stderr
    assert verb == "show" or done.returncode == 0


# -- Names that are no UTF-8 -----------------------------------------------------------------------

ODD = os.fsdecode(b"caf\xe9.py")


def test_a_program_that_runs_tells_the_source_of_such_a_file(tmp_path):
    """The page asks for it as its encoded() writes the name: tests/page/ui.test.mjs."""
    file = tmp_path / ODD
    file.write_text(SOURCE)
    pages = Pages.__new__(Pages)
    pages.files, pages.started, pages.opened_files = frozenset([str(file)]), 0.0, set()
    with serving({}, token="token", named={"source": pages.source}) as server:
        path = f"{tmp_path}/".replace("/", "%2F")
        status, _, body = ask(port_of(server), f"/token/source/{path}caf%ED%B3%A9.py")
    assert (status, json.loads(body)["source"]["text"]) == (200, SOURCE)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("a%20b%2Fc", "a b/c"),
        ("caf%C3%A9", "caf\xe9"),
        ("caf%ED%B3%A9.py", ODD),
        ("%ED%A0%80", "\ud800"),
        ("%F0%9F%98%80", "\U0001f600"),
        ("caf%E9", "caf\ufffd"),
    ],
)
def test_a_part_of_an_address_is_decoded(part, text):
    given = []
    named = {"it": lambda word: given.append(word) or Answer(b"")}
    with serving({}, token="token", named=named) as server:
        assert ask(port_of(server), f"/token/it/{part}")[0] == 200
    assert given == [text] == [decoded(part)]


def test_the_page_encodes_names_in_one_place():
    """encodeURIComponent() refuses some."""
    page = Path(document.__file__).parent
    users = [it.name for it in page.rglob("*.js") if "encodeURIComponent(" in it.read_text()]
    assert users == ["encoded.js"]
