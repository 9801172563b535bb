"""Memory in the page's data: trees by measure, curves, lines; what a page without memory has not,
and how much the page grows. Blocks are those of allocations.py."""

import re

import pytest

import pages
import tracer
from allocations import HEAD, drop, keep
from launch import traced
from timelines import capture_of
from tracer.data.memory import MEASURES, Point
from tracer.page import document as page
from tracer.page.document import shown
from tracer.page.memory_data import SHOWN, Curve, counters_of

LEAST = "main@main 0-100000"

pytestmark = pytest.mark.usefixtures("nothing_is_kept")


def rise_and_fall():
    keep(100)
    drop(100)
    keep(10, 50)


def profiled(function, **options):
    profile = tracer.Profile(memory=True, threads=False, **options)
    profile.runcall(function)
    return profile


def opened(*profiles):
    """The first profile of a page, unpacked: its names by row, threads and memory."""
    header, blocks = pages.opened(pages.data_in(pages.written([shown(tracer.Stats(*profiles))])))

    def unpacked(value):
        if isinstance(value, dict):
            is_block = "planes" in value
            found = {name: unpacked(it) for name, it in value.items()}
            return pages.column(value, blocks) if is_block else found
        return [unpacked(it) for it in value] if isinstance(value, list) else value

    [first] = header["profiles"]
    return unpacked({name: first[name] for name in ("rows", "threads", "memory") if name in first})


def figures_of(data, measure, thread=0):
    """{name: (blocks, bytes, bytes with callees)} of a measure."""
    figures = data["memory"]["measures"][measure][thread]["figures"]
    names = data["rows"]["name"]
    columns = (figures[name] for name in ("row", "ncalls", "tottime", "cumtime"))
    return {names[row]: tuple(rest) for row, *rest in zip(*columns, strict=True)}


def test_each_measure_has_the_bytes_and_blocks_of_functions():
    data = opened(profiled(rise_and_fall))
    live, peak = figures_of(data, "live"), figures_of(data, "peak")
    assert live["keep"] == (10, 10 * (50 + HEAD), 10 * (50 + HEAD))
    assert peak["keep"][0] >= 100
    assert 0 <= peak["keep"][1] - 100 * (1000 + HEAD) < 200  # and what the loop itself takes
    assert figures_of(data, "allocated")["keep"][1] >= 100 * (1000 + HEAD) + 10 * (50 + HEAD)
    assert live["rise_and_fall"][2] >= live["keep"][2]
    assert "drop" not in live
    assert set(data["memory"]["measures"]) == set(SHOWN) <= set(MEASURES)


def test_the_contexts_are_those_of_the_times():
    data = opened(profiled(rise_and_fall))
    times = data["threads"][0]["nodes"]
    for measure in SHOWN:
        [thread] = data["memory"]["measures"][measure]
        assert thread["nodes"]["depth"] == times["depth"]
        assert thread["nodes"]["row"] == times["row"]
        own = sum(of for _, of, _ in figures_of(data, measure).values())
        assert sum(thread["nodes"]["time"]) == own
        assert sum(thread["nodes"]["calls"]) == sum(
            blocks for blocks, _, _ in figures_of(data, measure).values()
        )


def test_contexts_name_the_blocks_of_the_times():
    """So they take no place of their own."""
    written = pages.written([shown(tracer.Stats(profiled(rise_and_fall)))])
    [profile] = pages.opened(pages.data_in(written))[0]["profiles"]
    [nodes] = [thread["nodes"] for thread in profile["threads"]]
    for [thread] in profile["memory"]["measures"].values():
        assert thread["nodes"]["depth"] == nodes["depth"]
        assert thread["nodes"]["row"] == nodes["row"]


def test_the_facts_are_the_totals():
    profile = profiled(rise_and_fall)
    recorded = profile.capture().memory
    memory = opened(profile)["memory"]
    assert memory["live"] == list(recorded.live)
    assert memory["peak"] == list(recorded.peak)
    assert memory["missed"] == [0, 0]
    assert (memory["lost"], memory["cutOff"]) == (0, None)
    assert memory["resident"] == recorded.resident
    for measure, total in (("live", recorded.live), ("peak", recorded.peak)):
        of_functions = sum(own for _, own, _ in figures_of(opened(profile), measure).values())
        assert of_functions + memory["outside"][measure][0] == total.bytes


def test_the_curve_is_there_to_the_last_byte():
    profile = profiled(rise_and_fall)
    points = list(profile.capture().memory.curve())
    [curve] = opened(profile)["memory"]["curves"]
    assert curve["at"] == [round(point.at * 1e9) for point in points]
    assert curve["least"] == [point.least for point in points]
    assert curve["most"] == [point.most for point in points]
    assert curve["last"] == [point.last for point in points]
    assert curve["resident"] == [point.resident for point in points]


def test_profiles_without_memory_have_empty_contexts_beside():
    plain = tracer.Profile(threads=False)
    plain.runcall(drop, 3)
    data = opened(plain, profiled(rise_and_fall))
    first, second = data["memory"]["measures"]["live"]
    assert first["nodes"] == {"depth": [0], "row": [2**32 - 1], "calls": [0], "time": [0]}
    assert first["figures"]["row"] == []
    assert figures_of(data, "live", 1)["keep"] == (10, 10 * (50 + HEAD), 10 * (50 + HEAD))
    assert len(data["threads"]) == 2
    assert len(second["nodes"]["depth"]) > 1
    assert len(data["memory"]["curves"]) == 1


