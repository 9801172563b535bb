"""What each export format owes, whatever it is: the figures of Stats, and odd profiles told right.

formats/<name>.py reads a format back; one that has no such file fails. toys/ has a format that
holds what no other may hold just now, so that this is held here, too. What only one format has is
in other files, test_exports*.py.
"""

import io
import marshal
from importlib import import_module

import pytest

import formats
import tracer
from exporting import (
    exported,
    hostile_paths,
    many_paths,
    nanoseconds,
    paths_by_hand,
    qualified,
    recorded,
    tree_of,
)
from formats import NO_PLACE, Function, add, reader_of
from places import HELPERS
from tracer.analysis.tree import call_tree
from tracer.analysis.tree.call_costs import costs_of
from tracer.analysis.tree.call_tree import NO_ROW, UNKEPT, Row, paths_of
from tracer.exports import formats as found_in
from tracer.exports import writing
from tracer.exports.export import FORMATS, Export, check_minimum
from tracer.exports.format import nobody
from tracer.exports.names import shown

RULE = "shared out, by a rule"
TITLE = 'run "a b" \\ &amp; </script>\n\udcff \u2028\ud800'
LARGEST = 2 * writing.LARGEST_WRITE

TOYS = HELPERS / "toys"

# What timelines owe is in test_exports_timeline*.py, and what memory does in test_exports_mprof.py.
OF_FIGURES = [name for name, it in FORMATS.items() if it.needs in ("paths", "functions")]
pytestmark = pytest.mark.parametrize("name", OF_FIGURES + [it.stem for it in TOYS.glob("*.py")])


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    """The toys are formats, and their own readers."""
    for package in (found_in, formats):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(TOYS)])


@pytest.fixture(scope="module")
def profile():
    return recorded()


def read(name, paths, stats=None, minimum=0):
    """What an export holds, times in nanoseconds. A text format must hold nothing that is no
    text."""
    data = exported(paths, name, stats, minimum)
    if FORMATS[name].is_text:
        assert all(character.isprintable() or character == "\n" for character in data.decode())
    found = reader_of(name).read(data)
    return in_nanoseconds(found, paths) if found.percent else found


def in_nanoseconds(found, paths):
    unit = sum(sum(tree.time) for tree in paths.trees) / 100
    functions = {
        name: Function(calls, *(None if time is None else time * unit for time in times))
        for name, (calls, *times) in found.functions.items()
    }
    edges = found.edges and {
        call: told._replace(cost=None if told.cost is None else told.cost * unit)
        for call, told in found.edges.items()
    }
    error = found.error * unit
    return found._replace(functions=functions, edges=edges, percent=False, error=error)


def by_last(paths):
    """{function: figure} of {path: figure}."""
    total = {}
    for path, figure in (paths or {}).items():
        add(total, path[-1], figure)
    return total


def functions_of(found):
    """{function: Function}, of paths where the format holds no functions: recursion counts once."""
    if found.functions is not None:
        return found.functions
    own, calls, cumulative = by_last(found.paths), by_last(found.path_calls), {}
    for path, time in found.paths.items():
        for function in set(path[1:]):
            add(cumulative, function, time)
    known = None if found.path_calls is None else 0
    return {
        name: Function(calls.get(name, known), own.get(name, 0), cumulative[name])
        for name in cumulative
    }


def assert_agree(found, name, paths, wanted, error=0):
    """Assert that exactly `wanted`, {row: (calls, own, cumulative)}, was found."""
    names = dict(zip(paths.rows, reader_of(name).names(paths), strict=True))
    functions = dict(functions_of(found))
    for row, figures in wanted.items():
        told = functions.pop(names[row], Function(0, 0, 0))
        for kind, figure, want in zip(Function._fields, told, figures, strict=True):
            if None not in (figure, want):
                assert figure == pytest.approx(want, abs=error + found.error), (row, kind)
    assert not functions


def assert_calls_agree(found, name, paths, stats):
    """Calls are as many as in Stats; their costs are shared out as call_costs.py does it."""
    if found.edges is None:
        return
    names = dict(zip(paths.rows, reader_of(name).names(paths), strict=True))
    assert {call: told.calls for call, told in found.edges.items()} == {
        (names[caller], names[label]): calls
        for label, (_, _, _, _, callers) in stats.stats.items()
        for caller, (calls, *_) in callers.items()
    }
    costs = {
        (names[paths.rows[caller]], names[paths.rows[callee]]): cost
        for caller, callee, _, cost in costs_of(paths, nobody)
        if caller != NO_ROW
    }
    for call, told in found.edges.items():
        if told.cost is not None:
            assert told.cost == pytest.approx(costs[call], abs=found.error), call


