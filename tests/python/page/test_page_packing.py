"""The container of the page's data: what container.py writes is what the format says, and what
container.js reads."""

import base64
import json
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pages
from tracer.page import container
from tracer.page import document as page

EDGES = {
    "Q": [0, 1, 255, 256, 65535, 2**32 - 1, 2**32, 2**53 - 1, 2**64 - 1],
    "I": [0, 255, 2**24, 2**32 - 1],
    "q": [0, 1, -1, 127, 128, -128, -129, 2**53 - 1, -(2**53) + 1, 2**63 - 1, -(2**63)],
    "B": [0, 128, 255],
}


def through(numbers, typecode):
    blocks = container.Blocks()
    block = blocks.column(numbers, typecode)
    return block, pages.column(block, b"".join(blocks.planes))


@pytest.mark.parametrize("typecode", EDGES)
def test_numbers_come_back(typecode):
    _, found = through(EDGES[typecode], typecode)
    assert found == EDGES[typecode]


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_any_counts_come_back(numbers):
    assert through(numbers, "Q")[1] == numbers


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_any_times_come_back(numbers):
    assert through(numbers, "q")[1] == numbers


def test_planes_without_a_bit_are_left_out():
    assert through([], "Q")[0] == {"at": 0, "count": 0, "planes": 0}
    assert through([0, 0], "Q")[0] == {"at": 0, "count": 2, "planes": 0}
    assert through([0, 255], "Q")[0]["planes"] == 1
    assert through([256, 0], "q")[0] == {"at": 0, "count": 2, "planes": 2}
    assert through([-1], "q")[0] == {"at": 0, "count": 1, "planes": 8, "signed": True}


def test_numbers_that_are_too_large_become_the_largest():
    assert through([5, -1, 2**32], "I")[1] == [5, 0, 2**32 - 1]
    assert through([-1, 2**64], "Q")[1] == [0, 2**64 - 1]
    assert through([2**63, -(2**64)], "q")[1] == [2**63 - 1, -(2**63)]


def test_columns_stand_one_behind_the_other():
    blocks = container.Blocks()
    first, second = blocks.add(array("I", [1, 2, 300])), blocks.add(array("I", [7]))
    assert (first["at"], second["at"], blocks.size) == (0, 6, 7)
    assert b"".join(blocks.planes) == bytes([1, 2, 300 % 256, 0, 0, 1, 7])


def test_the_container_is_length_header_blocks():
    blocks = container.Blocks()
    blocks.column([1, 2, 3], "I")
    header, rest = pages.opened(b"".join(container.packed({"title": "\u00e9\udc80"}, blocks)))
    assert header == {"version": 2, "title": "\u00e9\udc80"}
    assert rest == b"\1\2\3"


@given(st.lists(st.binary(max_size=7)))
def test_pieces_are_one_base64_text(pieces):
    text = b"".join(container.as_base64(pieces))
    assert text == base64.b64encode(b"".join(pieces))


def test_the_page_reads_what_was_packed(tmp_path):
    """Figures to the last digit, up to 2^53, which JavaScript's numbers can hold."""
    counts = [0, 1, 255, 256, 70000, 2**32 + 5, 2**53 - 1]
    times = [0, -1, 5, -300, 2**40 + 3, -(2**53) + 1, 2**53 - 1]
    nodes = [(1, 0, count, 0, time) for count, time in zip(counts, times, strict=True)]
    profile = pages.shown(["f"], pages.tree_of(*nodes))
    file = tmp_path / "data"
    file.write_bytes(b"".join(page.data_of([profile], "title", {"running": True})))
    header = json.loads(pages.run_node(pages.TESTS_IN_JS / "decode.mjs", file))
    assert header["live"] == {"running": True}
    [thread] = header["profiles"][0]["threads"]
    assert thread["nodes"]["calls"] == [0, *counts]
    assert thread["nodes"]["time"] == [0, *times]
    assert thread["nodes"]["row"] == [2**32 - 1, *[0] * 7]
