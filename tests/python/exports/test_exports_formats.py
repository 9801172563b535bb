"""Formats describe themselves: what is found, listed, refused and written down is what they say."""

import io
import re
from array import array
from pathlib import Path

import pytest

import formats
import tracer
from exporting import recorded
from formats import reader_of
from launch import plain
from natives import Natives
from places import ROOT
from tracer.cli.commands.export import usage
from tracer.cli.usage import wrapped
from tracer.exports import formats as found_in
from tracer.exports.export import FORMATS, Export, Format, check_minimum

GRAPH = """
from tracer.exports.format import Format

FORMAT = Format(opened_by="nobody", suffix=".graph", prunes="functions", minimum=2.5)


def write(paths, stats, out, options):
    out.write(f"{options.title} {options.minimum} {len(paths.rows)}".encode())
"""


@pytest.fixture
def graph(tmp_path, monkeypatch):
    """One more format, "graph", whose module lies in the folder of formats, as it were."""
    folder = tmp_path / "formats"
    folder.mkdir()
    (folder / "graph.py").write_text(GRAPH)
    monkeypatch.setattr(found_in, "__path__", [*found_in.__path__, str(folder)])


def test_each_module_of_the_folder_is_a_format():
    modules = {path.stem for path in Path(found_in.__file__).parent.glob("[!_]*.py")}
    assert list(FORMATS) == sorted(modules)
    assert len(FORMATS) == len(modules)
    for format in FORMATS.values():
        assert isinstance(format, Format)
        assert re.fullmatch(r"(\.[a-z]+)+", format.suffix)
        assert ":" not in format.opened_by
    assert len({format.suffix for format in FORMATS.values()}) == len(FORMATS)


def test_to_know_the_names_loads_no_format():
    text = "import sys, tracer.exports.export as e; list(e.FORMATS); print(*sys.modules, sep='\\n')"
    loaded = plain("-c", text).stdout.decode().split()
    assert "tracer.exports.formats" in loaded
    assert not [name for name in loaded if name.startswith("tracer.exports.formats.")]


def test_one_more_module_is_one_more_format(graph, tmp_path):
    assert "graph" in FORMATS
    text = wrapped(usage("tracer"), 100)
    assert "  graph                 nobody (--min 2.5 if not told)\n" in text
    [able] = re.findall("\n--min leaves small functions out: (.*)\n", text)
    assert "graph" in able.split(", ")
    stats = tracer.Stats(recorded())
    for minimum, told in ((None, "2.5"), (0, "0"), (7, "7")):
        stats.export("graph", tmp_path / "out", minimum=minimum)
        [title, least, rows] = (tmp_path / "out").read_text().split()
        assert (title, least, int(rows)) == ("out", told, len(stats.stats))
    sentence = r"csv has no functions or paths to leave out; .*\bgraph\b"
    with pytest.raises(ValueError, match=sentence):
        check_minimum("csv", 1)


def test_each_format_is_read_back(graph):
    sentence = "nothing reads graph back: write tests/python/helpers/formats/graph.py with names"
    with pytest.raises(pytest.fail.Exception, match=re.escape(sentence)):
        reader_of("graph")
    readers = {path.stem for path in Path(formats.__file__).parent.glob("[!_]*.py")}
    assert readers <= set(FORMATS), "a reader is left over"


# -- What is written down --------------------------------------------------------------------


def rows_of(path, heading):
    """The rows of the first table behind a heading, each a list of cells without backticks."""
    text = (ROOT / path).read_text().partition(f"\n{heading}\n")[2]
    table = re.search(r"(^\|.*\n)+", text, re.MULTILINE)[0]
    rows = [line.strip("| ").replace("`", "").split("|") for line in table.splitlines()[2:]]
    return [[cell.strip() for cell in row] for row in rows]


def test_the_manual_has_a_row_for_each_format():
    rows = rows_of("docs/guide/exports.md", "## Formats")
    assert [row[:2] for row in rows] == [[name, kind.opened_by] for name, kind in FORMATS.items()]
    for name, _, holds in rows:
        assert holds
        assert holds.startswith(FORMATS[name].holds), name


def test_the_changelog_names_each_format():
    text = (ROOT / "CHANGELOG.md").read_text()
    assert [name for name in FORMATS if f"`{name}`" not in text] == []


def test_the_benchmarks_have_rows_of_formats_alone():
    """A format that was not measured yet has no row."""
    told = [row[0] for row in rows_of("benchmarks/README.md", "### Exports")]
    assert told == [name for name in FORMATS if name in told]
    assert told


def test_gperftools_has_the_addresses_that_were_sampled():
    """Those of callers are behind their calls."""
    capture = Natives().at("main", "matmul@numpy.so dgemm@blas.so", 3).made()
    outer, inner = (frame.address for frame in capture.native.frames)
    words = [*(0, 3, 0, 10_000, 0), *(3, 2, inner, outer), *(0, 1, 0)]
    data = io.BytesIO()
    Export(tracer.Stats(capture), "gperftools").write(data)
    assert data.getvalue().startswith(array("Q", words).tobytes())
