"""tracer.Stats: it prints what pstats.Stats prints, and what it takes and knows beyond that.

Threads have test_stats_threads.py, what it looks like test_stats_looks.py, files test_files.py.
"""

import cProfile
import io
import itertools
import marshal
import pstats
import re

import pytest

import tracer
from rows import by_name, calls, record


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Reader:
    def read(self, lines):
        return [self.decode(line) for line in lines]

    def decode(self, line):
        return line.upper()


def numbers(limit):
    yield from range(limit)


def program():
    fib(6)
    Reader().read(["a", "b", "c"])
    return sorted(numbers(4), key=lambda x: -x)


@pytest.fixture
def path(tmp_path):
    """A profile file."""
    record(program).dump_stats(tmp_path / "profile.out")
    return tmp_path / "profile.out"


@pytest.fixture
def other_path(tmp_path):
    record(lambda: fib(3)).dump_stats(tmp_path / "other.out")
    return tmp_path / "other.out"


@pytest.fixture
def their_path(tmp_path):
    """A file that cProfile wrote."""
    theirs = cProfile.Profile()
    theirs.runcall(program)
    theirs.dump_stats(tmp_path / "theirs.out")
    return tmp_path / "theirs.out"


# -- The same characters -----------------------------------------------------------------------

USES = {
    "as it is": lambda stats: stats.print_stats(),
    "callers": lambda stats: stats.print_callers(),
    "callees": lambda stats: stats.print_callees(),
    "stripped": lambda stats: stats.strip_dirs().sort_stats("name").print_stats(),
    "first rows": lambda stats: stats.sort_stats("tottime", "name").print_stats(3),
    "a part": lambda stats: stats.sort_stats("cumtime", "name").print_stats(0.5),
    "pattern": lambda stats: stats.sort_stats("stdname").print_stats("fib|read"),
    "patterns": lambda stats: stats.sort_stats("stdname").print_stats("a", 0.9, 4),
    "nothing left": lambda stats: stats.sort_stats("stdname").print_stats("no such function"),
    "callers of": lambda stats: stats.strip_dirs().sort_stats("nfl").print_callers("fib", 2),
    "callees of": lambda stats: stats.strip_dirs().sort_stats("nfl").print_callees("read"),
    "reversed": lambda stats: stats.sort_stats("calls", "name").reverse_order().print_stats(),
    "added to itself": lambda stats: stats.add(str(stats_path(stats))).print_stats(),
    "title": lambda stats: stats.print_title(),
}


def stats_path(stats):
    return re.search(r"    (/.*)", stats.files[0])[1]


def printed(kind, source, use):
    out = io.StringIO()
    use(kind(str(source), stream=out))
    return out.getvalue()


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_prints_what_pstats_prints(path, their_path, use):
    for source in path, their_path:
        expected = printed(pstats.Stats, source, use)
        assert len(expected) > 50
        assert printed(tracer.Stats, source, use) == expected


@pytest.mark.parametrize("key", [*pstats.Stats.sort_arg_dict_default, -1, 0, 1, 2])
def test_every_key_sorts_as_in_pstats(path, key):
    def use(stats):
        stats.sort_stats(key).print_stats()

    assert printed(tracer.Stats, path, use) == printed(pstats.Stats, path, use)


def test_several_files_print_as_in_pstats(path, other_path, their_path):
    for order in itertools.permutations([path, other_path, their_path]):
        names = [str(item) for item in order]
        outs = []
        for kind in pstats.Stats, tracer.Stats:
            outs.append(io.StringIO())
            kind(*names, stream=outs[-1]).sort_stats("cumulative", "name").print_callers()
        assert outs[0].getvalue() == outs[1].getvalue() != ""


def test_get_stats_profile_is_that_of_pstats(path):
    ours, theirs = (kind(str(path)).get_stats_profile() for kind in (tracer.Stats, pstats.Stats))
    assert ours == theirs
    assert ours.func_profiles["fib"].ncalls == "25/1"


def test_output_goes_to_stdout_unless_a_stream_is_named(path, capsys):
    tracer.Stats(path).print_stats()
    assert "(fib)" in capsys.readouterr().out
    out = io.StringIO()
    tracer.Stats(path, stream=out).print_stats()
    assert "(fib)" in out.getvalue()
    assert capsys.readouterr().out == ""


def test_without_a_key_it_sorts_by_cumulative_time(path):
    ours, theirs = tracer.Stats(path), pstats.Stats(str(path))
    assert ours.sort_stats() is ours
    theirs.sort_stats("cumulative")
    assert ours.fcn_list == theirs.fcn_list
    assert ours.sort_type == "cumulative time"


