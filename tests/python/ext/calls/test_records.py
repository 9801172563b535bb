"""The lists in C say which records a thread has. So do snapshots, getstats() and its types, the
page about the profile file, and the seeds of the fuzzer: all must agree. What is in the records is
for test_suspension_figures.py."""

import ast
import marshal
import re
import sys
from types import MemberDescriptorType

import pytest

import tracer
from docblocks import ROOT
from tracer import _core

sys.path.insert(0, str(ROOT / "tests" / "fuzz"))
import make_seeds

pytestmark = pytest.mark.results

sys.path.pop(0)


@pytest.fixture
def thread():
    with tracer.Profile() as profile:
        pass
    return profile.snapshot()["threads"][0]


def test_a_thread_has_them_in_their_order(thread):
    assert tuple(key for key in thread if type(thread[key]) is bytes) == _core.RECORDS


def test_the_page_about_the_profile_file_names_the_keys_of_a_thread(thread):
    text = (ROOT / "docs" / "reference" / "file-format.md").read_text()
    (row,) = re.findall(r"^\| `threads` \| tuple of dicts: (.*) \|$", text, re.MULTILINE)
    named, _, _ = row.partition(": arrays of ")
    assert sorted(re.findall(r"`(\w+)`", named)) == sorted(thread)


def test_what_only_functions_have_is_a_field_of_getstats_and_a_figure_of_add_up():
    _, _, figures, _ = _core.add_up((), b"", (), 1.0, False)
    assert "suspended" in figures
    # "unseen" is for compensation alone, and "node_waits" and "collections" are of paths.
    assert len(figures) == len(_core.RECORDS[3:-3])
    assert all(hasattr(_core.profiler_entry, name) for name in figures)


@pytest.mark.parametrize("name", ["profiler_entry", "profiler_subentry"])
def test_the_types_of_the_extension_name_the_fields_of_getstats(name):
    text = (ROOT / "python" / "tracer" / "_core.pyi").read_text()
    (kind,) = (it for it in ast.parse(text).body if getattr(it, "name", "") == name)
    told = [field.target.id for field in kind.body]
    fields = vars(getattr(_core, name)).items()
    assert told == [field for field, it in fields if type(it) is MemberDescriptorType]


@pytest.mark.parametrize(
    "wrong",
    [(b"",) * (len(_core.RECORDS) - 1), (b"",) * (len(_core.RECORDS) + 1), [b""], b""],
)
def test_a_thread_with_another_number_of_lists_is_refused(wrong):
    with pytest.raises(TypeError, match="one for each of RECORDS"):
        _core.add_up((wrong,), b"", (), 1.0, False)


@pytest.mark.parametrize("position", range(len(_core.RECORDS)))
def test_each_list_is_whole_records_in_bytes(position):
    lists = [b""] * len(_core.RECORDS)
    lists[position] = b"?"
    with pytest.raises(ValueError, match="wrong size"):
        _core.add_up((tuple(lists),), b"", (), 1.0, False)
    lists[position] = "text"
    with pytest.raises(TypeError, match="bytes"):
        _core.add_up((tuple(lists),), b"", (), 1.0, False)


def test_seeds_are_what_make_seeds_writes():
    folder = ROOT / "tests" / "fuzz" / "seeds"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == make_seeds.seeds()


def test_seeds_have_each_list_of_a_thread():
    data = make_seeds.seeds()["with-section"]
    payload = data[data.index(b"\x89TRACER\n") + 24 :]
    (thread,) = marshal.loads(payload)["threads"]
    assert tuple(thread) == _core.RECORDS and all(thread.values())


@pytest.mark.parametrize("version", range(5))
def test_what_a_seed_holds_is_marshalled_as_python_reads_it(version):
    for value in (make_seeds.STATS, make_seeds.NUMBERS + make_seeds.TEXTS):
        assert marshal.loads(make_seeds.marshalled(value, version)) == value
