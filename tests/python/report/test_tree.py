"""Stats.print_tree(): the call tree as text, to the character."""

import io
import pstats

import pytest

import tracer
from pictures import profile_of, stats_of

ORDER = "   Ordered by: cumulative time along each path of calls\n"
HEAD = "    share  cumtime  tottime    ncalls  filename:lineno(function)\n"


def printed(stats, *args, encoding=None, **options):
    if encoding is None:
        stats.stream = io.StringIO()
        stats.print_tree(*args, **options)
        return stats.stream.getvalue()
    data = io.BytesIO()
    stats.stream = io.TextIOWrapper(data, encoding=encoding)
    stats.print_tree(*args, **options)
    stats.stream.flush()
    return data.getvalue().decode(encoding)


TOP = f"""{ORDER}
{HEAD}   100.0%    8.000    3.000         1  work.py:11(top)
    50.0%    4.000    2.000         1  ├─ work.py:6(Shop.middle)
    25.0%    2.000    2.000         2  │  └─ work.py:2(leaf)
    12.5%    1.000    1.000         1  └─ work.py:2(leaf)

"""


def test_the_tree():
    assert printed(stats_of("top").strip_dirs()) == TOP
    assert printed(stats_of("top")) == TOP.replace("work.py", "/here/app/work.py")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_boxes_only_where_the_encoding_has_them(encoding):
    text = TOP.replace("├─", "|-").replace("└─", "`-").replace("│", "|")
    assert printed(stats_of("top").strip_dirs(), encoding=encoding) == text
    for known in ("utf-8", "cp437"):
        assert printed(stats_of("top").strip_dirs(), encoding=known) == TOP


def test_several_profiles_are_one_tree():
    stats = stats_of("top").add(profile_of("top")).strip_dirs()
    assert printed(stats) == (
        f"{ORDER}\n{HEAD}"
        "   100.0%   16.000    6.000         2  work.py:11(top)\n"
        "    50.0%    8.000    4.000         2  ├─ work.py:6(Shop.middle)\n"
        "    25.0%    4.000    4.000         4  │  └─ work.py:2(leaf)\n"
        "    12.5%    2.000    2.000         2  └─ work.py:2(leaf)\n\n"
    )


def test_what_begins_a_path_stands_at_the_left():
    stats = stats_of("top").add(profile_of("generate")).strip_dirs()
    lines = printed(stats).splitlines()[3:]
    assert [line[37:] for line in lines if line] == [
        "  work.py:11(top)",
        "  ├─ work.py:6(Shop.middle)",
        "  │  └─ work.py:2(leaf)",
        "  └─ work.py:2(leaf)",
        "  work.py:21(generate)",
        "  └─ work.py:16(numbers)",
    ]


def test_depth():
    assert printed(stats_of("top").strip_dirs(), 2) == (
        f"{ORDER}   Left out: 1 path of more than 2 calls\n\n{HEAD}"
        "   100.0%    8.000    3.000         1  work.py:11(top)\n"
        "    50.0%    4.000    2.000         1  ├─ work.py:6(Shop.middle)\n"
        "    12.5%    1.000    1.000         1  └─ work.py:2(leaf)\n\n"
    )
    once = printed(stats_of("top").strip_dirs(), 1)
    assert once.startswith(f"{ORDER}   Left out: 3 paths of more than 1 call\n\n{HEAD}")


def test_percent():
    text = printed(stats_of("top").strip_dirs(), percent=12.6)
    assert text.startswith(f"{ORDER}   Left out: 1 path of less than 12.6% of the time\n\n")
    assert text.endswith(
        "  └─ work.py:6(Shop.middle)\n" + TOP.splitlines()[5].replace("│", " ") + "\n\n"
    )
    assert printed(stats_of("top").strip_dirs(), percent=12.5) == TOP


def test_what_is_left_out_unless_asked_for():
    stats = stats_of("fall", 149).strip_dirs()
    lines = printed(stats).splitlines()
    assert lines[1] == "   Left out: 1 path of less than 1% of the time; --min 0 prints all"
    assert len(lines) == 4 + 149 + 1
    assert len(printed(stats, percent=0).splitlines()) == 3 + 150 + 1


