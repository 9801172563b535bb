"""Captures of the profiles of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracer.data.capture import Capture

if TYPE_CHECKING:
    from tracer._core import Profiler
    from tracer.data.types import RunInfo


def captured(profile: Profiler, run: RunInfo | None = None) -> Capture:
    """Everything that a profile has recorded until now, with the project's rules of phases, which
    only a timeline has."""
    snapshot = profile.snapshot()
    if "sampled" in snapshot:
        from tracer.data.sampled_records import as_records

        snapshot = as_records(snapshot)
    capture = Capture(snapshot, run)
    if capture.timeline_data is not None:
        from tracer.analysis.steps.phase_rules import kept_rules

        capture.project_phases = kept_rules()
    return capture
