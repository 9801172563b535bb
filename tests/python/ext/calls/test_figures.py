"""Every figure that figures.py lists is the same wherever it is told: in getstats(), Stats, files,
exports and on the page, of each thread and of all. What figures should be is told by other tests.
"""

import csv
import io
import json
import marshal
import re
from threading import Thread

import pytest

import pages
import tracer
from exporting import export_of, nanoseconds, qualified
from suspending import clock, countdown, leaf, outer
from tracer._core import RECORDS, pack_section
from tracer.data.figures import FIGURES, Figures, merged
from tracer.data.totals import added_up
from tracer.data.types import Totals
from tracer.page import document as page
from tracer.report.figure_tables import FIGURE_TABLES

UNIT = 1e-9  # of the clock: so its numbers are those in the exports
ALWAYS = ("nodes", "folds", "outers", "unseen", "node_waits", "collections")
# What a file lacks without the records of a key: longest_at comes with longest.
LACKING = {"waits": ["suspended"], "longest": ["longest", "longest_at"]}


stood = 0  # nanoseconds in which no thread ran


def timer():
    """The clock, and the CPU time beside it."""
    return clock.now, clock.now - stood


def idle():
    global stood
    clock.now += 700_000
    stood += 500_000


def down(number):
    clock.now += 7
    if number:
        down(number - 1)


def program(number):
    """Each figure differs from all others in some function: else it could hide behind another."""
    down(number)
    for _ in outer():
        clock.now += 100
    for _ in countdown(number):
        leaf()
    idle()


@pytest.fixture(scope="module")
def profile():
    clock.now = 0
    with tracer.Profile(timer, UNIT, builtins=False) as profile:
        program(2)
        thread = Thread(target=program, args=[4])
        thread.start()
        thread.join()
    return profile


def told(stats):
    """{label: Figures}, by Stats."""
    resumes, extras = stats.resumes, stats.totals.extras
    return {
        label: Figures(
            ncalls=ncalls,
            primitive=primitive,
            tottime=nanoseconds(tottime),
            cumtime=nanoseconds(cumtime),
            resumes=resumes[label].total if label in resumes else 0,
            **{name: nanoseconds(by.get(label, 0)) for name, by in extras.items()},
        )
        for label, (primitive, ncalls, tottime, cumtime, _) in stats.stats.items()
    }


@pytest.fixture(scope="module")
def known(profile):
    return told(qualified(profile))


@pytest.mark.parametrize("name", FIGURES)
def test_the_program_shows_it(known, name):
    """Else no test here could fail for the figure: it is not 0, and no other always equals it."""
    columns = dict(zip(FIGURES, zip(*known.values(), strict=True), strict=True))
    values = columns.pop(name)
    assert any(values)
    assert values not in columns.values()


def test_getstats_tells_it(profile, known):
    found = {}
    for entry in profile.getstats():
        code = entry.code
        label = code.co_filename, code.co_firstlineno, code.co_qualname
        assert label not in found
        found[label] = Figures(
            ncalls=entry.callcount,
            primitive=entry.callcount - entry.reccallcount,
            tottime=nanoseconds(entry.inlinetime),
            cumtime=nanoseconds(entry.totaltime),
            resumes=entry.resumes,
            **{name: nanoseconds(getattr(entry, name)) for name in [*FIGURES][5:]},
        )
    assert found == known


def test_files_hold_it(profile, known, tmp_path):
    profile.dump_stats(tmp_path / "profile")
    first = qualified(tmp_path / "profile")
    first_bytes = first.captures[0].dumps()
    (tmp_path / "again").write_bytes(first_bytes)
    assert told(first) == told(qualified(tmp_path / "again")) == known


@pytest.mark.parametrize("key", [key for key in RECORDS if key not in ALWAYS])
def test_a_file_that_is_older_than_it_has_none(profile, known, tmp_path, key):
    section = profile.capture().section()
    for thread in section["threads"]:
        del thread[key]
    payload = marshal.dumps(section, 4)
    path = tmp_path / "old"
    path.write_bytes(marshal.dumps({}, 4) + pack_section(payload) + payload)
    stats = qualified(path)
    names = [name for name, by in stats.totals.extras.items() if not by]
    assert names == LACKING.get(key, [key])
    none = dict.fromkeys(names, 0)
    assert told(stats) == {label: row._replace(**none) for label, row in known.items()}


