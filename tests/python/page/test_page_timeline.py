"""The timeline in the page's data: the log and the bins as they were recorded, the calling contexts
that these name, the lists; and how much the page grows."""

import math
import random
from array import array

import pytest

import pages
import tracer
from rows import Clock, limited
from timelines import capture_of
from tracer.data.records import NO_ROW
from tracer.page.document import shown

RUN = """
    <module>@main 0-9000
      load@helpers 1000-4000
        read 1500-3500 #1
      load@helpers 5000-8000
"""
OTHER = """
    work@main 2000-7000
      load@helpers 2000-3000
"""


def opened(*captures):
    """The timelines in the page of these captures, unpacked; and its names by row."""
    return opened_stats(tracer.Stats(*captures))


def opened_stats(stats):
    header, blocks = pages.opened(pages.data_in(pages.written([shown(stats)])))
    [profile] = header["profiles"]

    def unpacked(value):
        if isinstance(value, dict) and "planes" in value:
            return pages.column(value, blocks)
        if isinstance(value, dict):
            return {name: unpacked(it) for name, it in value.items()}
        return [unpacked(it) for it in value] if isinstance(value, list) else value

    return unpacked({"timeline": profile["timeline"]}), profile["rows"]["name"]


def test_a_profile_without_a_timeline_has_none_in_the_page():
    header, _ = pages.opened(pages.data_in(pages.written([pages.small()])))
    assert "timeline" not in header["profiles"][0]


def test_log_and_bins_are_there_as_they_were_recorded():
    capture = capture_of(RUN, OTHER)
    found, _ = opened(capture)
    [process] = found["timeline"]
    assert len(process["threads"]) == 2
    for line, recorded in zip(process["threads"], capture.timeline.threads, strict=True):
        assert bytes(line["slices"]) == recorded.slices
        assert bytes(line["bins"]) == recorded.bins
        assert (line["began"], line["ended"]) == (recorded.began, recorded.ended)
    assert process["tick"] == 1000  # nanoseconds
    assert (process["unit"], process["least"], process["lost"]) == (1000, 0, 0)


def test_contexts_have_their_callers_and_the_rows_of_the_page():
    found, names = opened(capture_of(RUN, OTHER))
    first, second = found["timeline"][0]["threads"]
    assert first["parent"] == [0, 0, 1, 2]
    assert first["row"][0] == NO_ROW
    assert [names[row] for row in first["row"][1:]] == ["<module>", "load", "<read>"]
    assert [names[row] for row in second["row"][1:]] == ["work", "load"]
    assert first["resumed"] == []
    assert [first["thread"], second["thread"]] == [0, 1]


def test_contexts_that_overflowed_are_numbered_between_the_others():
    """A context of a path that was not kept has the function, and no caller of its own."""
    clock = Clock()

    def inner():
        clock.now += 5

    def outer():
        inner()
        clock.now += 3

    def other():
        outer()

    recorder = limited(clock, 1e-9, builtins=False, timeline=True, _node_limit=3)
    for program in (outer, other, outer):
        recorder.runcall(program)
    capture = recorder.capture()
    found, names = opened(capture)
    [line] = found["timeline"][0]["threads"]
    functions = capture.timeline.threads[0].functions
    assert line["overflow"]
    assert len(line["row"]) == len(line["parent"]) == len(functions)
    for number, (row, parent) in enumerate(zip(line["row"], line["parent"], strict=True)):
        if number:
            assert names[row] == capture.functions[functions[number]].qualname
        assert parent == 0 if number in line["overflow"] else parent < max(number, 1)


@pytest.mark.parametrize("numbers", [(0,), (9,), (2**32 - 1,), (2, 2)])
def test_contexts_that_cannot_be_are_damage(numbers):
    capture = capture_of(RUN)
    [thread] = capture.threads
    log = thread.log._replace(folded=array("I", numbers).tobytes())
    capture.threads = (thread._replace(log=log),)
    with pytest.raises(tracer.ProfileFormatError, match="timeline is damaged"):
        opened(capture)


