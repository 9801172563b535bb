"""The source lines of native functions: what a symbolizer tells of addresses, and the CPU time of
the lines of a library that is compiled here."""

import os
import shutil

import pytest

import pages
import tracer
from formats.pprof import Pprof
from sampled import COMPILER, HZ, NEEDS_SAMPLES, SOURCE, compiled, line_of, places, recorded_in
from tracer.analysis.native import symbolizer
from tracer.analysis.native.code import native_code_of
from tracer.analysis.native.symbolizer import CodePlace, Segment, address_in_file, places_in
from tracer.data.samples import Module
from tracer.page import document as page

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
        0x1119: [CodePlace("/src/slow.c", 6, "scaled"), CodePlace("/src/slow.c", 14, "slow_sum")],
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
    if COMPILER is None or shutil.which("addr2line") is None:
        pytest.skip("there is no C compiler here, or no symbolizer")
    return compiled(tmp_path_factory.mktemp("slow"), "-O1")


@pytest.fixture(scope="module")
def capture(library):
    return recorded_in(library)


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
    inner = sum(n for it, n in places(capture).items() if it.functions[-1:] == ("slow_sum",))
    assert own == pytest.approx(inner / HZ)
    assert in_loop + inline > 0.9 * own
    # What was put in line counts for the line around it, too. On which of the loop's instructions
    # the samples are is up to the processor.
    assert slow.cpu.get(line_of("total += scaled"), (0.0, 0.0))[1] >= inline
    call = outer.cpu[line_of("double first = slow_sum")]
    assert call[0] == 0.0
    assert call[1] == pytest.approx(own, abs=0.03)


@NEEDS_SAMPLES
def test_a_file_that_is_another_one_by_now_is_not_asked(library, tmp_path):
    mine = compiled(tmp_path, "-O1")
    found = recorded_in(mine, 0.2)
    assert native_code_of([found])
    mine.unlink()  # a library that is loaded is not written to
    compiled(tmp_path, "-O2", "-DOTHER=1")
    assert native_code_of([found]) == []
    mine.unlink()
    assert native_code_of([found]) == []


@NEEDS_SAMPLES
def test_source_that_is_newer_than_the_library_is_told(tmp_path, library):
    mine = tmp_path / "slow.so"
    shutil.copy(library, mine)
    source = library.with_name("slow.c")
    os.utime(mine, (source.stat().st_mtime - 10,) * 2)
    found = recorded_in(mine, 0.2)
    assert [it.is_edited for it in native_code_of([found])] == [True, True]


@NEEDS_SAMPLES
def test_pprof_has_the_lines(capture, library, tmp_path):
    file = tmp_path / "slow.pb.gz"
    tracer.Stats(capture).export("pprof", file, native=True)
    found = Pprof(file.read_bytes()).lines
    source = str(library.with_name("slow.c"))
    assert [("slow_outer", source, line_of("double first = slow_sum"))] in found
    ends = {tuple(line[0] for line in lines) for lines in found if lines[-1][0] == "slow_sum"}
    assert ends <= {("slow_sum",), ("scaled", "slow_sum")}
    assert {lines[-1][2] for lines in found if lines[-1][0] == "slow_sum"} & set(LOOP)


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
        "tracer.analysis.native.code.code_places",
        lambda _, addresses: {key: [CodePlace(str(file), 3, "secret")] for key in addresses},
    )
    assert bool(native_code_of([capture])) is is_read
