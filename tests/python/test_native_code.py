"""The source lines of native functions: what a symbolizer tells of addresses, and the CPU time of
the lines of a library that is compiled here."""

import ctypes
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

import pages
import tracer
from sampled import HZ, NEEDS_SAMPLES
from tracer.analysis import symbolizer
from tracer.analysis.native_code import native_code_of
from tracer.analysis.symbolizer import CodePlace, Segment, address_in_file, places_in
from tracer.data.samples import Module
from tracer.page import document as page

SOURCE = Path(__file__).with_name("slow.c")
COUNT = 20000

# What addr2line -a -f -i prints of three addresses: with a function put in line, of which nothing
# is known, and whose file is known but not its line.
TOLD = """\
0x0000000000001119
scaled
/src/slow/../slow.c:6 (discriminator 3)
slow_sum
/src/slow.c:14
0x00000000000010f0
??
??:0
0x1120
main
/src/main.c:0
"""


def test_what_a_symbolizer_prints_is_read():
    assert dict(places_in(TOLD.splitlines())) == {
        0x1119: [CodePlace("/src/slow.c", 6), CodePlace("/src/slow.c", 14)],
        0x10F0: [],
        0x1120: [],
    }
    assert dict(places_in(["what", "is", "this"])) == {}


def test_an_address_of_the_process_is_one_of_the_file():
    segments = [Segment(4, 0, 0x5000, 0), Segment(1, 0x2000, 0x1000, 0x402000)]
    module = Module("lib.so", "", 0x7F000000, 0x7F001000, 0x2000)
    assert address_in_file(0x7F000010, module, segments) == 0x402010
    assert address_in_file(0x7F001000, module, segments) is None


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = os.environ.get("CC") or shutil.which("cc")
    if compiler is None or shutil.which("addr2line") is None:
        pytest.skip("there is no C compiler here, or no symbolizer")
    folder = tmp_path_factory.mktemp("slow")
    return compiled(folder, compiler, "-O1")


def compiled(folder, compiler, *options):
    shutil.copy(SOURCE, folder)
    built = folder / "slow.so"
    words = [compiler, "-g", *options, "-shared", "-fPIC", "-o", built, folder / "slow.c"]
    subprocess.run([*words, "-Wl,--build-id"], check=True, capture_output=True)
    return built


def recorded(library, seconds=0.4):
    slow = ctypes.CDLL(library).slow_outer
    slow.restype = ctypes.c_double
    values = (ctypes.c_double * COUNT)(*range(COUNT))
    profile = tracer.Profile(native=HZ)
    until = time.thread_time() + seconds
    with profile:
        while time.thread_time() < until:
            slow(values, ctypes.c_size_t(COUNT), 50)
    return profile.capture()


@pytest.fixture(scope="module")
def capture(library):
    return recorded(library)


def line_of(text):
    return next(at for at, line in enumerate(SOURCE.read_text().split("\n"), 1) if text in line)


LOOP = range(line_of("for (size_t i"), line_of("total += scaled") + 1)


@NEEDS_SAMPLES
@pytest.mark.parametrize("tool", symbolizer.SYMBOLIZERS)
def test_the_lines_of_a_function_have_its_cpu_time(capture, library, monkeypatch, tool):
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here")
    monkeypatch.setattr(symbolizer, "SYMBOLIZERS", (tool,))
    code = {it.function[2]: it for it in native_code_of([capture])}
    slow, outer = code["slow_sum"], code["slow_outer"]
    assert slow.function == (str(library), 0, "slow_sum")
    assert slow.file == str(library.with_name("slow.c"))
    assert not slow.is_edited
    text = SOURCE.read_text().split("\n")
    assert slow.texts == tuple(text[slow.first - 1 : slow.first - 1 + len(slow.texts)])
    in_loop = sum(slow.cpu[line][0] for line in LOOP if line in slow.cpu)
    inline = slow.cpu.get(line_of("return value"), (0.0, 0.0))[0]
    own = sum(own for own, _ in slow.cpu.values())
    assert own == pytest.approx(0.4, abs=0.15)
    assert in_loop + inline > 0.9 * own
    # What was put in line counts for the line around it, too, which has no more than all.
    assert slow.cpu[line_of("total += scaled")][1] >= inline
    call = outer.cpu[line_of("double first = slow_sum")]
    assert call[0] == 0.0
    assert call[1] == pytest.approx(own, abs=0.03)


@NEEDS_SAMPLES
def test_a_file_that_is_another_one_by_now_is_not_asked(library, tmp_path):
    compiler = os.environ.get("CC") or shutil.which("cc")
    mine = compiled(tmp_path, compiler, "-O1")
    found = recorded(mine, 0.2)
    assert native_code_of([found])
    mine.unlink()  # a library that is loaded is not written to
    compiled(tmp_path, compiler, "-O2", "-DOTHER=1")
    assert native_code_of([found]) == []
    mine.unlink()
    assert native_code_of([found]) == []


@NEEDS_SAMPLES
def test_source_that_is_newer_than_the_library_is_told(tmp_path, library):
    mine = tmp_path / "slow.so"
    shutil.copy(library, mine)
    source = library.with_name("slow.c")
    os.utime(mine, (source.stat().st_mtime - 10,) * 2)
    found = recorded(mine, 0.2)
    assert [it.is_edited for it in native_code_of([found])] == [True, True]


@NEEDS_SAMPLES
def test_the_page_has_them_where_source_is_read(capture):
    def code(**options):
        shown = page.shown(tracer.Stats(capture), **options)
        header, _ = pages.opened(b"".join(page.data_of([shown], "title")))
        native = header["profiles"][0]["native"]
        return {native["rows"]["name"][it["row"]]: it for it in native["code"]}

    assert code() == {}
    capture.keeps_source = True
    found = code(read_sources=True)
    assert set(found) == {"slow_sum", "slow_outer"}
    assert {line for line, _, _ in found["slow_sum"]["cpu"]} & set(LOOP)
    capture.keeps_source = False  # --no-source
    assert code(read_sources=True) == {}


@NEEDS_SAMPLES
@pytest.mark.parametrize(("name", "is_read"), [("secret.txt", False), ("secret.c", True)])
def test_only_files_of_source_are_read(monkeypatch, capture, tmp_path, name, is_read):
    file = tmp_path / name
    file.write_text("secret\n" * 20)
    monkeypatch.setattr(
        "tracer.analysis.native_code.code_places",
        lambda _, addresses: {key: [CodePlace(str(file), 3)] for key in addresses},
    )
    assert bool(native_code_of([capture])) is is_read
