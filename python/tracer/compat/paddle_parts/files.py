"""Files by Paddle's names: functions for Profiler(on_trace_ready=...) that write each cycle, and
load_profiler_result().

nodes.py has the format of .pb files.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from tracer.compat.paddle_parts.nodes import ProfilerResult
from tracer.runtime.unrecorded import aside

if TYPE_CHECKING:
    from tracer.runtime.atomic_files import AnyPath


class Exports(Protocol):
    """A Profiler."""

    def export(self, path: AnyPath = "", format: str = "json") -> None: ...


def export_chrome_tracing(
    dir_name: str, worker_name: str | None = None
) -> Callable[[Exports], None]:
    """A function for Profiler(on_trace_ready=...) that writes each cycle to the folder `dir_name`,
    for Chrome's tracing: WORKER_time_YEAR_MONTH_DAY_HOUR_MINUTE_SECOND_MICROSECOND
    .paddle_trace.json.

    worker_name: by default host_HOSTpid_PID. Raises RuntimeError when the folder cannot be made.
    """
    return _exporter(dir_name, worker_name, "json")


def export_protobuf(dir_name: str, worker_name: str | None = None) -> Callable[[Exports], None]:
    """The same in Paddle's own format, .paddle_trace.pb, which load_profiler_result() reads, and
    Paddle's."""
    return _exporter(dir_name, worker_name, "pb")


@aside
def load_profiler_result(filename: AnyPath) -> ProfilerResult:
    """The events of a .pb file that tracer or Paddle wrote. Raises OSError, and
    ProfileFormatError for another file."""
    with open(filename, "rb") as file:
        return ProfilerResult.loads(file.read())


@aside
def _exporter(folder: str, worker: str | None, format: str) -> Callable[[Exports], None]:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise RuntimeError(
            f"the folder {folder!r} for profiles cannot be made: {error.strerror}"
        ) from error

    @aside
    def write(profiler: Exports) -> None:
        name = worker or f"host_{socket.gethostname()}pid_{os.getpid()}"
        now = datetime.now().strftime("%Y_%m_%d_%H_%M_%S_%f")
        profiler.export(os.path.join(folder, f"{name}_time_{now}.paddle_trace.{format}"), format)

    return write