def test_an_unknown_key_is_refused(path):
    with pytest.raises(KeyError):
        tracer.Stats(path).sort_stats("nonsense")


def test_dump_stats_of_stats_can_be_read(path, tmp_path):
    stats = tracer.Stats(path)
    stats.dump_stats(str(tmp_path / "again.out"))
    assert pstats.Stats(str(tmp_path / "again.out")).stats == stats.stats


# -- Sources -----------------------------------------------------------------------------------


def same(one, two):
    assert one.stats == two.stats
    assert one.resumes == two.resumes
    assert (one.total_calls, one.prim_calls, one.total_tt) == (
        two.total_calls,
        two.prim_calls,
        two.total_tt,
    )
    return True


def test_paths_and_open_files(path):
    expected = tracer.Stats(str(path))
    assert expected.stats
    assert same(tracer.Stats(path), expected)
    with open(path, "rb") as file:
        assert same(tracer.Stats(file), expected)
    assert same(tracer.Stats(io.BytesIO(path.read_bytes())), expected)
    assert tracer.Stats(path).files == pstats.Stats(str(path)).files


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "ascii", "utf-16"])
def test_a_file_open_in_text_mode_is_refused(path, encoding):
    with (
        open(path, encoding=encoding) as file,
        pytest.raises(TypeError, match=r"profile\.out: open a profile in binary mode, 'rb'"),
    ):
        tracer.Stats(file)


@pytest.mark.parametrize("source", [42, object(), b"profile.out", [1]])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(TypeError, match="Cannot create or construct"):
        tracer.Stats(source)


def test_nothing_is_an_empty_stats():
    stats = tracer.Stats()
    assert (stats.stats, stats.resumes, stats.total_calls, len(stats.threads)) == ({}, {}, 0, 0)
    assert repr(stats) == "<tracer.Stats: 0 calls of 0 functions in 0.000 s>"
    stats.sort_stats().print_stats()


def test_a_profile_is_read_and_left_as_it_is():
    profile = tracer.Profile(builtins=False)
    profile.enable()
    fib(3)
    stats = tracer.Stats(profile)
    assert profile.enabled
    fib(3)
    profile.disable()
    label = (__file__, fib.__code__.co_firstlineno, "fib")
    assert stats.stats[label][:2] == (1, 5)
    assert tracer.Stats(profile).stats[label][:2] == (2, 10)


def test_a_finished_profile_and_its_file_are_the_same(tmp_path):
    profile = record(program)
    profile.dump_stats(tmp_path / "profile.out")
    assert same(tracer.Stats(tmp_path / "profile.out"), tracer.Stats(profile))
    assert same(tracer.Stats(profile.capture()), tracer.Stats(profile))


def test_a_profile_of_cprofile():
    theirs = cProfile.Profile()
    theirs.runcall(program)
    stats = tracer.Stats(theirs)
    assert stats.stats == pstats.Stats(theirs).stats
    assert (stats.resumes, stats.captures) == ({}, [])


def test_a_file_of_cprofile(their_path):
    stats = tracer.Stats(their_path)
    assert stats.stats == pstats.Stats(str(their_path)).stats
    assert (stats.resumes, stats.captures, stats.problems) == ({}, [], [])
    assert list(stats.threads) == []


def test_a_file_of_the_old_profile_module(tmp_path):
    """In such a file, callers have plain numbers."""
    callee, caller = ("a.py", 3, "callee"), ("a.py", 9, "caller")
    old_stats = {caller: (1, 1, 0.5, 2.5, {}), callee: (2, 3, 2.0, 2.0, {caller: 2, callee: 1})}
    old_path = tmp_path / "old.out"
    old_path.write_bytes(marshal.dumps(old_stats))
    stats = tracer.Stats(old_path)
    assert stats.stats == old_stats
    assert (stats.total_calls, stats.prim_calls, stats.total_tt) == (4, 3, 2.5)

    def use(stats):
        stats.sort_stats("stdname").print_stats()
        stats.print_callers()

    assert printed(tracer.Stats, old_path, use) == printed(pstats.Stats, old_path, use)


def test_stats_of_stats_and_of_pstats(path):
    stats = tracer.Stats(path)
    assert same(tracer.Stats(stats), stats)
    assert len(tracer.Stats(stats).threads) == 1
    theirs = pstats.Stats(str(path))
    assert tracer.Stats(theirs).stats == theirs.stats