def test_threads_and_runs_are_merged_by_its_rule(profile, known):
    """The core merges threads, and totals.py merges runs, both as figures.py says."""
    stats = qualified(profile)
    parts = [told(thread) for thread in stats.threads]
    assert len(parts) == 2
    for label, row in known.items():
        assert row == merged([part[label] for part in parts if label in part])
    twice = told(tracer.Stats(profile, profile, names="qualname"))
    assert twice == {label: merged([row, row]) for label, row in known.items()}


def test_exports_tell_it(profile, known):
    rows = csv.DictReader(io.StringIO(export_of(profile, "csv").decode(), newline=""))
    found = {}
    for row in rows:
        numbers = {
            name: nanoseconds(float(row[name])) if figure.is_time else int(row[name])
            for name, figure in FIGURES.items()
        }
        found[row["file"], int(row["line"]), row["name"]] = Figures(**numbers)
    assert found == known
    document = json.loads(export_of(profile, "json"))
    names = {name: f"{name}_ns" if figure.is_time else name for name, figure in FIGURES.items()}
    for thread, stats in zip(document["threads"], qualified(profile).threads, strict=True):
        found = {}
        for row in thread["figures"]:
            function = document["functions"][row["function"]]
            label = function["file"], function["line"], function["name"]
            found[label] = Figures(**{name: row[key] for name, key in names.items()})
        assert found == told(stats)


def test_the_page_has_it(profile):
    header, blocks = pages.opened(pages.data_in(pages.written([page.shown(qualified(profile))])))
    assert [(it["name"], it["about"], it["time"], it["merge"]) for it in header["figures"]] == [
        (name, it.about, it.is_time, {sum: "sum", max: "max", None: "with"}[it.merge])
        for name, it in FIGURES.items()
    ]
    [shown] = header["profiles"]
    rows = shown["rows"]
    places = pages.column(rows["file"], blocks)
    files = [shown["files"][place]["path"] for place in places]
    labels = list(zip(files, pages.column(rows["line"], blocks), rows["name"], strict=True))
    for thread, stats in zip(shown["threads"], qualified(profile).threads, strict=True):
        columns = {name: pages.column(thread["figures"][name], blocks) for name in FIGURES}
        found = map(Figures, *columns.values())
        of = [labels[row] for row in pages.column(thread["figures"]["row"], blocks)]
        assert dict(zip(of, found, strict=True)) == told(stats)


def test_of_some_the_largest_counts(monkeypatch):
    """Whichever it is: here, suspended time."""
    monkeypatch.setitem(FIGURES, "suspended", FIGURES["suspended"]._replace(merge=max))
    parts = [Figures(ncalls=1, suspended=5), Figures(ncalls=2, suspended=3)]
    assert merged(parts) == Figures(ncalls=3, suspended=5)
    label = ("file", 1, "name")
    totals = [Totals({}, {}, {"suspended": {label: time}}, (0, 0)) for time in (5.0, 3.0)]
    assert added_up(totals).extras == {"suspended": {label: 5.0}}


@pytest.mark.parametrize("name", FIGURE_TABLES)
def test_its_table_has_the_functions_that_have_some(profile, known, name):
    """A function that ran already when recording began was not called, and is in no table."""
    table = FIGURE_TABLES[name]
    stats = qualified(profile)
    stats.stream = io.StringIO()
    getattr(stats, f"print_{name}")()
    rows = re.findall(r"^ +\d+ (?!.* <- ).*:\d+\((.+)\)$", stats.stream.getvalue(), re.MULTILINE)
    figures = {label[2]: row._asdict() for label, row in known.items()}
    among = table.among if table.among in FIGURES else name
    expected = [it for it, row in figures.items() if row[among] and row["ncalls"]]
    others = rows[len(expected) :]  # those that called one that waited
    assert rows == sorted(expected, key=lambda it: -figures[it][name]) + others
    assert bool(others) is (name == "waited")
    assert 0 < len(expected) < len(known)
