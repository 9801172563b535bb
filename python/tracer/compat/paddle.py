"""The names of Paddle's profiler, paddle.profiler, on tracer.

    import tracer.compat.paddle as profiler         # for `import paddle.profiler as profiler`

Paddle is not imported. profiler.py has the Profiler, states.py the enumerations and the scheduler,
tables.py the look of the tables, files.py the files. The manual's page `migrate/paddle` says what
differs.
"""

from __future__ import annotations

from tracer.compat.paddle_parts.files import (
    export_chrome_tracing,
    export_protobuf,
    load_profiler_result,
)
from tracer.compat.paddle_parts.profiler import Profiler, RecordEvent
from tracer.compat.paddle_parts.states import (
    ProfilerState,
    ProfilerTarget,
    SortedKeys,
    SummaryView,
    TracerEventType,
    make_scheduler,
)

__all__ = [
    "Profiler",
    "ProfilerState",
    "ProfilerTarget",
    "RecordEvent",
    "SortedKeys",
    "SummaryView",
    "TracerEventType",
    "export_chrome_tracing",
    "export_protobuf",
    "load_profiler_result",
    "make_scheduler",
]
