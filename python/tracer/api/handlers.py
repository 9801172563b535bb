"""What StepProfiler(on_ready=...) usually gets: functions that write each cycle to a folder."""

from __future__ import annotations

import os

from tracer.runtime.unrecorded import aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.api.step_profiler import StepProfiler
    from tracer.runtime.atomic_files import AnyPath


@aside
def save_to(folder: AnyPath, name: str | None = None) -> Callable[[StepProfiler], None]:
    """A function for StepProfiler(on_ready=...) that saves each cycle to a profile file in the
    folder, which is made where it is not there: NAME-steps-FIRST-LAST.out, by the numbers of its
    steps.

    name: by default the name of this machine and the process id, HOST-PID. A file of the same name
    is replaced. Raises OSError when the folder cannot be made.
    """
    place = _folder(folder)

    def save(profiler: StepProfiler) -> None:
        profiler.dump_stats(_path(place, name, profiler, ".out"))

    return save


@aside
def export_to(
    format: str, folder: AnyPath, name: str | None = None
) -> Callable[[StepProfiler], None]:
    """The same with each cycle exported, in a format that `tracer export --help` lists, such as
    "chrome". Raises ValueError for an unknown format, and OSError when the folder cannot be
    made."""
    from tracer.exports.export import check_format

    suffix = check_format(format).suffix
    place = _folder(folder)

    def export(profiler: StepProfiler) -> None:
        profiler.export(format, _path(place, name, profiler, suffix))

    return export


def _folder(folder: AnyPath) -> str:
    """The folder, which exists then. Its path is whole: a program may change its current folder."""
    path = os.path.abspath(os.fsdecode(folder))
    os.makedirs(path, exist_ok=True)
    return path


@aside
def _path(folder: str, name: str | None, profiler: StepProfiler, suffix: str) -> str:
    first, last = profiler.recorded_steps
    which = f"steps-{first}-{last}" if first <= last else f"step-{first}-cut"
    return os.path.join(folder, f"{name or _process()}-{which}{suffix}")


def _process() -> str:
    import socket

    return f"{socket.gethostname()}-{os.getpid()}"
