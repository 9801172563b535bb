"""For tests of the page: profiles to show, and what can be read in a page again."""

import base64
import gzip
import json
import re
import shutil
import subprocess
from array import array
from html.parser import HTMLParser

import pytest

from places import TESTS
from tracer.analysis.tree.call_tree import NO_ROW, Paths, Row, Tree
from tracer.data.figures import Figures
from tracer.page import document as page
from tracer.page.timeline_data import Process

TESTS_IN_JS = TESTS / "page"
FACTS = {
    "runs": [],
    "backends": [],
    "clocks": [],
    "builtins": [],
    "threads": 1,
    "calls": 0,
    "include": [],
    "exclude": [],
    "tracing": None,
    "lost": 0,
    "shared": 0,
    "unkept": 0,
    "cutOff": [],
    "problems": [],
    "unlike": [],
}


def node():
    """The command that runs JavaScript."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no node here, so the page's own JavaScript was NOT tested")
    return found


def tree_of(*nodes, name="MainThread", edges=(), figures=None):
    """A Tree of nodes (depth, row, calls, resumes, time[, waited]); the root is added."""
    whole = [(*node, 0)[:6] for node in nodes]
    columns = zip((0, NO_ROW, 0, 0, 0, 0), *whole, strict=True)
    packed = [array(code, column).tobytes() for code, column in zip("IIQQqq", columns, strict=True)]
    return Tree(packed, name, 7, 8, edges, lambda: figures or {})


def shown(names, *trees, rule=None, **more):
    """A page.Shown of functions in /src/app.py."""
    rows = [Row("/src/app.py", 10 * place, name) for place, name in enumerate(names)]
    given = {"name": "", "facts": FACTS, "lines": [], "sources": {}, "findings": {}, **more}
    return page.Shown(paths=Paths(rows, trees, rule), **given)


def small():
    """Two functions, one of which calls the other."""
    figures = {
        0: Figures(ncalls=1, primitive=1, tottime=300, cumtime=1000),
        1: Figures(ncalls=70000, primitive=70000, tottime=700, cumtime=700, resumes=2, suspended=5),
    }
    return shown(
        ["main", "work"], tree_of((1, 0, 1, 0, 300), (2, 1, 70000, 2, 700), figures=figures)
    )


def with_timeline():
    """The same with a timeline, in which nothing is recorded."""
    return small()._replace(timelines=[Process({}, [])])


def opened(data):
    """The header of a container, and the bytes behind it."""
    plain = gzip.decompress(data)
    length = int.from_bytes(plain[:4], "little")
    return json.loads(plain[4 : 4 + length]), plain[4 + length :]


def column(block, blocks):
    """The numbers of a block, packed as the page's README.md says."""
    at, count, planes = block["at"], block["count"], block["planes"]
    parts = [blocks[at + k * count : at + (k + 1) * count] for k in range(planes)]
    signed = block.get("signed", False)
    return [
        int.from_bytes(bytes(number), "little", signed=signed)
        for number in zip(*parts, strict=True)
    ] or [0] * count


class Elements(HTMLParser):
    """The elements of a page: [tag, attributes, the text it begins with]."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append([tag, dict(attrs), ""])
        self.inside = True

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.found[-1][2] += data

    def all(self, tag):
        return [element for element in self.found if element[0] == tag]


def written(profiles, title="a title"):
    return b"".join(page.html_of(profiles, title)).decode()


def unpacked(text, name):
    """What is in a page as base64, under a name."""
    [element] = [script for script in Elements(text).all("script") if script[1].get("id") == name]
    return base64.b64decode(element[2], validate=True)


def data_in(text):
    """The container in a page."""
    return unpacked(text, "data")


def script_in(text):
    """The script in a page."""
    return gzip.decompress(unpacked(text, "code")).decode()


def policy_in(text):
    """The Content-Security-Policy of a page, by directive."""
    [meta] = [m for m in Elements(text).all("meta") if m[1].get("http-equiv")]
    return {part.split()[0]: part.split()[1:] for part in re.split(r"; *", meta[1]["content"])}


def run_node(*words):
    done = subprocess.run([node(), *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