def wanted_of(stats):
    return {
        label: (calls, nanoseconds(own), nanoseconds(cumulative))
        for label, (_, calls, own, cumulative, _) in stats.stats.items()
    }


def test_the_figures_are_those_of_stats(profile, name):
    stats = qualified(profile)
    paths = paths_of(stats)
    found = read(name, paths, stats)
    assert_agree(found, name, paths, wanted_of(stats))
    assert_calls_agree(found, name, paths, stats)
    if found.paths is not None:
        assert sum(found.paths.values()) == nanoseconds(stats.total_tt)
        assert {path[0] for path in found.paths} == {"MainThread"}


def test_nothing_was_recorded(name):
    for stats in (tracer.Stats(), tracer.Stats(tracer.Profile())):
        found = read(name, paths_of(stats), stats)
        assert functions_of(found) == {}
        assert not found.edges
        assert not found.paths


def test_hostile_names(name):
    paths = hostile_paths()
    wanted = {row: (1, 10 + number, 10 + number) for number, row in enumerate(paths.rows)}
    assert_agree(read(name, paths), name, paths, wanted)


def test_the_title_is_hostile(name):
    """Where the format has a place for it: a command may be anything."""
    paths = paths_by_hand(["a"], tree_of([(1, 0, 1, 5)]))
    for title in (TITLE, "", " blanks "):
        found = reader_of(name).read(exported(paths, name, title=title, minimum=0))
        assert found.title in (None, shown(title))


def test_a_deep_recursion(name):
    depth = 20_000
    nodes = [(level, 0, level == depth, level == depth) for level in range(1, depth + 1)]
    paths = paths_by_hand(["down"], tree_of(nodes))
    assert_agree(read(name, paths), name, paths, {paths.rows[0]: (None, 1, 1)})


def test_time_below_nothing(name):
    """Compensation may leave a node less than no time, which no path can show."""
    paths = paths_by_hand(["a", "b"], tree_of([(1, 0, 1, -5), (2, 1, 1, 8)]))
    found = read(name, paths)
    assert_agree(found, name, paths, {paths.rows[0]: (1, None, None), paths.rows[1]: (1, 8, 8)})
    a, _ = reader_of(name).names(paths)
    told = functions_of(found)[a]
    for time, allowed in ((told.own, (0, -5)), (told.cumulative, (3, 8))):
        assert time is None or any(abs(time - want) <= found.error for want in allowed)
    if found.paths is not None:
        assert set(found.paths.values()) <= {0, -5, 8}


def test_what_ran_already_has_no_calls(name):
    """A format that knows no calls of 0 may tell of one."""
    paths = paths_by_hand(["already", "called"], tree_of([(1, 0, 0, 5), (2, 1, 3, 8)]))
    found = read(name, paths)
    already, _ = reader_of(name).names(paths)
    assert functions_of(found)[already].calls in (0, 1, None)
    assert_agree(found, name, paths, {paths.rows[0]: (None, 5, 13), paths.rows[1]: (3, 8, 8)})


@pytest.mark.parametrize("limit", [0, 5])
def test_past_the_node_limit(name, limit):
    """Calls whose paths were not kept are in all sums, and paths say that they were not kept."""
    stats = qualified(recorded(_node_limit=limit))
    paths = paths_of(stats)
    assert paths.trees[0].edges
    found = read(name, paths, stats)
    if found.functions is not None:
        error = len(paths.rows)  # what such calls cost is shared out, in whole nanoseconds
        assert_agree(found, name, paths, wanted_of(stats), error)
    assert_calls_agree(found, name, paths, stats)
    if found.paths is not None:
        unkept = reader_of(name).names(paths)[paths.rows.index(Row("~", 0, UNKEPT))]
        assert sum(found.paths.values()) == nanoseconds(stats.total_tt)
        assert any(unkept in path for path in found.paths)


def test_threads_of_one_name_count_as_one(name):
    paths = paths_by_hand(
        ["work", "more"],
        tree_of([(1, 0, 2, 30)], "MainThread", 11),
        tree_of([(1, 0, 3, 50)], "pool", 12),
        tree_of([(1, 0, 4, 70), (2, 1, 1, 5)], "pool", 13),
        tree_of([], "idle", 14),
    )
    found = read(name, paths)
    assert_agree(found, name, paths, {paths.rows[0]: (9, 150, 155), paths.rows[1]: (1, 5, 5)})
    if found.paths is not None:
        work, more = reader_of(name).names(paths)
        assert found.paths == {
            ("MainThread", work): 30,
            ("pool", work): 120,
            ("pool", work, more): 5,
        }


