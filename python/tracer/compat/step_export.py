"""Exports to Chrome's tracing in which the steps have other profilers' names."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from tracer.exports.export import Export, title_of
from tracer.runtime.streamed_file import whole_file

if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet
    from tracer.exports.tracks import Interval, Lane, Tracks
    from tracer.runtime.atomic_files import AnyPath


def export_chrome(stats: ProfileSet, path: AnyPath, step_name: Callable[[int], str]) -> None:
    """Write a profile for Chrome's tracing. step_name: the name of a step by its number. Raises
    OSError, and NoTimeline where the profile has no timeline."""
    made = Export(stats, "chrome")
    assert made.tracks is not None
    rename_steps(made.tracks, step_name)
    with whole_file(path) as out:
        made.write(out, title=title_of(stats, [os.fsdecode(path)]))


def rename_steps(tracks: Tracks, step_name: Callable[[int], str]) -> None:
    for process in tracks.processes:
        lanes: list[Lane] = [*process.tasks]
        for track in process.tracks:
            lanes += track.lanes
        for lane in lanes:
            lane.intervals[:] = [renamed(it, step_name) for it in lane.intervals]


def renamed(one: Interval, step_name: Callable[[int], str]) -> Interval:
    values = dict(one.values)
    number = values.get("number")
    if one.kind != "range" or values.get("category") != "step" or type(number) is not int:
        return one
    return one._replace(name=step_name(number))