def test_limit_leaves_those_that_took_longest():
    assert printed(stats_of("top").strip_dirs(), limit=3) == (
        f"{ORDER}   Left out: 1 path with no more time than those printed\n\n{HEAD}"
        "   100.0%    8.000    3.000         1  work.py:11(top)\n"
        "    50.0%    4.000    2.000         1  └─ work.py:6(Shop.middle)\n"
        "    25.0%    2.000    2.000         2     └─ work.py:2(leaf)\n\n"
    )


def test_no_line_grows_with_the_depth():
    lines = printed(stats_of("fall", 900).strip_dirs(), percent=0).splitlines()
    assert len(lines) == 3 + 901 + 1
    assert max(map(len, lines)) < 200
    assert lines[-2].endswith("  level 901 └─ work.py:25(fall)")


def test_each_row_tells_its_level():
    """By where it stands or, where it is deeper than can be drawn, in words."""
    lines = printed(stats_of("fall", 49).strip_dirs(), percent=0).splitlines()[3:-1]
    drawn = [line[39:] for line in lines]
    assert drawn[:3] == ["work.py:25(fall)", "└─ work.py:25(fall)", "   └─ work.py:25(fall)"]
    assert drawn[40] == "   " * 39 + "└─ work.py:25(fall)"
    column = " " * (3 * 39 - len("level 42 "))
    assert drawn[41:] == [f"{column}level {n} └─ work.py:25(fall)" for n in range(42, 51)]


def test_nothing_took_any_time():
    source = "def top(): leaf()\ndef leaf(): pass\n"
    assert printed(stats_of("top", source=source).strip_dirs()) == (
        f"{ORDER}\n{HEAD}"
        "     0.0%    0.000    0.000         1  work.py:1(top)\n"
        "     0.0%    0.000    0.000         1  └─ work.py:2(leaf)\n\n"
    )


def test_nothing_was_called():
    assert printed(tracer.Stats()) == printed(tracer.Stats(tracer.Profile())) == f"{ORDER}\n"


def test_one_thread():
    stats = stats_of("top").strip_dirs()
    assert printed(stats.threads[0]) == TOP


def test_of_another_profilers_file_the_paths_are_an_estimate(tmp_path):
    pstats.Stats(profile_of("top")).strip_dirs().dump_stats(tmp_path / "plain.out")
    text = printed(tracer.Stats(tmp_path / "plain.out"))
    about, table = text.split(HEAD)
    assert " ".join(about.split()).startswith(
        "Ordered by: cumulative time along each path of calls The paths are an estimate. The file "
    )
    assert max(map(len, text.splitlines())) <= 100
    assert table == (
        "   100.0%    8.000    3.000         1  work.py:11(top)\n"
        "    50.0%    4.000    2.000         1  ├─ work.py:6(middle)\n"
        "    25.0%    2.000    2.000         2  │  └─ work.py:2(leaf)\n"
        "    12.5%    1.000    1.000         1  └─ work.py:2(leaf)\n\n"
    )
    once = printed(stats_of("top").strip_dirs(), 1)
    assert once.startswith(f"{ORDER}   Left out: 3 paths of more than 1 call\n\n{HEAD}")


@pytest.mark.parametrize(
    ("option", "value", "error", "said"),
    [
        ("depth", "x", TypeError, "depth must be a whole number or None, not 'x'"),
        ("depth", 1.5, TypeError, "depth must be a whole number or None, not 1.5"),
        ("depth", -1, ValueError, "depth must be 1 or more, not -1"),
        ("limit", "x", TypeError, "limit must be a whole number or None, not 'x'"),
        ("limit", 0, ValueError, "limit must be 1 or more, not 0"),
        ("percent", "x", TypeError, "percent must be a number, not 'x'"),
        ("percent", None, TypeError, "percent must be a number, not None"),
        ("percent", 200, ValueError, "percent must be from 0 to 100, not 200"),
        ("percent", -1, ValueError, "percent must be from 0 to 100, not -1"),
        ("percent", float("nan"), ValueError, "percent must be from 0 to 100, not nan"),
    ],
)
def test_what_cannot_be_chosen(option, value, error, said):
    for stats in (stats_of("top"), tracer.Stats()):
        with pytest.raises(error) as raised:
            printed(stats, **{option: value})
        assert str(raised.value) == said
