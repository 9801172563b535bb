"""What two profiles have in common: the page is told, and draws that."""

from types import SimpleNamespace

import pytest

import pages
import tracer
from pictures import profile_of
from tracer.analysis.tree.call_tree import Row, paths_of
from tracer.analysis.tree.waiting import Ran
from tracer.results.compared import EXPLAINED, common_numbers, has_waited, in_common, waited_of
from tracer.results.comparison import compare

WORK = "def work(): clock.now += 3\ndef top(): work()\n"


def stats_of(*files, source=WORK, **options):
    profiles = [profile_of("top", source=source, file=file, **options) for file in files]
    return tracer.Stats(*profiles, names="qualname")


def row(line, name="f", file="/src/app.py"):
    return Row(file, line, name)


def test_functions_have_one_number_in_both():
    before = [row(1, "a"), row(5, "b"), row(9, "c")]
    after = [row(7, "b"), row(9, "d"), row(2, "a")]
    assert [list(side) for side in common_numbers(before, after)] == [[0, 1, 3], [1, 2, 0]]


def test_functions_of_one_name_are_matched_in_their_order_or_together():
    one, other = common_numbers([row(30), row(10)], [row(12), row(1, "g"), row(31)])
    assert [one[1], one[0]] == [other[0], other[2]]
    assert [list(side) for side in common_numbers([row(10), row(20)], [row(9)])] == [[0, 0], [0]]
    one, other = common_numbers([row(10), row(20)], [row(9, "g")])
    assert len({*one, *other}) == 3


def test_functions_that_exec_made_are_matched_whoever_called_them_most():
    made = Row("<string>", 1, "__init__")
    one, other = common_numbers([made, row(1, file="/src/one.py")], [row(1), made])
    assert one[0] == other[1]


def page_of(*pair):
    """The header and the blocks of the page that compares two profiles."""
    shown = [pages.page.shown(stats, pair=pair) for stats in pair]
    return pages.opened(b"".join(pages.page.data_of(shown, "both")))


def test_the_page_matches_what_diff_matches():
    """In the run before, the folder of the package was the outermost one."""
    before = stats_of("/here/app/pkg/a.py")
    after = stats_of("/here/app/pkg/a.py", "/here/app/tool.py", source=WORK.replace("3", "5"))
    comparison = compare(before, after)
    found = {change.name: change.state for change in comparison.changes}
    assert (found["pkg.a.work"], found["tool.work"]) == ("changed", "new")
    header, blocks = page_of(before, after)
    sides = []
    for side, profile in zip(("before", "after"), header["profiles"], strict=True):
        files = pages.column(profile["rows"]["file"], blocks)
        places = [profile["files"][file]["path"] for file in files]
        names = zip(places, profile["rows"]["name"], strict=True)
        numbers = pages.column(header["common"][side], blocks)
        sides.append(dict(zip(names, numbers, strict=True)))
    work = "/here/app/pkg/a.py", "work"
    assert sides[0][work] == sides[1][work]
    assert sides[1]["/here/app/tool.py", "work"] not in sides[0].values()
    assert header["common"]["noise"] == round(1e9 * comparison.noise("tottime")) == round(0.1e9)


@pytest.mark.parametrize("waited", EXPLAINED)
def test_the_page_says_what_diff_says_of_waits(waited, monkeypatch):
    """Also of waits of Python functions, which wanted the GIL."""
    monkeypatch.setattr(tracer.results.compared, "waited_of", lambda *given: waited)
    pair = stats_of("/here/app/a.py"), stats_of("/here/app/a.py")
    assert page_of(*pair)[0]["common"]["waited"] == EXPLAINED[waited]
    assert "GIL" in EXPLAINED["python"]


def test_without_profiles_every_change_matters():
    paths = paths_of(stats_of("/here/app/a.py"))
    assert in_common((), (paths, paths))[2:] == (0.0, "")


@pytest.mark.parametrize(
    ("before", "after", "is_waited"),
    [
        ((100, 0.20, 0.19), (101, 0.38, 0.21), True),
        ((100, 0.20, 0.19), (102, 0.38, 0.21), False),  # other calls
        ((100, 0.20, 0.19), (100, 0.38, 0.37), False),
        ((100, 0.20, 0.20), (100, 0.24, 0.20), False),
        ((100, 0.20, 0.20), (100, 0.241, 0.20), True),
        ((100, 0.20, 0.0), (100, 0.38, 0.0), False),  # not known
        ((100, 0.38, 0.21), (100, 0.20, 0.19), False),
    ],
)
def test_as_many_calls_that_took_longer_than_the_processor_worked(before, after, is_waited):
    sides = ((calls, Ran(*times, 0.0)) for calls, *times in (before, after))
    assert has_waited(*(it for side in sides for it in side)) is is_waited


def test_what_waited_most_is_told():
    def side(real, busy):
        run = SimpleNamespace(real=real, user=busy, system=0.0)
        capture = SimpleNamespace(run=run, builtins=True, focus=None)
        return SimpleNamespace(captures=[capture], total_calls=9, knows_calls=True)

    quiet = compare(stats_of("/a.py"), stats_of("/a.py"))
    assert waited_of(quiet, (side(1.0, 1.0), side(1.1, 1.0))) == ""
    assert waited_of(quiet, (side(1.0, 1.0), side(1.5, 1.0))) == "program"
    label = ("/a.py", 1, "work")
    then, now = (
        tracer.results.metrics.Metrics(1, 2.0 + it, 2.0 + it, waited=it) for it in (0.0, 1.0)
    )
    change = tracer.results.comparison.Change("a", label, then, now)
    waits = tracer.results.comparison.comparison_of([change])
    assert waited_of(waits, (side(1.0, 1.0), side(1.5, 1.0))) == "python"
