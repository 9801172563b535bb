"""compat/kernprof_targets.py: where the targets of kernprof are looked for."""

import sys

from tracer.compat.kernprof_targets import path_with


def test_a_folder_is_on_the_path_while_it_is_looked_into(tmp_path, monkeypatch):
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    before = [here, *sys.path]
    monkeypatch.setattr(sys, "path", [*before])
    with path_with(there):
        assert sys.path == [*before, there]
    assert sys.path == before
    for folder in here, None:  # it was there already, or there is none
        with path_with(folder):
            assert sys.path == before
        assert sys.path == before
