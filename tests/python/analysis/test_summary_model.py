"""The figures of a summary beside a model that counts tick by tick, of random loops."""

import random

import pytest

from summaries import marked, percent, step, summary
from tracer.analysis.steps.summary_sums import Line

# -- Against a model -------------------------------------------------------------------------------

CALLS = ("load_batch@main", "forward@main", "backward@main", "work@main", "time.sleep")
CATEGORIES = {"load_batch@main": "load", "forward@main": "forward", "backward@main": "backward"}


def random_calls(chance, start, end, depth=0):
    """Calls within a stretch: (depth, name, start, end)."""
    now = start
    while now < end and chance.random() < 0.8:
        begin = chance.randint(now, end)
        stop = chance.randint(begin, end)
        if begin == stop:
            break
        yield depth, chance.choice(CALLS), begin, stop
        if depth < 4:
            yield from random_calls(chance, begin, stop, depth + 1)
        now = stop


def random_ranges(chance, thread):
    for _ in range(chance.randrange(6)):
        start = chance.randrange(150)
        end = start + chance.randrange(60)
        category = chance.choice([None, "io", "load", "forward"])
        yield marked(chance.choice("ab"), start, end, category, thread)


def random_steps(chance):
    now, found = chance.randrange(50), []
    while now < 180 and len(found) < 8:
        end = now + chance.randrange(1, 60)
        found.append(step(now, end, len(found), chance.choice([None, 3, 0.5])))
        now = end + chance.choice([0, 0, 0, 5, 20])
    return found if chance.random() < 0.9 else []


@pytest.mark.parametrize("seed", range(60))
def test_every_figure_agrees_with_its_own_list(seed):
    chance = random.Random(seed)
    threads = [list(random_calls(chance, 0, 200, 1)) for _ in range(chance.randint(1, 3))]
    texts = [
        "main@main 0-200\n" + "".join(f"{'  ' * at}{it} {a}-{b}\n" for at, it, a, b in calls)
        for calls in threads
    ]
    steps = random_steps(chance)
    ranges = [it for at in range(len(threads)) for it in random_ranges(chance, at)]
    by_thread = chance.random() < 0.5
    found = summary(*texts, ranges=steps + ranges, by_thread=by_thread)
    inside = {tick for it in steps for tick in range(it[2], it[3])} or set(range(200))
    assert found.whole == len(inside)
    groups = [[at] for at in range(len(threads))] if by_thread else [list(range(len(threads)))]
    for part, group in zip(found.parts.values(), groups, strict=True):
        model = {line.name: line for line in found.model(part)}
        for category in ("load", "forward", "backward"):
            each = [ticks_of(threads[at], ranges, at, category) for at in group]
            total = sum(len(ticks & inside) for ticks in each)
            united = set().union(*each) & inside
            line = model.get(category, Line(category, 0, 0.0, 0.0))
            assert line.total == total
            assert line.ratio == pytest.approx(percent(len(united), len(inside)))
        others = sum(step.others for step in found.steps) if steps and 0 in group else None
        if others is not None:
            assert model["others"].total == others
            main = [ticks_of(threads[0], ranges, 0, it) for it in CATEGORIES.values()]
            expected = sum(len(set(range(it[2], it[3])).difference(*main)) for it in steps)
            assert others == expected
        for name, category in {(it[4], it[5] or "") for it in ranges}:
            mine = [
                it for it in ranges if (it[4], it[5] or "", it[0] in group) == (name, category, 1)
            ]
            ticks = {tick for it in mine for tick in range(it[2], it[3])} & inside
            line = dict(by_name(found.ranges(part))).get((name, category), Line(name, 0, 0.0, 0.0))
            assert line.ratio == pytest.approx(percent(len(ticks), len(inside)))
        holds(found.model(part))
        holds(found.overview(part))
        holds([line for _, line in found.ranges(part)])
    for it in found.operators():
        assert 0 <= it.own <= it.total and it.average <= it.longest and 0 <= it.ratio <= 100
    for it in found.steps:
        assert sum(it.phases.values()) + it.others == pytest.approx(it.length)


def ticks_of(calls, ranges, thread, category):
    """The ticks of a thread that are in a phase of this category."""
    ticks = {t for _, name, a, b in calls if CATEGORIES.get(name) == category for t in range(a, b)}
    for it in ranges:
        if it[0] == thread and it[5] == category:
            ticks.update(range(it[2], it[3]))
    return ticks


def by_name(found):
    return [((line.name, category), line) for category, line in found]


def holds(lines):
    """What is true of each line, whatever was recorded."""
    for line in lines:
        assert 0 <= line.ratio <= 100
        assert line.total >= 0
        if line.average is not None:
            assert 0 <= line.min <= line.average <= line.max <= line.total
            assert line.total == pytest.approx(line.calls * line.average)
