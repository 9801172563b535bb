"""Merged files: all captures of several, from Stats and by `tracer merge`; and what it refuses."""

import cProfile
import io
import marshal
import os
import pstats
import stat

import pytest

import tracer
from launch import refused, traced, write
from pictures import profile_of
from tracer._core import pack_section

PROGRAM = """
import sys, threading

def numbers():
    yield 1
    yield 2

def leaf():
    return list(numbers())

for _ in range(int(sys.argv[1])):
    leaf()
thread = threading.Thread(target=leaf, name="worker")
thread.start()
thread.join()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("merge")
    write(folder / "program.py", PROGRAM)
    for name, count in ("one.out", "1"), ("two.out", "2"):
        assert traced("-o", name, "program.py", count, cwd=folder).returncode == 0
    assert traced("--lines", "-o", "lines.out", "program.py", "3", cwd=folder).returncode == 0
    write(folder / "marked.py", "@profile\ndef work():\n    return 1\nwork()\n")
    assert traced("-l", "-o", "marked.lprof", "marked.py", cwd=folder).returncode == 0
    profile = cProfile.Profile()
    profile.runctx("len('')", {}, {})
    profile.dump_stats(folder / "other.out")
    return folder


def merge(*words, folder, status=0, said=b""):
    found = traced("merge", *words, cwd=folder)
    assert (found.returncode, found.stdout, found.stderr) == (status, b"", said)


def rounded(value):
    """The value without its last digits, which depend on the order of adding up."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return tuple(map(rounded, value)) if isinstance(value, tuple) else value


def same(one, other):
    """Assert that two Stats hold the same, to the last record."""
    assert rounded(one.stats) == rounded(other.stats)
    assert rounded(one.resumes) == rounded(other.resumes)
    assert [it.section() for it in one.captures] == [it.section() for it in other.captures]
    assert [it.thread for it in one.threads] == [it.thread for it in other.threads]
    assert [it.stats for it in one.threads] == [it.stats for it in other.threads]
    assert one.lines.functions == other.lines.functions


def test_nothing_is_lost(folder, tmp_path):
    files = [folder / name for name in ("one.out", "two.out", "lines.out")]
    merge("-o", tmp_path / "all.out", *files, folder=folder)
    stats = tracer.Stats(tmp_path / "all.out")
    same(stats, tracer.Stats(*files))
    assert len(stats.captures) == 3
    assert [len(capture.threads) for capture in stats.captures] == [2, 2, 2]
    assert len(stats.threads["worker"].thread.name) == len("worker")
    assert [capture.run.command[1] for capture in stats.captures] == ["1", "2", "3"]
    assert stats.lines.functions != ()
    assert stats.captures[0].sources.keys() == {str(folder / "program.py")}
    assert pstats.Stats(str(tmp_path / "all.out")).stats == stats.stats


def test_what_was_merged_is_merged_again(folder, tmp_path):
    one, two = folder / "one.out", folder / "two.out"
    merge("-o", tmp_path / "all.out", one, two, folder=folder)
    merge("-o", tmp_path / "more.out", tmp_path / "all.out", folder / "lines.out", folder=folder)
    same(tracer.Stats(tmp_path / "more.out"), tracer.Stats(one, two, folder / "lines.out"))


