"""Results as data: each table's rows, order, limit and what it left out; bad input; frames."""

import cProfile
import io
import threading
import time

import pytest

import tracer
from pictures import SOURCE, profile_of
from tracer.results.comparison import ChangeRow
from tracer.results.records import Finding, Function
from tracer.results.table import Omitted, columns_of
from tracer.results.tables import kinds
from tracer.results.tree_table import TreeRow

NAMES = list(kinds())


def stats_of(*words, **options):
    return tracer.Stats(profile_of(*words, **options), names="qualname")


def figures(table, *keys):
    return [tuple(getattr(row, key) for key in keys) for row in table]


def test_functions():
    table = stats_of("top").table()
    assert figures(table, "name", "module", "kind", "ncalls", "tottime", "cumtime") == [
        ("top", "work", "own", 1, 3.0, 8.0),
        ("leaf", "work", "own", 3, 3.0, 3.0),
        ("Shop.middle", "work", "own", 1, 2.0, 4.0),
    ]
    assert (table.name, table.order, table.whole, table.omitted) == ("functions", "tottime", 3, ())
    row = table[1]
    assert (row.primitive, row.waited, row.busy, row.resumes, row.longest) == (3, 0.0, 3.0, 0, 1.0)


def test_another_order_and_a_limit():
    table = stats_of("top").table("functions", by="cumtime", limit=1)
    assert figures(table, "name") == [("top",)]
    assert (len(table), table.whole) == (1, 3)
    assert table.omitted == (Omitted(2, 3, "the limit is 1", "give limit=None"),)
    names = figures(stats_of("top").table("functions", by="name"), "name")
    assert names == [("Shop.middle",), ("leaf",), ("top",)]  # a text: the least first
    assert len(stats_of("top").table(limit=0)) == 0


def test_only_some_functions():
    stats = stats_of("top")
    assert figures(stats.table(only="leaf"), "name") == [("leaf",)]
    assert figures(stats.table(only="l.*e"), "name") == [("leaf",), ("Shop.middle",)]
    none = stats.table(only="nobody")
    assert (len(none), len(none.omitted)) == (0, 1)
    assert "'nobody'" in none.omitted[0].why


def test_callers_and_callees():
    stats = stats_of("top")
    keys = "caller", "callee", "ncalls", "tottime", "cumtime"
    assert figures(stats.table("callers", only="leaf"), *keys) == [
        ("Shop.middle", "leaf", 2, 2.0, 2.0),
        ("top", "leaf", 1, 1.0, 1.0),
    ]
    assert figures(stats.table("callees", only="top"), *keys) == [
        ("top", "Shop.middle", 1, 2.0, 4.0),
        ("top", "leaf", 1, 1.0, 1.0),
    ]


def test_threads():
    with tracer.Profile() as profile:
        thread = threading.Thread(target=sum, args=([1],), name="adder")
        thread.start()
        thread.join()
    stats = tracer.Stats(profile)
    table = stats.table("threads")
    assert {row.name for row in table} == {"MainThread", "adder"}
    for row in table:
        assert row.busy + row.waited == pytest.approx(row.time)
        assert row.ncalls == stats.threads[row.name].total_calls
    assert figures(stats.table("threads", only="adder"), "name") == [("adder",)]
    assert stats.table("threads", only="x").omitted[0].why == "no thread is named 'x'"


def test_the_tree():
    tree = stats_of("top").tree()
    assert figures(tree, "depth", "name", "share", "cumtime", "tottime", "ncalls") == [
        (1, "top", 100.0, 8.0, 3.0, 1),
        (2, "Shop.middle", 50.0, 4.0, 2.0, 1),
        (3, "leaf", 25.0, 2.0, 2.0, 2),
        (2, "leaf", 12.5, 1.0, 1.0, 1),
    ]
    assert tree.omitted == ()
    few = stats_of("top").tree(depth=2, percent=20)
    assert figures(few, "name") == [("top",), ("Shop.middle",)]
    assert [(it.number, it.of) for it in few.omitted] == [(1, 4), (1, 4)]
    below = stats_of("top").tree(root="middle")
    assert figures(below, "depth", "name", "share") == [(1, "Shop.middle", 100), (2, "leaf", 50)]
    assert len(stats_of("top").tree(root="nobody")) == 0


