"""tracer.results.comparison: which functions of two profiles are the same one, and what grew."""

import json

import pytest

import tracer
from pictures import FILE, SOURCE, profile_of
from tracer.results.comparison import METRICS, TOTAL, Change, Metrics, compare, comparison_of


def stats_of(*words, names="qualname", **options):
    return tracer.Stats(profile_of(*words, **options), names=names)


def changes(comparison):
    """{name with its module: (state, before, after)}"""
    found = {it.name: (it.state, it.before, it.after) for it in comparison.changes}
    assert len(found) == len(comparison.changes)
    return found


def test_the_same_profile_twice():
    stats = stats_of("top")
    comparison = compare(stats, stats)
    assert changes(comparison) == {
        "work.leaf": ("same", Metrics(3, 3.0, 3.0), Metrics(3, 3.0, 3.0)),
        "work.Shop.middle": ("same", Metrics(1, 2.0, 4.0), Metrics(1, 2.0, 4.0)),
        "work.top": ("same", Metrics(1, 3.0, 8.0), Metrics(1, 3.0, 8.0)),
    }
    assert comparison.total == Change("", TOTAL, Metrics(5, 8.0, 8.0), Metrics(5, 8.0, 8.0))
    for metric in METRICS:
        assert comparison.biggest(metric) == comparison.grown(metric, 0) == []


MORE = SOURCE.replace("        leaf()\n        leaf()\n", "        leaf()\n" * 4).replace(
    "    clock.now += 3\n", "    clock.now += 1\n    brand_new()\n\ndef brand_new():\n    leaf()\n"
)


def test_another_checkout_with_moved_lines():
    before = stats_of("top")
    after = stats_of("top", source="\n\n\n" + MORE, file="/somewhere/else/app/work.py")
    comparison = compare(before, after)
    assert changes(comparison) == {
        "work.leaf": ("changed", Metrics(3, 3.0, 3.0), Metrics(6, 6.0, 6.0)),
        "work.Shop.middle": ("changed", Metrics(1, 2.0, 4.0), Metrics(1, 2.0, 6.0)),
        "work.top": ("changed", Metrics(1, 3.0, 8.0), Metrics(1, 1.0, 9.0)),
        "work.brand_new": ("new", None, Metrics(1, 0.0, 1.0)),
    }
    assert comparison.total[2:] == (Metrics(5, 8.0, 8.0), Metrics(9, 9.0, 9.0))
    (leaf,) = [it for it in comparison.changes if it.name == "work.leaf"]
    assert leaf.label == ("/somewhere/else/app/work.py", 5, "leaf")
    assert (leaf.delta("calls"), leaf.ratio("calls")) == (3, 2.0)
    (new,) = [it for it in comparison.changes if it.state == "new"]
    assert (new.delta("cumtime"), new.ratio("cumtime")) == (1.0, None)
    back = compare(after, before)
    (gone,) = [it for it in back.changes if it.state == "gone"]
    assert gone.label == ("/somewhere/else/app/work.py", 22, "brand_new")
    assert (gone.delta("cumtime"), gone.ratio("cumtime")) == (-1.0, 0.0)


def test_the_biggest_changes_come_first():
    comparison = compare(stats_of("top"), stats_of("top", source=MORE))
    assert [(it.label[2], it.delta("calls")) for it in comparison.biggest("calls")] == [
        ("leaf", 3),
        ("brand_new", 1),
    ]
    assert [(it.label[2], it.delta("tottime")) for it in comparison.biggest("tottime")] == [
        ("leaf", 3.0),
        ("top", -2.0),
    ]


def test_modules_and_classes_tell_functions_apart():
    source = "class A:\n  def run(self): pass\nclass B:\n  def run(self): pass\n"
    source += "def top():\n  A().run()\n  B().run()\n  B().run()\n"
    one = stats_of("top", source=source, file="/x/one.py")
    both = stats_of("top", source=source, file="/x/one.py").add(
        tracer.Stats(profile_of("top", source=source, file="/x/two.py"), names="qualname")
    )
    found = changes(compare(one, both))
    assert {name: (state, after.calls) for name, (state, _, after) in found.items()} == {
        "one.A.run": ("same", 1),
        "one.B.run": ("same", 2),
        "one.top": ("same", 1),
        "two.A.run": ("new", 1),
        "two.B.run": ("new", 2),
        "two.top": ("new", 1),
    }


