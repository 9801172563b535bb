"""What is judged of each function for the page: whose it is, whether it waits while suspended."""

from types import SimpleNamespace

import pytest

import pages
import tracer
from tracer.analysis.tree.call_tree import Paths, Row
from tracer.analysis.tree.waiting import Waits
from tracer.data.figures import Figures
from tracer.results.flags import HOLDS, OWN, WAITS, WORKS, flags_of
from tracer.results.limits import limits

TEXT = """async def crawl(): pass
def links(): yield
def plain(): pass
class Future:
    def __await__(self): yield
"""
APP = "/src/app.py"


def test_flags_of_functions():
    rows = [
        *(Row(APP, line, name) for line, name in enumerate(("crawl", "links", "plain"), 1)),
        Row("/unknown/b.py", 1, "lost"),
        Row(APP, 1, "<module>"),
        Row("/usr/lib/python3.11/json/__init__.py", 3, "dumps"),
        Row("~", 0, "<time.sleep>"),
        Row(APP, 5, "Future.__await__"),
    ]
    suspended = {row: Figures(suspended=int(row != 2)) for row in (0, 1, 2, 3, 7)}
    paths = Paths(rows, [], figures=lambda: suspended)
    kept = {APP: SimpleNamespace(data=TEXT.encode())}
    profiles = SimpleNamespace(captures=[SimpleNamespace(sources=kept, keeps_source=False)])
    own = OWN | HOLDS
    expected = [own | WAITS, own | WORKS, own, own, OWN, 0, 0, own | WAITS]
    assert list(flags_of(profiles, paths)) == expected


@pytest.mark.parametrize(
    ("time", "waited"), [(10.0, 0.038), (10.0, 0.1), (10.0, 0.099), (0.5, 0.01), (0.5, 0.009)]
)
def test_the_page_tells_waits_from_where_the_terminal_does(time, waited):
    """Of 10 s, 0.38% are told by neither."""
    data = limits()
    least = max(data["waitedTime"], data["waitedPart"] * time * 1e9)
    assert (waited * 1e9 >= least) is Waits(time, waited).are_worth_telling


def test_the_page_has_them(tmp_path):
    (tmp_path / "app.py").write_text("def f(): pass\nf()\n")
    space = {}
    with tracer.Profile() as profile:
        exec(compile("def f(): pass\nf()\n", str(tmp_path / "app.py"), "exec"), space)
    header, blocks = pages.opened(
        b"".join(pages.page.data_of([pages.page.shown(tracer.Stats(profile))], "a"))
    )
    [found] = header["profiles"]
    by_name = dict(zip(found["rows"]["name"], pages.column(found["flags"], blocks), strict=True))
    assert (by_name["f"], by_name["<module>"]) == (OWN | HOLDS, OWN)
    assert header["limits"] == limits()


def test_the_names_in_the_script_are_those_of_the_flags():
    text = (pages.page.HERE / "profile.js").read_text()
    assert f"{{ own: {OWN}, holds: {HOLDS}, waits: {WAITS}, works: {WORKS} }}" in text