def test_contexts_that_were_resumed_are_told():
    found, _ = opened(capture_of("main@main 0-9\n  gen@main 1-2\n  gen@main 3-4 +"))
    assert found["timeline"][0]["threads"][0]["resumed"] == [2]


def test_captures_of_several_files_are_processes():
    found, _ = opened(capture_of(RUN, timeline={"pid": 7}), capture_of(OTHER, timeline={"pid": 8}))
    assert [process["pid"] for process in found["timeline"]] == [7, 8]
    assert [process["threads"][0]["thread"] for process in found["timeline"]] == [0, 1]


def test_lists_are_columns_and_any_value_is_one():
    values = (
        ("nan", math.nan),
        ("big", 2**60),
        ("yes", True),
        ("none", None),
        ("text", "</script>\udc80"),
        ("few", 1.5),
    )
    found, _ = opened(
        capture_of(
            RUN,
            tasks=[(1, 0, 3, 1500, -1, "request")],
            ranges=[(0, 1, 500, 700, "a", "io", values, 1, 0)],
            marks=[(0, 1, 600, "</script>", ())],
            counters=[(0, 100, "loss", math.inf), (0, 200, "loss", 2)],
            flows=[("f", 0, 100, 0, 300)],
            collections=[(0, 100, 200, 2, 5, 0)],
            forks=[(0, 700, "fork", 99)],
            stacks=[(1, 0, None)],
        )
    )
    [process] = found["timeline"]
    assert process["tasks"]["name"] == ["request"]
    assert process["tasks"]["end"] == [-1]
    assert process["ranges"]["values"] == [
        [
            ["nan", "nan"],
            ["big", str(2**60)],
            ["yes", True],
            ["none", None],
            ["text", "</script>\udc80"],
            ["few", 1.5],
        ]
    ]
    assert process["marks"]["name"] == ["</script>"]
    assert process["counters"]["value"] == [None, 2]
    assert process["flows"]["to"] == [0]
    assert process["collections"]["generation"] == [2]
    assert process["forks"] == {"thread": [0], "at": [700], "what": ["fork"], "pid": [99]}
    assert process["stacks"]["name"] == [None]


def test_a_single_thread_has_its_own_entries_alone():
    marks = [(0, 1, 5, "a", ()), (1, 1, 6, "b", ())]
    flows = [("f", 1, 100, 0, 300), ("g", 1, 100, 1, 300), ("h", 0, 100, 1, 300)]
    stats = tracer.Stats(capture_of(RUN, OTHER, marks=marks, flows=flows))
    found, names = opened_stats(stats.threads["Thread-1"])
    [process] = found["timeline"]
    [line] = process["threads"]
    assert (line["thread"], [names[row] for row in line["row"][1:]]) == (0, ["work", "load"])
    assert (process["marks"]["thread"], process["marks"]["name"]) == ([0], ["b"])
    assert (process["flows"]["name"], process["flows"]["to"]) == (["f", "g"], [-1, 0])


class Steady:
    """A timer in nanoseconds, which shows a bit more than 0.3 us more each time: no busy machine
    makes a program wait by it."""

    def __init__(self):
        self.chance, self.now = random.Random(1), 0

    def __call__(self):
        self.now += self.chance.randrange(300, 308)
        return self.now


def test_a_small_programs_page_grows_by_little():
    """The program prints, parses and imports a bit: some thousand calls."""

    def program():
        import json

        for number in range(300):
            json.loads(json.dumps({"a": [number] * 5}))

    page, data = [], []
    for timeline in (False, True):
        with tracer.Profile(Steady(), 1e-9, timeline=timeline) as profile:
            program()
        page.append(len(pages.written([shown(tracer.Stats(profile))])))
        data.append(len(pages.data_in(pages.written([shown(tracer.Stats(profile))]))))
    assert 0 < data[1] - data[0] <= 15_000  # as base64: 20,000
    assert 0 < page[1] - page[0] <= 75_000  # with the timeline's script and style