def test_two_profiles_are_added_up():
    first, second = profiled(rise_and_fall), profiled(rise_and_fall)
    memory = opened(first, second)["memory"]
    lives = [profile.capture().memory.live for profile in (first, second)]
    assert memory["live"] == [sum(live.bytes for live in lives), sum(live.blocks for live in lives)]
    assert len(memory["curves"]) == len(memory["measures"]["peak"]) == 2


def test_of_several_that_were_cut_off_the_soonest_is_told():
    captures = [profiled(rise_and_fall).capture() for _ in range(3)]
    for capture, after in zip(captures, (7, 5, -1), strict=True):
        capture.memory_data = {**capture.memory_data, "cut_off": after, "resident": after + 1}
    memory = opened(*captures)["memory"]
    assert (memory["cutOff"], memory["resident"]) == (5, 8)


def test_a_file_that_tracer_did_not_write_beside_leaves_memory_out(tmp_path):
    import cProfile

    other = cProfile.Profile()
    other.runcall(drop, 3)
    other.dump_stats(tmp_path / "other.prof")
    profiled(rise_and_fall).dump_stats(tmp_path / "out.prof")
    stats = tracer.Stats(str(tmp_path / "out.prof"), str(tmp_path / "other.prof"))
    assert shown(stats).memory is None


def test_a_damaged_file_is_told():
    capture = profiled(rise_and_fall).capture()
    first = capture.threads[0]
    wrong = (2**31).to_bytes(4, "little") + first.memory[4:]  # no thread has so many nodes
    capture.threads = (first._replace(memory=wrong), *capture.threads[1:])
    with pytest.raises(tracer.ProfileFormatError, match="its memory is damaged; make the profile"):
        shown(tracer.Stats(capture))


PROGRAM = """\
KEPT = [None] * 100
def keep():
    place = 0
    while place < 100:
        KEPT[place] = bytes(1000)
        place += 1
keep()
"""


def test_lines_have_their_memory(tmp_path):
    (tmp_path / "keeps.py").write_text(PROGRAM)
    ended = traced("--memory", "--lines", "-o", tmp_path / "out.prof", tmp_path / "keeps.py")
    assert ended.returncode == 0, ended.stderr.decode()
    header, _ = pages.opened(
        pages.data_in(pages.written([shown(tracer.Stats(str(tmp_path / "out.prof")))]))
    )
    functions = header["profiles"][0]["memory"]["lines"]
    [of_keep] = [function for function in functions if function["name"] == "keep"]
    assert (of_keep["file"], of_keep["line"]) == (str(tmp_path / "keeps.py"), 2)
    lines = {line: rest for line, *rest in of_keep["lines"]}
    size = 100 * (1000 + HEAD)
    hits, _, allocated, live, peak = lines[5]
    assert (hits, live, peak) == (100, size, size)
    assert allocated >= size
    assert lines[6][3] == 0
    assert opened(profiled(rise_and_fall))["memory"]["lines"] == []  # no lines were recorded


def test_the_curve_is_on_the_axis_of_a_timeline():
    """A tick of 2 ns; recording began 1,000 ns after tick 50."""
    points = [Point(0.0, 0, 0, 0, 0), Point(6e-6, 2**20, 3 * 2**20, 2**21, 2**25)]
    assert counters_of(Curve("", 9_001_000, points), (50, 9_000_000), 2.0) == [
        (550, "live memory, MiB", 0.0),
        (3550, "live memory, MiB", 2.0),
        (3550, "resident memory, MiB", 32.0),
    ]
    assert (
        counters_of(Curve("", 0, points[:1]), (50, 9_000_000), 2.0)[0][0] == 0
    )  # none is negative


def test_a_timeline_has_the_curve_as_counters():
    profile = profiled(rise_and_fall, timeline=True)
    points = list(profile.capture().memory.curve())
    header, _ = pages.opened(pages.data_in(pages.written([shown(tracer.Stats(profile))])))
    counters = header["profiles"][0]["timeline"][0]["counters"]
    live = [
        value
        for name, value in zip(counters["name"], counters["value"], strict=True)
        if name == "live memory, MiB"
    ]
    assert live == [point.last / 2**20 for point in points]
    assert set(counters["thread"]) == {0}


def test_a_page_without_memory_has_neither_its_view_nor_its_script_nor_its_style():
    plain, timed = pages.small(), shown(tracer.Stats(capture_of(LEAST)))
    with_memory = shown(tracer.Stats(profiled(rise_and_fall)))
    for profiles in ([plain], [timed], [plain, with_memory]):
        text = pages.written(profiles)
        assert not re.findall(r"m_memory|m_views_memory", pages.script_in(text))
        assert ".mem-" not in text
        assert "memory" not in pages.opened(pages.data_in(text))[0]["profiles"][0]
    for profiles in ([with_memory], [with_memory, plain]):
        text = pages.written(profiles)
        assert "m_views_memory = " in pages.script_in(text)
        assert ".mem-chart" in text
        served = page.page_of("", ["memory"]).decode()
        assert pages.script_in(text) == pages.script_in(served)
        assert "m_views_timeline" not in pages.script_in(text)


@pytest.mark.parametrize("others", [(), ("timeline",), ("timeline", "steps")])
def test_memory_is_beside_what_else_a_page_has(others):
    script = pages.script_in(page.page_of("", ("memory", *others)).decode())
    assert "m_views_memory = " in script
    assert ("m_views_timeline = " in script) == ("timeline" in others)
    assert ("m_views_steps = " in script) == ("steps" in others)


def test_the_page_grows_by_little():
    """Script and style have 14 KB."""
    for others in ((), ("timeline",), ("timeline", "steps")):
        grown = len(page.page_of("", ("memory", *others))) - len(page.page_of("", others))
        assert 0 < grown <= 14_000
