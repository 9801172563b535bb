"""What a tracer.Stats looks like, to the interpreter and to a notebook; names that are odd."""

import html.parser
import io
import pstats
import re
import threading

import pytest

import tracer
from rows import Clock, record


def leaf():
    pass


def short():
    clock = Clock()

    def step():
        clock.now += 2

    return tracer.Stats(record(lambda: (step(), step()), timer=clock, timeunit=0.5))


def test_repr():
    stats = short()
    assert repr(stats) == "<tracer.Stats: 3 calls of 2 functions in 2.000 s, 1 thread>"
    assert repr(stats.threads[0]) == (
        "<tracer.ThreadStats: 3 calls of 2 functions in 2.000 s in MainThread "
        f"({threading.get_ident()})>"
    )


def test_repr_of_what_is_looked_at():
    profile = tracer.Profile()
    backend = profile.backend
    with profile:
        assert repr(profile) == f"<tracer.Profile: enabled, by {backend}>"
    assert repr(profile) == f"<tracer.Profile: disabled, by {backend}>"
    capture = record(leaf).capture()
    assert repr(capture) == "<tracer.Capture: 1 function, 1 thread>"


class Cells(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.rows = []
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, data):
        if self.rows and self.tags[-1] in ("td", "th"):
            self.rows[-1].append(data)


def test_html():
    table = Cells(short()._repr_html_())
    heads, *rows = table.rows
    assert heads[0] == "ncalls"
    assert [row[:5] for row in rows] == [
        ["1", "0.000", "0", "2.000", "2"],
        ["2", "2.000", "1", "2.000", "1"],
    ]
    assert rows[1][5].endswith("(step)")


def test_html_escapes_what_a_program_may_name():
    evil = "<script>alert('&')</script>"
    space = {}
    exec(compile("def f(): pass", evil, "exec"), space)
    table = Cells(tracer.Stats(record(space["f"]))._repr_html_())
    assert "script" not in table.tags
    assert "&lt;script&gt;" in tracer.Stats(record(space["f"]))._repr_html_()


def test_html_is_sorted_as_asked_and_says_what_it_leaves_out():
    space = {}
    exec("".join(f"def f{n}(): pass\n" for n in range(60)), space)
    functions = [space[f"f{n}"] for n in range(60)]
    stats = tracer.Stats(record(lambda: [function() for function in functions]))
    rest = len(stats.stats) - 50
    text = stats.sort_stats("line")._repr_html_()
    table = Cells(text)
    assert len(table.rows) == 1 + 50
    assert f"<p>{rest} more functions</p>" in text
    lines = [int(re.search(r":(\d+)\(", row[5])[1]) for row in table.rows[1:] if ":" in row[5]]
    assert lines == sorted(lines)


# -- Odd names ---------------------------------------------------------------------------------

ODD_NAMES = ["", " ", "naïve-ключ-文", "\udcff surrogate", "new\nline", "nul\0", "~", "a" * 5000]


def short_ascii(name):
    return ascii(name)[:20]


@pytest.mark.parametrize("name", ODD_NAMES, ids=short_ascii)
def test_code_with_an_odd_file_name(name, tmp_path):
    space = {}
    if "\0" in name:
        code = compile("def f(): pass", "x", "exec")
        made = code.co_consts[0].replace(co_filename=name)
        space["f"] = type(leaf)(made, {})
    else:
        exec(compile("def f(): pass", name, "exec"), space)
    profile = record(space["f"])
    profile.dump_stats(tmp_path / "profile.out")
    for stats in tracer.Stats(profile), tracer.Stats(tmp_path / "profile.out"):
        assert [(label[0], label[2]) for label in stats.stats] == [(name, "f")]
    assert pstats.Stats(str(tmp_path / "profile.out")).stats == stats.stats


@pytest.mark.parametrize("name", ODD_NAMES, ids=short_ascii)
@pytest.mark.parametrize("line", [0, 1, 2**31 - 1])
def test_code_with_an_odd_name_and_line(name, line, tmp_path):
    code = leaf.__code__.replace(co_name=name, co_qualname=f"<{name}>", co_firstlineno=line)
    profile = record(type(leaf)(code, {}))
    profile.dump_stats(tmp_path / "profile.out")
    stats = tracer.Stats(tmp_path / "profile.out")
    assert list(stats.stats) == [(__file__, line, name)]
    stats = tracer.Stats(tmp_path / "profile.out", names="qualname", stream=io.StringIO())
    assert list(stats.stats) == [(__file__, line, f"<{name}>")]
    stats.print_stats()
    assert f":{line}(<{name}>)" in stats.stream.getvalue()