def test_one_of_two_runs_of_a_checkout_saw_less_of_it():
    before = stats_of("top", file="/x/src/app/work.py")
    more = tracer.Stats(profile_of("fall", 1, file="/x/tools/other.py"), names="qualname")
    after = stats_of("top", file="/x/src/app/work.py").add(more)
    found = changes(compare(before, after))
    assert {name: state for name, (state, _, _) in found.items()} == {
        "src.app.work.leaf": "same",
        "src.app.work.Shop.middle": "same",
        "src.app.work.top": "same",
        "tools.other.fall": "new",
    }


LAMBDAS = "def top():\n  one = lambda: None\n  two = lambda: None\n  one(); two(); two()\n"


def test_functions_of_one_name_are_told_apart_by_their_order():
    after = LAMBDAS.replace("two(); two()", "two(); two(); two()")
    comparison = compare(
        stats_of("top", source=LAMBDAS), stats_of("top", source=f"\n\n{after}", file="/y/work.py")
    )
    lambdas = [it for it in comparison.changes if it.label[2] == "top.<locals>.<lambda>"]
    assert [(it.label[1], it.before.calls, it.after.calls) for it in lambdas] == [
        (4, 1, 1),
        (5, 2, 3),
    ]


def test_they_are_added_up_where_there_are_more_or_fewer():
    three = LAMBDAS.replace("  one();", "  three = lambda: None\n  three(); one();")
    comparison = compare(stats_of("top", source=LAMBDAS), stats_of("top", source=three))
    lambdas = [it for it in comparison.changes if it.label[2] == "top.<locals>.<lambda>"]
    assert [(it.before.calls, it.after.calls) for it in lambdas] == [(3, 4)]


def test_only():
    comparison = compare(stats_of("top"), stats_of("top", source=MORE))
    assert {it.name for it in comparison.only(r"^work\.Shop\.").changes} == {"work.Shop.middle"}
    leaves = comparison.only(r"work\.py:2\(leaf\)")
    assert [it.name for it in leaves.changes] == ["work.leaf"]
    assert leaves.total[2:] == (Metrics(3, 3.0, 3.0), Metrics(6, 6.0, 6.0))
    for label in "work.py:2(leaf)", "/here/app/work.py:2(leaf)":
        assert comparison.only(label) == leaves
    assert comparison.only("*.py:2(leaf)").changes == ()  # a label of another profile
    for no_pattern in "(", "leaf{99999999999999999999}", "(" * 5000:
        with pytest.raises(ValueError, match=r"^invalid regular expression ") as raised:
            comparison.only(no_pattern)
        assert f" {no_pattern!r}: " in str(raised.value)
    assert comparison.only("nobody").total[2:] == (Metrics(), Metrics())


# -- What cannot be compared ---------------------------------------------------------------------


def test_names_of_one_kind_only():
    pair = [stats_of("top", names=names) for names in ("label", "qualname")]
    for before, after in (pair, pair[::-1]):
        said = f"^before has names={before.names!r} and after names={after.names!r}, and such names"
        with pytest.raises(ValueError, match=f"{said} do not match: make both with names='qualn"):
            compare(before, after)


def test_what_is_no_stats():
    stats = stats_of("top")
    for pair, said in (
        (("a", stats), "before must be a tracer.Stats, not 'a': make one by tracer.Stats("),
        ((stats, None), "after must be a tracer.Stats, not None: make one by tracer.Stats("),
    ):
        with pytest.raises(TypeError) as raised:
            compare(*pair)
        assert str(raised.value).startswith(said)


@pytest.mark.parametrize("metric", ["foo", "count", "of", None])
def test_a_metric_that_there_is_not(metric):
    stats = stats_of("top")
    pairs = compare(stats, stats), compare(*[tracer.Stats()] * 2)
    names = "calls, tottime, cumtime, waited, busy, allocated, peak, live"
    said = rf"^unknown metric {metric!r}; choose from {names}$"
    for one in pairs:
        for asked in (one.biggest, one.total.delta, one.total.ratio):
            with pytest.raises(ValueError, match=said):
                asked(metric)
        with pytest.raises(ValueError, match=said):
            one.grown(metric, 1)