def test_an_estimate_says_so(name):
    """If the format holds paths, and has a place for the rule."""
    paths = paths_by_hand(["a"], tree_of([(1, 0, 1, 5)]), rule=RULE)
    found = read(name, paths)
    if found.paths is None:
        assert found.rule is None, "figures and callers are no estimate"
    else:
        assert found.rule is not None, "the paths are an estimate and it does not say so"
        assert found.rule == NO_PLACE or RULE in found.rule


def test_callers_alone(name):
    """As in a file of cProfile. Times are those measured, however an export shares them out."""
    key = {name: ("/app/main.py", line, name) for line, name in enumerate("mab", 1)}
    figures = {
        key["m"]: (1, 1, 1e-6, 100e-6, {}),
        key["a"]: (1, 2, 50e-6, 99e-6, {key["m"]: (1, 1, 0, 99e-6), key["b"]: (1, 1, 0, 60e-6)}),
        key["b"]: (1, 2, 49e-6, 80e-6, {key["a"]: (2, 1, 0, 80e-6)}),
    }
    stats = tracer.Stats(io.BytesIO(marshal.dumps(figures)))
    paths = paths_of(stats)
    found = read(name, paths, stats)
    if found.functions is not None:
        assert_agree(found, name, paths, wanted_of(stats))
    assert_calls_agree(found, name, paths, stats)
    if found.paths is not None:
        assert sum(found.paths.values()) == pytest.approx(100_000, abs=len(found.paths))


class Pieces(io.BytesIO):
    """A file that knows its largest write."""

    largest = 0

    def write(self, data):
        self.largest = max(self.largest, len(data))
        return super().write(data)


def test_a_large_tree_is_written_bit_by_bit(name):
    """An export made of nodes is never in one piece, and tells how far it has come. One made of
    functions alone may be in one, and one made of the Stats, which is empty here."""
    out, told = Pieces(), []
    made = Export(tracer.Stats(), name, 0, paths=many_paths())
    made.write(out, progress=told.append)
    assert out.largest <= LARGEST
    assert told == sorted(told)
    assert told[-1] == made.nodes
    found = reader_of(name).read(out.getvalue())
    costs = any(calls.cost is not None for calls in (found.edges or {}).values())
    if found.paths is not None or costs:  # which only the nodes tell
        assert len(told) > 3, "hand options.progress to what goes through the nodes"


def test_pieces_have_no_seam(profile, name, monkeypatch):
    stats = qualified(profile)
    whole = read(name, paths_of(stats), stats)
    for module in (call_tree, writing, import_module(f"tracer.exports.formats.{name}")):
        for size in {"BATCH", "PIECES", "LARGEST_WRITE"} & set(vars(module)):
            monkeypatch.setattr(module, size, 1)
    assert read(name, paths_of(stats), stats) == whole


def test_a_minimum_leaves_out_what_the_format_says(name):
    #              main 1: large 60; small 2: below 3; large, within: 34
    nodes = [(1, 0, 1, 1), (2, 1, 1, 60), (2, 2, 1, 2), (3, 3, 1, 3), (2, 1, 1, 34)]
    paths = paths_by_hand(["main", "large", "small", "below"], tree_of(nodes))
    if FORMATS[name].prunes == "nothing":
        with pytest.raises(ValueError, match=f"{name} has no .* to leave out; .* have"):
            read(name, paths, minimum=10)
        assert FORMATS[name].minimum == 0
        return
    names = reader_of(name).names(paths)
    for minimum, large in ((0, names), (5, names[:3]), (5.1, names[:2])):
        found = read(name, paths, minimum=minimum)
        if FORMATS[name].prunes == "paths":
            assert sum(found.paths.values()) == 100
            assert {path[-1] for path in found.paths} & set(names) == set(large)
        else:
            assert set(functions_of(found)) == set(large)
            if found.edges is not None:
                assert set().union(*found.edges) == set(large)


def test_the_minimum_that_is_not_told(name):
    paths = paths_by_hand(["main", "small"], tree_of([(1, 0, 1, 9_999), (2, 1, 1, 1)]))
    least = FORMATS[name].minimum
    assert check_minimum(name, None) == least
    found, wanted = (functions_of(read(name, paths, minimum=minimum)) for minimum in (None, least))
    assert found == wanted
