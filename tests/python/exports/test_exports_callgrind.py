"""callgrind files: what calls cost adds up to the cumulative time of the callee."""

import gzip
import io
import marshal

import pytest

import tracer
from exporting import (
    export_of,
    exported,
    names_in_callgrind,
    nanoseconds,
    paths_by_hand,
    qualified,
    recorded,
    tree_of,
)
from formats.callgrind import read_callgrind
from formats.folded import read_folded
from tracer.analysis.tree.call_tree import paths_of


@pytest.fixture(scope="module")
def profile():
    return recorded()


@pytest.fixture(scope="module")
def stats(profile):
    return qualified(profile)


def test_callgrind_counts_no_recursion_twice():
    #                  main 1: a 10: b 20: a 30: b 40
    tree = tree_of([(1, 0, 1, 1), (2, 1, 1, 10), (3, 2, 1, 20), (4, 1, 1, 30), (5, 2, 1, 40)])
    text = exported(paths_by_hand(["main", "a", "b"], tree), "callgrind").decode()
    assert text.partition("summary: 101\n\n")[2] == (
        "fl=(1) /app/main.py\nfn=(1) main\n+1 1\n"
        "cfi=(1)\ncfn=(2) a\ncalls=1 2\n* 100\n"
        "\nfl=(1)\nfn=(2)\n+1 40\n"
        "cfi=(1)\ncfn=(3) b\ncalls=2 3\n* 90\n"
        "\nfl=(1)\nfn=(3)\n+1 60\n"
        "cfi=(1)\ncfn=(2)\ncalls=1 2\n* 0\n"
        "\nfl=(2) ~\nfn=(4) <program>\n-3 0\n"
        "cfi=(1)\ncfn=(1)\ncalls=1 1\n* 101\n"
    )


def test_callgrind(stats, profile):
    calls, own = read_callgrind(export_of(profile, "callgrind"))
    names = names_in_callgrind(stats)
    assert own.pop("<program>") == 0
    assert own == {names[label]: nanoseconds(row[2]) for label, row in stats.stats.items()}
    for label, (_, _, _, cumtime, callers) in stats.stats.items():
        assert nanoseconds(cumtime) == sum(
            cost for (_, callee), (_, cost) in calls.items() if callee == names[label]
        )
        for caller, (count, *_) in callers.items():
            assert calls[names[caller], names[label]][0] == count


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 10, 15])
def test_past_the_node_limit_sums_are_right(limit):
    """The callers of calls whose paths were not kept are known; the calls' costs are shared out."""
    profile = recorded(_node_limit=limit)
    paths = paths_of(tracer.Stats(profile))
    assert paths.trees[0].edges
    stats = qualified(profile)
    calls, own = read_callgrind(export_of(profile, "callgrind"))
    names = names_in_callgrind(stats)
    for label, (_, ncalls, tottime, cumtime, _) in stats.stats.items():
        into = [figures for call, figures in calls.items() if call[1] == names[label]]
        assert own[names[label]] == nanoseconds(tottime)
        assert sum(count for count, _ in into) == ncalls
        assert sum(cost for _, cost in into) == pytest.approx(nanoseconds(cumtime), abs=len(into))
    for name in ("folded", "pprof", "speedscope", "json"):
        assert b"<paths not kept>" in (
            exported(paths, name) if name != "pprof" else gzip.decompress(exported(paths, name))
        )
    folded = read_folded(exported(paths, "folded"))
    assert sum(folded.values()) == nanoseconds(stats.total_tt)


def test_callgrind_of_edges_alone_is_kept_below_what_was_measured():
    key = {name: ("/app/main.py", line, name) for line, name in enumerate("mab", 1)}
    figures = {
        key["m"]: (1, 1, 1e-9, 100e-9, {}),
        key["a"]: (1, 2, 50e-9, 99e-9, {key["m"]: (1, 1, 0, 99e-9), key["b"]: (1, 1, 0, 60e-9)}),
        key["b"]: (1, 2, 49e-9, 80e-9, {key["a"]: (2, 1, 0, 80e-9)}),
    }
    stats = tracer.Stats(io.BytesIO(marshal.dumps(figures)))
    calls, own = read_callgrind(exported(paths_of(stats), "callgrind", stats))
    assert own == {"<program>": 0, "m": 1, "a": 50, "b": 49}
    assert calls == {
        ("<program>", "m"): (1, 100),
        ("m", "a"): (1, 62),  # 99 * 99 / 159
        ("b", "a"): (1, 37),
        ("a", "b"): (2, 80),
    }