def test_several_are_added_up(path, other_path):
    one, two = tracer.Stats(path), tracer.Stats(other_path)
    both = tracer.Stats(path, other_path)
    assert both.total_calls == one.total_calls + two.total_calls
    label = (__file__, fib.__code__.co_firstlineno, "fib")
    assert both.stats[label][:2] == (1 + 1, 25 + 5)
    assert same(tracer.Stats(path).add(other_path), both)
    assert len(both.captures) == len(both.threads) == 2


def test_several_of_different_kinds(path, their_path):
    with open(path, "rb") as file:
        stats = tracer.Stats(file, record(program), their_path, tracer.Stats(path))
    assert by_name(stats)["fib"].calls == 4 * 25
    (label,) = (label for label in stats.stats if label[2] == "numbers")
    assert stats.resumes[label].total == 3 * 4
    # cProfile has the resumes among its calls.
    assert stats.stats[label][1] == 3 * 1 + 5


def test_adding_leaves_the_added_as_it_was(path):
    one, two = tracer.Stats(path), tracer.Stats(path)
    expected = tracer.Stats(path)
    one.add(two)
    one.add(two)
    assert same(two, expected)
    assert by_name(one)["fib"].calls == 75
    ((_, resumes),) = one.resumes.items()
    assert resumes.total == 12


def test_a_copy_keeps_the_problems_of_its_files(path):
    data = path.read_bytes()
    cut = tracer.Stats(io.BytesIO(data[:-3]))
    (problem,) = cut.problems
    assert tracer.Stats(cut).problems == [problem]
    assert tracer.Stats(path, cut).problems == [problem]
    assert tracer.Stats(cut, cut).problems == [problem, problem]
    assert cut.problems == [problem]


# -- Resumes -----------------------------------------------------------------------------------


def test_resumes_say_who_resumed(path):
    ((label, resumes),) = tracer.Stats(path).resumes.items()
    assert label[2] == "numbers"
    assert (resumes.total, resumes.primitive) == (4, 4)
    assert {caller[2]: tuple(counts) for caller, counts in resumes.callers.items()} == {
        "<built-in method builtins.sorted>": (4, 4)
    }


def test_stripped_resumes_have_stripped_labels(path):
    stats = tracer.Stats(path).strip_dirs()
    ((label, resumes),) = stats.resumes.items()
    assert label[0] == "test_stats.py"
    assert label in stats.stats
    assert resumes.total == 4
    assert set(resumes.callers) <= set(stats.stats)


# -- Qualified names ---------------------------------------------------------------------------


def test_qualified_names(path):
    stats = tracer.Stats(path, names="qualname")
    assert {"fib", "Reader.read", "Reader.decode", "program.<locals>.<lambda>"} <= {
        label[2] for label in stats.stats
    }
    assert ("~", 0, "<str.upper>") in stats.stats
    out = io.StringIO()
    stats.stream = out
    stats.print_stats("Reader")
    assert "(Reader.read)" in out.getvalue()
    assert stats.total_calls == tracer.Stats(path).total_calls
    assert [label[2] for label in stats.resumes] == ["numbers"]
    assert "Reader.read" in calls(stats.threads[0])


def test_qualified_names_of_a_live_profile():
    assert "Reader.read" in calls(tracer.Stats(record(program), names="qualname"))


def test_qualified_names_that_a_file_does_not_have(their_path):
    with pytest.raises(ValueError, match="holds no qualified names, because tracer did not write"):
        tracer.Stats(their_path, names="qualname")


def test_stats_of_other_names_are_refused(path):
    labels, qualnames = tracer.Stats(path), tracer.Stats(path, names="qualname")
    before = dict(labels.stats)
    for use in (
        lambda: labels.add(path, qualnames),
        lambda: tracer.Stats(qualnames),
        lambda: tracer.Stats(path, qualnames),
    ):
        with pytest.raises(ValueError) as caught:
            use()
        assert str(caught.value) == (
            "a Stats with names='qualname' cannot be taken into one with names='label': "
            "make both with the same names"
        )
    assert labels.stats == before
    for theirs in labels, pstats.Stats(str(path)):
        with pytest.raises(ValueError, match="names='label' cannot be taken into one with names='"):
            tracer.Stats(theirs, names="qualname")
    assert same(tracer.Stats(qualnames, names="qualname"), qualnames)
    assert "Reader.read" in calls(qualnames.add(qualnames))


def test_unknown_names_are_refused(path):
    with pytest.raises(ValueError, match="names must be 'label' or 'qualname', not 'full'"):
        tracer.Stats(path, names="full")
