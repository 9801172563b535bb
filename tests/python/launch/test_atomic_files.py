"""A file appears whole or not at all, and what ends its writing is told as what it is."""

import os

import pytest

from tracer.runtime import atomic_files
from tracer.runtime.atomic_files import write_whole


@pytest.mark.parametrize("is_renamed", [False, True])
def test_ctrl_c_while_a_file_is_renamed(tmp_path, monkeypatch, is_renamed):
    def replace(source, target, rename=os.replace):
        if is_renamed:
            rename(source, target)
        raise KeyboardInterrupt

    path = tmp_path / "a.out"
    path.write_bytes(b"old")
    monkeypatch.setattr(atomic_files.os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == (b"new" if is_renamed else b"old")
    assert [it.name for it in tmp_path.iterdir()] == ["a.out"]
