"""analysis/tree/parts.py: what is below a function, the paths through it, a function as one row."""

from textwrap import dedent

import pytest

from tracer.analysis.tree.parts import below, collapsed, through
from treetexts import paths_of_text, text_of_tree

TREE = """
main@main 1 1
  load@helpers 2 10
    parse@helpers 2+1 100
      load@helpers 1 1000
        read@helpers 4 5
    read@helpers 7 20
  save@helpers 1 10000
    read@helpers 3 40
read@helpers 1 80
"""


def part(make, *names, text=TREE):
    paths = paths_of_text(dedent(text))
    rows = {number for number, row in enumerate(paths.rows) if row.name in names}
    return text_of_tree(make(paths.trees[0], rows), paths.rows)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["read"], "read@helpers 15 145\n"),
        (
            ["load"],
            """\
            load@helpers 2 10
              parse@helpers 2+1 100
                load@helpers 1 1000
                  read@helpers 4 5
              read@helpers 7 20
            """,
        ),
        (
            ["parse", "save"],
            """\
            parse@helpers 2+1 100
              load@helpers 1 1000
                read@helpers 4 5
            save@helpers 1 10000
              read@helpers 3 40
            """,
        ),
        (["main", "read"], dedent(TREE).strip().replace("helpers 1 80", "helpers 1 80") + "\n"),
        ([], ""),
    ],
)
def test_below(names, expected):
    assert part(below, *names) == dedent(expected)


def test_calls_on_several_paths_are_merged_with_what_is_below_them():
    text = """
    a@main 1 1
      f@helpers 2 10
        x@helpers 1 100
    b@main 1 1
      f@helpers 3 20
        x@helpers 2 200
        y@helpers 2 400
    """
    expected = "f@helpers 5 30\n  x@helpers 3 300\n  y@helpers 2 400\n"
    assert part(below, "f", text=text) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            ["parse"],
            """\
            main@main 1 0
              load@helpers 2 0
                parse@helpers 2+1 100
                  load@helpers 1 1000
                    read@helpers 4 5
            """,
        ),
        (
            ["read"],
            """\
            main@main 1 0
              load@helpers 2 0
                parse@helpers 2+1 0
                  load@helpers 1 0
                    read@helpers 4 5
                read@helpers 7 20
              save@helpers 1 0
                read@helpers 3 40
            read@helpers 1 80
            """,
        ),
        (["main", "read"], dedent(TREE).lstrip()),
        ([], ""),
    ],
)
def test_through(names, expected):
    assert part(through, *names) == dedent(expected)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            ["parse", "save"],
            """\
            main@main 1 1
              load@helpers 2 10
                parse@helpers 2+1 1105
                read@helpers 7 20
              save@helpers 1 10040
            read@helpers 1 80
            """,
        ),
        (["main"], "main@main 1 11176\nread@helpers 1 80\n"),
        (["read"], dedent(TREE).lstrip()),
    ],
)
def test_collapsed(names, expected):
    assert part(collapsed, *names) == dedent(expected)


WAITS = """
main@main 1 9~4
  load@helpers 1 10~5
    read@helpers 1 20~6
  read@helpers 1 30~7
"""


@pytest.mark.parametrize(
    ("make", "name", "expected"),
    [
        (below, "read", "read@helpers 2 50~13\n"),
        (
            through,
            "load",
            "main@main 1 0\n  load@helpers 1 10~5\n    read@helpers 1 20~6\n",
        ),
        (
            collapsed,
            "load",
            "main@main 1 9~4\n  load@helpers 1 30~11\n  read@helpers 1 30~7\n",
        ),
    ],
)
def test_what_was_waited_goes_with_its_time(make, name, expected):
    assert part(make, name, text=WAITS) == expected