def test_the_result_may_take_the_place_of_an_input(folder, tmp_path):
    total = tmp_path / "total.out"
    total.write_bytes((folder / "one.out").read_bytes())
    total.chmod(0o640)
    merge("-o", total, total, folder / "two.out", folder=folder)
    same(tracer.Stats(total), tracer.Stats(folder / "one.out", folder / "two.out"))
    assert stat.S_IMODE(total.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["total.out"]


def test_one_file_is_itself(folder, tmp_path):
    merge("-o", tmp_path / "all.out", folder / "one.out", folder=folder)
    same(tracer.Stats(tmp_path / "all.out"), tracer.Stats(folder / "one.out"))


def test_lines_of_lprof_files(folder, tmp_path):
    files = [folder / "marked.lprof", folder / "one.out"]
    merge("-o", tmp_path / "all.out", *files, folder=folder)
    stats = tracer.Stats(tmp_path / "all.out")
    same(stats, tracer.Stats(*files))
    assert [it.name for it in stats.lines.functions] == ["work"]


def test_other_tools_files_have_functions_and_callers(folder, tmp_path):
    files = [folder / "one.out", folder / "other.out"]
    line = (
        f"tracer: tracer did not write {str(files[1])!r}: the merged file has functions "
        "and callers only, and no threads, paths, resumes or lines\n"
    )
    merge("-o", tmp_path / "all.out", *files, folder=folder, said=line.encode())
    stats = tracer.Stats(tmp_path / "all.out")
    assert (stats.captures, stats.problems) == ([], [])
    assert stats.stats == tracer.Stats(*files).stats
    (tmp_path / "third.out").write_bytes((folder / "other.out").read_bytes())
    files.append(tmp_path / "third.out")
    line = line.replace("': the", "' and 1 more: the")
    merge("-o", tmp_path / "all.out", *files, folder=folder, said=line.encode())
    # Where there was nothing else, nothing is lost.
    merge("-o", tmp_path / "all.out", *files[1:], folder=folder)
    assert tracer.Stats(tmp_path / "all.out").stats == tracer.Stats(*files[1:]).stats


def test_it_is_shown_as_its_parts_are(folder, tmp_path):
    merge("-o", tmp_path / "all.out", "one.out", "two.out", folder=folder)
    words = ["--no-header", "--strip-dirs"]
    for option in (["--tree", "--min=0"], ["--resumes"], ["--callers=leaf"], ["--threads"]):
        parts = traced("show", *words, *option, "one.out", "two.out", cwd=folder)
        whole = traced("show", *words, *option, tmp_path / "all.out", cwd=folder)
        dated = option == ["--callers=leaf"]
        assert (whole.stdout, whole.stderr) == (parts.stdout, b"") or dated
        assert whole.stdout.count(b"\n") > 3
    table = traced("show", "--table", tmp_path / "all.out").stdout.decode()
    lines = [line for line in table.splitlines() if not line.startswith("    waited")]
    assert lines[:2] == ["   command  program.py 1", "            program.py 2"]
    assert lines[4].endswith(" in 4 threads")
    assert lines[5] == "     files  1, of 2 runs, added up"


def test_it_is_exported_and_drawn_as_its_parts_are(folder, tmp_path):
    files = ["one.out", "two.out"]
    merge("-o", tmp_path / "all.out", *files, folder=folder)
    for form in "folded", "csv":
        words = ["export", "--to", form, "-o", "-"]
        parts = traced(*words, *files, cwd=folder)
        whole = traced(*words, tmp_path / "all.out", cwd=folder)
        assert (whole.returncode, parts.returncode) == (0, 0)
        assert whole.stdout == parts.stdout
        assert b"leaf" in whole.stdout
    assert traced("html", "-o", "all.html", "all.out", cwd=tmp_path).returncode == 0
    assert b"</html>" in (tmp_path / "all.html").read_bytes()


# -- From Python ---------------------------------------------------------------------------------


def test_dump_stats_of_several(tmp_path):
    profiles = [profile_of("top"), profile_of("generate")]
    stats = tracer.Stats(*profiles)
    stats.dump_stats(tmp_path / "all.out")
    found = tracer.Stats(tmp_path / "all.out")
    same(found, stats)
    assert len(found.captures) == 2
    assert tracer.Stats(tmp_path / "all.out", names="qualname").stats == (
        tracer.Stats(*profiles, names="qualname").stats
    )


def test_one_profile_twice(tmp_path):
    profile = profile_of("top")
    stats = tracer.Stats(profile, profile)
    stats.dump_stats(tmp_path / "all.out")
    same(tracer.Stats(tmp_path / "all.out"), stats)


def test_what_tracing_cost_is_kept_with_each(tmp_path):
    profiles = [tracer.Profile(compensate=True), tracer.Profile()]
    for profile in profiles:
        profile.runcall(lambda: [len("") for _ in range(1000)])
    tracer.Stats(*profiles).dump_stats(tmp_path / "all.out")
    for raw in False, True:
        one = tracer.Stats(*(it.capture() for it in profiles), raw=raw)
        found = tracer.Stats(tmp_path / "all.out", raw=raw)
        assert found.total_tt == pytest.approx(one.total_tt)
    assert [bool(it.costs) for it in found.captures] == [True, False]


# -- What is refused -----------------------------------------------------------------------------


def test_files_that_cannot_be_merged(folder, tmp_path):
    data = (folder / "one.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[:-10])
    (tmp_path / "short.out").write_bytes(data[:50])
    write(tmp_path / "text.out", "some text\n")
    for name, reason in (
        ("nowhere.out", "cannot read 'nowhere.out': No such file or directory; name a profile "),
        (".", "cannot read '.': Is a directory; name a profile "),
        ("short.out", "short.out: no profile, or damaged: "),
        ("text.out", "text.out: no profile, or damaged: "),
        ("cut.out", "cut.out: tracer's part of the file is truncated: "),
    ):
        line = refused("merge", "-o", "all.out", folder / "one.out", name, cwd=tmp_path)
        assert line.startswith(reason)
    assert line.endswith("; make the profile again to have them, or leave it out")
    assert sorted(os.listdir(tmp_path)) == ["cut.out", "short.out", "text.out"]


def test_a_file_that_is_named_twice(folder, tmp_path):
    (tmp_path / "link.out").symlink_to(folder / "one.out")
    twice = "is named twice, and would count twice; name it once"
    assert refused("merge", "-o", "x.out", "one.out", "two.out", "one.out", cwd=folder) == (
        f"'one.out' {twice}"
    )
    link = str(tmp_path / "link.out")
    assert refused("merge", "-o", "x.out", "one.out", link, cwd=folder) == (
        f"{link!r}, which is 'one.out', {twice}"
    )
    assert not (folder / "x.out").exists()


def test_words_that_say_nothing_to_be_done(folder):
    found = traced("merge", cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.startswith(b"usage: python -m tracer merge -o FILE FILE...\n")
    nothing = "nothing to merge: name the FILEs that -o wrote; --help tells more"
    assert refused("merge", "-o", "x.out", cwd=folder) == nothing
    assert (
        refused("merge", "one.out", cwd=folder) == "merge needs a file to write: give -o FILE, too"
    )
    assert refused("merge", "-o", "x.lprof", "one.out", cwd=folder) == (
        "'x.lprof': an .lprof file holds lines only; give another name"
    )
    assert refused("merge", "-o", "no/where", "one.out", cwd=folder).startswith(
        "cannot write 'no/where'"
    )
    found = traced("merge", "--help", cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    assert found.stdout.startswith(b"usage: python -m tracer merge -o FILE FILE...\n")


# -- Hostile files -------------------------------------------------------------------------------


def with_payload(payload):
    data = marshal.dumps(payload, 4)
    return io.BytesIO(marshal.dumps({}, 4) + pack_section(data) + data)


def test_sections_that_are_none():
    section = profile_of("top").capture().section()
    for merged, reason in (
        ((), "no proper 'merged'"),
        ([section], "no proper 'merged'"),
        ((section, None), "no proper 'merged'"),
        ((section, {**section, "threads": None}), "no proper 'threads'"),
        ((section, {"merged": (section,)}), "no proper 'byte_order'"),
        (({**section, "left_out": (10_000,)},), "leaves out a function that is not there"),
        (({**section, "extensions": ((0, "fast"),)},), "no proper 'extensions'"),
        (({**section, "extensions": [(0, "fast", "fast.so")]},), "no proper 'extensions'"),
        (
            ({**section, "extensions": ((10_000, "fast", "fast.so"),)},),
            "a module of a function that",
        ),
        (
            ({**section, "extensions": ((-1, "fast", "fast.so"),)},),
            "a module of a function that is",
        ),
        ((section,) * 3, "one of its sections is there twice"),
    ):
        with pytest.raises(tracer.ProfileFormatError, match=reason):
            tracer.Stats(with_payload({"merged": merged}))
    assert len(tracer.Stats(with_payload({"merged": (section, dict(section))})).captures) == 2