# -- What grew -----------------------------------------------------------------------------------


def calling(**often):
    """A profile of functions that are called so often, a millisecond each."""
    source = "".join(f"def {name}(): clock.now += 1\n" for name in often)
    calls = "".join(f"  for _ in range({count}): {name}()\n" for name, count in often.items())
    profile = profile_of("top", source=f"{source}def top():\n{calls}")
    return tracer.Stats(profile, names="qualname")


def grown(before, after, percent, metric="calls"):
    found = compare(before, after).grown(metric, percent)
    return [change.label[2] for change in found]


def test_more_than_so_many_percent_of_what_it_was():
    before = calling(a=100, b=9)
    assert grown(before, calling(a=110, b=9), 10) == []
    assert grown(before, calling(a=111, b=9), 10) == ["a"]
    assert grown(before, calling(a=111, b=9), 9) == ["(total)", "a"]
    assert grown(before, calling(a=100, b=9), 0) == []
    assert grown(before, calling(a=101, b=9), 0) == ["(total)", "a"]
    assert grown(before, calling(a=80, b=10), 10) == ["b"]


def test_few_calls_count_as_many_do():
    """A query for each row, in place of one, is what such a check is for."""
    assert grown(calling(loop=10_000, query=1), calling(loop=10_000, query=40), 10) == ["query"]


def test_what_is_new_has_not_grown_but_is_in_the_total():
    before = calling(a=100)
    assert grown(before, calling(a=100, b=5), 10) == []
    assert grown(before, calling(a=100, b=50), 10) == ["(total)"]
    assert grown(calling(a=0), before, 10) == ["(total)"]


def test_small_times_are_noise():
    before = calling(a=995, b=5)
    for metric in ("tottime", "cumtime"):
        assert grown(before, calling(a=995, b=14), 10, metric) == []
        assert grown(before, calling(a=995, b=15), 10, metric) == ["b"]
    assert grown(before, calling(a=995, b=6), 10, "calls") == ["b"]


def test_a_change_matters_from_the_same_share_on():
    """Of the larger total: here 1,000 s before."""
    comparison = compare(calling(a=992, b=8), calling(a=982, b=17))
    assert {it.label[2]: comparison.matters(it, "tottime") for it in comparison.changes} == {
        "a": True,
        "b": False,
        "top": False,
    }


def of_bytes(**sizes):
    """A comparison of functions that allocated (before, after) bytes, and took a second each."""
    changes = []
    for name, pair in sizes.items():
        figures = [None if it is None else Metrics(1, 1.0, 1.0, allocated=it) for it in pair]
        changes.append(Change("m", (FILE, 1, name), *figures))
    return comparison_of(changes)


def test_bytes_are_noise_below_a_share_of_all_bytes():
    """Of bytes: in seconds, the total is 2."""
    found = of_bytes(a=(9_900, 9_900), b=(100, 199)).grown("allocated", 10)
    assert found == []
    found = of_bytes(a=(9_900, 9_900), b=(100, 200)).grown("allocated", 10)
    assert [it.label[2] for it in found] == ["b"]


def test_more_than_so_many_bytes():
    """What is new has not grown; it is in the total."""
    found = of_bytes(a=(10, 110), b=(10, 111), new=(None, 10**6)).grown_by_bytes("allocated", 100)
    assert [it.label[2] for it in found] == ["(total)", "b"]


def test_builtins_of_no_module():
    profiles = [tracer.Profile() for _ in range(2)]
    for often, profile in enumerate(profiles, 1):
        for _ in range(often):
            profile.runcall(len, "")
            profile.runcall(json.dumps, 1)
    found = changes(compare(*(tracer.Stats(profile, names="qualname") for profile in profiles)))
    state, before, after = found["<builtins.len>"]
    assert (state, before.calls, after.calls) == ("changed", 1, 2)
    state, before, after = found["json.dumps"]
    assert (before.calls, after.calls) == (1, 2)


@pytest.mark.parametrize("names", ["label", "qualname"])
def test_nothing(names):
    nothing = tracer.Stats(names=names)
    comparison = compare(nothing, nothing)
    assert (comparison.total[2:], comparison.changes) == ((Metrics(), Metrics()), ())
    assert comparison.grown("calls", 0) == []