def test_changes():
    after = stats_of("top", source=SOURCE.replace("clock.now += 3", "clock.now += 1"))
    table = tracer.compare(stats_of("top"), after).table()
    keys = "name", "state", "tottime_before", "tottime_after", "change", "matters"
    assert figures(table, *keys)[0] == ("top", "changed", 3.0, 1.0, -2.0, True)
    assert figures(table, "name", "state")[1:] == [("leaf", "same"), ("Shop.middle", "same")]
    with pytest.raises(ValueError, match="unknown metric 'x'"):
        tracer.compare(after, after).table("x")


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_profile_has_empty_tables_with_their_columns(name):
    table = tracer.Stats().table(name)
    assert len(table) == 0
    assert list(table.to_dict()) == [column.key for column in table.columns]
    assert table.to_dicts() == []
    assert str(table).splitlines()[0].split() == [column.key for column in table.columns]


@pytest.mark.parametrize("name", ["lines", "memory", "native", "ranges", "slowest", "steps"])
def test_what_was_not_recorded_is_told(name):
    [omitted] = stats_of("top").table(name).omitted
    assert (omitted.number, omitted.of) == (0, 0)
    assert omitted.why


def test_a_file_of_cprofile_has_what_it_has(tmp_path):
    cProfile.run("sum([1])", tmp_path / "c.out")
    stats = tracer.Stats(tmp_path / "c.out")
    table = stats.table()
    assert all(row.waited is row.longest is None and row.ncalls >= 1 for row in table)
    assert table.omitted[0].remedy == "record the program with tracer"
    assert len(table) == len(stats.stats)
    assert stats.table("functions", by="waited").order == "waited"  # of which nothing is known
    assert stats.table("threads").omitted[0].why == (
        "threads are not known: another profiler wrote this"
    )


def test_a_damaged_file_has_what_is_left(tmp_path):
    path = tmp_path / "half.out"
    profile_of("top").dump_stats(path)
    path.write_bytes(path.read_bytes()[:-20])
    stats = tracer.Stats(path)
    assert stats.problems and figures(stats.table(), "ncalls")
    assert stats.table().omitted[0].why == (
        "waits, resumes and longest calls are not known: a damaged file has lost them"
    )


def test_what_there_is_not_is_refused():
    stats = stats_of("top")
    with pytest.raises(ValueError, match=r"there is no table 'x'; choose from functions, threads"):
        stats.table("x")
    with pytest.raises(ValueError, match=r"'threads' has no column 'x'; choose from name, ident"):
        stats.table("threads", by="x")
    with pytest.raises(ValueError, match="has no column 'phases'"):
        stats.table("steps", by="phases")
    with pytest.raises(ValueError, match="limit must be 0 or more"):
        stats.table(limit=-1)
    for limit in (1.5, "3", True):
        with pytest.raises(TypeError, match="limit must be a whole number or None"):
            stats.table(limit=limit)
    with pytest.raises(ValueError, match="steps have no names"):
        stats.table("steps", only="x")
    with pytest.raises(ValueError, match="depth must be 1 or more"):
        stats.tree(depth=0)


def test_a_table_is_a_sequence_that_does_not_change():
    table = stats_of("top").table(limit=2)
    assert table[-1] == table[1] and table[:1] == (table[0],) and table[0] in table
    assert list(reversed(table)) == [table[1], table[0]]
    assert table == stats_of("top").table(limit=2) and table != stats_of("top").table()
    assert hash(table) == hash(stats_of("top").table(limit=2))
    with pytest.raises(AttributeError):
        table.other = 1
    assert repr(table) == "<tracer.Table functions: 2 of 3 rows>"


