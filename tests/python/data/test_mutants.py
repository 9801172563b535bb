"""Damaged and hostile profile files: refused in so many words, with little time and memory.

That undamaged files give back what was written is not checked here.
"""

from __future__ import annotations

import importlib.util
import io
import marshal
import os
import random
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import tracer
from places import HELPERS, ROOT, TESTS
from tracer._core import ProfileFormatError, pack_section, read_profile

TOOL = TESTS / "tools" / "mutate_profiles.py"
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
from collections.abc import Callable
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


@pytest.fixture(scope="module")
def count_steps(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], int]:
    """How many items of dicts the reader goes through. lookups.c, which includes it, counts."""
    built = tmp_path_factory.mktemp("lookups") / "lookups.so"
    folders = [ROOT / "ext", sysconfig.get_path("include"), os.environ.get("UTHASH_INCLUDE")]
    folders += [Path("/opt/homebrew/include"), Path("/opt/local/include")]
    words = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    words += ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    words += [f"-I{folder}" for folder in folders if folder]
    words += [str(HELPERS / "lookups.c"), str(ROOT / "ext/core/report/reader.c")]
    subprocess.run([*words, "-o", str(built)], check=True)
    spec = importlib.util.spec_from_file_location("lookups", built)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    counted: Callable[[bytes], int] = module.count_steps
    return counted


def test_what_entries_share_is_gone_through_once(count_steps: Callable[[bytes], int]) -> None:
    """The callers of all functions are one dict; or one tuple is the figures of all."""

    def steps(count: int, whole: bool) -> int:
        labels = [("f.py", line, "f") for line in range(count)]
        callers = dict.fromkeys(labels, (1, 1, 0.0, 0.0))
        entry = (1, 1, 0.0, 0.0, callers)
        data = marshal.dumps(dict.fromkeys(labels, entry if whole else (*entry,)))
        assert read_profile(data)[0] == dict.fromkeys(labels, entry)
        return count_steps(data)

    for whole in (False, True):
        assert steps(50, whole) == 50 + 1
        assert steps(100, whole) == 100 + 1


def test_callers_that_are_none_are_refused_however_often_they_are_shared() -> None:
    good = {("f.py", 1, "f"): (1, 1, 0.0, 0.0)}
    bad = {("f.py", 1, "f"): "no figures"}
    labels = [("f.py", line, "g") for line in range(9)]
    for callers in ([bad] * 9, [good] * 8 + [bad], [good, bad] + [good] * 7):
        entries = zip(labels, callers, strict=True)
        data = marshal.dumps({label: (1, 1, 0.0, 0.0, its) for label, its in entries})
        with pytest.raises(ProfileFormatError, match="not the figures of a function"):
            read_profile(data)


def test_callers_of_an_entry_that_another_replaces_vouch_for_no_others() -> None:
    """They must not be freed before all is read: others would get their addresses."""
    label = marshal.dumps(("f.py", 1, "f"), 0)
    good = marshal.dumps((1, 1, 0.0, 0.0, {("f.py", 1, "f"): 1}), 0)
    bad = marshal.dumps((1, 1, 0.0, 0.0, {("f.py", 1, "f"): ""}), 0)
    with pytest.raises(ProfileFormatError, match="not the figures of a function"):
        read_profile(b"{" + (label + good) * 9 + (label + bad) * 9 + b"0")


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
