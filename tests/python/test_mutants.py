"""Damaged and hostile profile files: refused in so many words, with little time and memory.

That undamaged files give back what was written is not checked here.
"""

from __future__ import annotations

import importlib.util
import io
import random
import struct
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import tracer
from tracer._core import ProfileFormatError, pack_section, read_profile

TOOL = Path(__file__).parents[1] / "tools" / "mutate_profiles.py"
EMPTY = b"{0"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate_profiles", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_section(payload: bytes) -> bytes:
    return EMPTY + pack_section(payload) + payload


def test_ten_thousand_mutants() -> None:
    command = [sys.executable, str(TOOL), "10000", "--seed", "2026"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    words = result.stdout.split()
    loaded, refused = int(words[2]), int(words[4])
    assert loaded + refused == 10000
    assert loaded > 1000 and refused > 1000  # else the mutants are too tame or too wild


def test_mutants_are_reproducible_and_differ(tool: ModuleType) -> None:
    files = tool.originals()
    mutants = [tool.mutant(files, 1, number) for number in range(300)]
    assert mutants == [tool.mutant(files, 1, number) for number in range(300)]
    assert mutants != [tool.mutant(files, 2, number) for number in range(300)]
    assert sum(data in files for data in mutants) < 30


@pytest.mark.parametrize("change", ["flip", "truncate", "drop", "repeat", "recount", "recode"])
def test_every_change_changes(tool: ModuleType, change: str) -> None:
    data = bytearray(range(200))
    for seed in range(20):
        changed = data.copy()
        getattr(tool, change)(changed, random.Random(seed))
        assert changed != data or change in ("recount", "recode")


@pytest.mark.parametrize("crime", ["os.abort()", "raise KeyError", "bytearray(300 * 2**20)"])
def test_what_goes_wrong_is_seen(tool: ModuleType, crime: str, tmp_path: Path) -> None:
    """The child must fail when loading fails in any other way than it should."""
    for index, data in enumerate(tool.originals()):
        (tmp_path / f"{index}.out").write_bytes(data)
    script = f"""
import os, sys
sys.path.insert(0, {str(TOOL.parent)!r})
import mutate_profiles as tool
from pathlib import Path
load, calls = tool.load, []
def wrong(data):
    calls.append(data)
    if len(calls) > 20:
        {crime}
    return load(data)
tool.load = wrong
tool.load_all(Path({str(tmp_path)!r}), 100, 1)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if "NOT limited" in result.stderr and "bytearray" in crime:
        pytest.skip("memory cannot be limited here: no /proc, or a sanitizer is at work")
    assert result.returncode != 0
    assert int((tmp_path / "progress").read_bytes()) == 16  # four originals went before


def chain(length: int, link: bytes, references: int) -> bytes:
    """A list of tuples, each of which holds the one before, and a dict with the last as its key."""

    def reference(index: int) -> bytes:
        return b"r" + struct.pack("<I", index)

    items = [b"\xa9\x00", *(link + reference(index) * references for index in range(length))]
    items.append(b"{" + reference(length) + b"N0")
    return b"[" + struct.pack("<I", len(items)) + b"".join(items)


# 2**60 visits for who hashes it, or a stack 500,000 deep.
BOMBS = {"wide": chain(60, b"\xa9\x02", 2), "deep": chain(500_000, b"\xa9\x01", 1)}


@pytest.mark.parametrize("bomb", BOMBS)
def test_references_cannot_make_a_key_that_blows_up(bomb: str) -> None:
    payload = b"{z\x01x" + BOMBS[bomb] + b"0"
    stats = b"{" + b")\x03z\x01fi\x01\0\0\0z\x01g" + b")\x05NNNN" + BOMBS[bomb] + b"0"
    for data in (with_section(payload), stats):
        with pytest.raises(ProfileFormatError, match="cannot be the key of a dict"):
            read_profile(data)


@pytest.mark.parametrize("key", [b"N", b"i\x01\0\0\0", b"[\0\0\0\0", b")\x01N", b"g" + bytes(8)])
def test_only_texts_and_labels_are_keys(key: bytes) -> None:
    with pytest.raises(ProfileFormatError, match=r"at byte 31: this cannot be the key of a dict"):
        read_profile(with_section(b"{z\x01x{" + key + b"N00"))


def test_values_are_not_nested_without_end() -> None:
    with pytest.raises(ProfileFormatError, match="nested too deep"):
        read_profile(with_section(b"{z\x01x" + b")\x01" * 10_000 + b"N0"))
    with pytest.raises(ProfileFormatError, match="nested too deep"):
        read_profile(b"{" + b")\x01" * 10_000 + b"NN0")


def test_a_value_cannot_hold_itself() -> None:
    with pytest.raises(ProfileFormatError, match="from within it"):
        read_profile(with_section(b"{z\x01x\xdb\x01\0\0\0r\0\0\0\x000"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"{", "the file ends in the middle of a value"),
        (b"#!/usr/bin/python\n", "does not begin with a marshalled dict"),
        (b"N", "does not begin with a marshalled dict"),
        (b"{z\x01xi\x01\0\0\x000", "not the figures of a function"),
    ],
)
def test_other_files_are_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(ProfileFormatError, match=reason):
        read_profile(data)
    with pytest.raises(ProfileFormatError):
        tracer.Stats(io.BytesIO(data))