def test_as_columns_and_as_dictionaries():
    table = stats_of("top").table(limit=2)
    assert table.to_dict()["name"] == ["top", "leaf"]
    assert table.to_dicts()[1] == table[1]._asdict()


def test_text_and_markup():
    hostile = SOURCE.replace("leaf", "l\u00e9af")
    table = stats_of("top", source=hostile, file="/a<b>\n.py").table(by="name", limit=2)
    head, *_, row, rest = str(table).splitlines()
    assert head.split()[:3] == ["name", "module", "file"]
    assert row.startswith("l\u00e9af") and "/a<b>\\n.py" in row
    assert rest == "1 of 3 rows left out: the limit is 2; give limit=None"
    markup = table._repr_html_()
    assert "/a&lt;b&gt;\\n.py" in markup and "<b>" not in markup
    assert markup.count("<tr>") == 3 and "1 of 3 rows left out" in markup


def test_each_column_says_what_it_is():
    rows = [row for row, *_ in kinds().values()]
    for row in (*rows, TreeRow, ChangeRow):
        columns = columns_of(row)
        assert tuple(column.key for column in columns) == row._fields
        assert all(column.type and column.about and column.kind for column in columns)


def test_what_ran_already_has_a_row_of_functions_but_none_of_a_figure():
    go = threading.Event()

    def loop():
        while not go.is_set():
            sum(range(1000))

    thread = threading.Thread(target=loop)
    thread.start()
    with tracer.Profile() as profile:
        time.sleep(0.05)
    go.set()
    thread.join()
    stats = tracer.Stats(profile, names="qualname", stream=io.StringIO())
    [row] = [row for row in stats.table() if row.name.endswith("<locals>.loop")]
    assert row.ncalls == 0 and row.tottime > 0
    assert "(loop)" not in stats.print_longest().stream.getvalue()


def test_items_of_steps_are_numbers_of_one_type():
    profiler = tracer.StepProfiler()
    with profiler:
        for number in (1, 2.5):
            profiler.step(number)
    assert {type(row.items) for row in profiler.stats.table("steps")} <= {float, type(None)}


def recorded_with_all():
    with tracer.Profile(memory=True, timeline=True) as profile, tracer.range("load"):
        sorted([3, 1])
    return tracer.Stats(profile)


@pytest.mark.parametrize("name", ["functions", "callers", "memory", "slowest", "ranges"])
def test_only_is_a_text(name):
    with pytest.raises(TypeError, match="only must be a text, a name or a regular expression"):
        recorded_with_all().table(name, only=["top"])


def test_root_is_a_text():
    with pytest.raises(TypeError, match="root must be a text"):
        stats_of("top").tree(root=3)


def test_an_empty_profile_says_so():
    stats = tracer.Stats(tracer.Profile())
    for table in (stats.table(), stats.table("threads"), stats.tree()):
        assert [it.why for it in table.omitted] == ["nothing was recorded"], table.name


def test_what_another_profiler_does_not_know_is_none(tmp_path):
    profile = cProfile.Profile()
    profile.runcall(sorted, [3, 1])
    profile.dump_stats(tmp_path / "c.prof")
    other, own = tracer.Stats(str(tmp_path / "c.prof")), tracer.Stats(profile_of("top"))
    assert {row.waited for row in other.tree(percent=0)} == {None}
    found = tracer.compare(other, own)
    assert {row.waited_before for row in found.table()} == {None}
    assert [it.why for it in found.table("waited").omitted] == [
        "waited is not known of both profiles"
    ]


def test_a_comparison_is_a_table_as_text():
    found = tracer.compare(stats_of("top"), stats_of("top"))
    assert repr(found).startswith("<tracer.Comparison of 3 functions: 0 new, 0 gone")
    assert str(found) == str(found.table()) and "<table>" in found._repr_html_()


def test_a_finding_is_its_line():
    finding = Finding("rule", ("50%: ", Function("/a/b.py", 3, "f"), " waits"), " (more)")
    assert str(finding) == "50%: b.py:3 waits (more)"
    assert Function("/a/b.py", 0, "f").place == "b.py"
