"""Pictures of mprof's files: by matplotlib, or as text where that is not asked for."""

from __future__ import annotations

import time
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from tracer.compat.mprof_files import function_labels
from tracer.launch.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.compat.mprof_files import Recording

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " .:-=+*#@"
WIDTH, HEIGHT = 72, 12  # of a plot as text: characters


class Look(NamedTuple):
    """title: None: the command. window: the first and the last second, or None. calls: whether
    they are marked. flame: as boxes. slope: with a trend line."""

    title: str | None = None
    window: tuple[float, float] | None = None
    calls: bool = True
    flame: bool = False
    slope: bool = False


def text_plot(
    recording: Recording, look: Look, width: int = WIDTH, *, is_ascii: bool = False
) -> str:
    """The samples as a small plot: in each column the most MiB of its stretch of time."""
    begin = recording.samples[0][0]
    first, last = look.window or (0.0, recording.samples[-1][0] - begin)
    span = max(last - first, 1e-9)
    columns: list[float | None] = [None] * width
    for at, mib in recording.samples:
        place = int((at - begin - first) / span * width)
        if first <= at - begin <= last:
            place = min(place, width - 1)
            columns[place] = max(columns[place] or 0.0, mib)
    filled, latest = [], next((mib for mib in columns if mib is not None), 0.0)
    for column in columns:
        latest = latest if column is None else column
        filled.append(latest)
    top = max(filled, default=0.0) or 1.0
    blocks = ASCII_BLOCKS if is_ascii else BLOCKS
    rows = []
    for row in range(HEIGHT, 0, -1):
        cells = (min(max(mib / top * HEIGHT - row + 1, 0.0), 1.0) for mib in filled)
        line = "".join(blocks[round(cell * (len(blocks) - 1))] for cell in cells)
        edge = f"{top * row / HEIGHT:9.1f} |"
        rows.append(f"{edge}{line}".rstrip())
    axis = f"{'MiB':>9} +{'-' * width}"
    left, right = f"{first:.1f}", f"{last:.1f} s"
    rows += [axis, f"{'':11}{left}{right:>{max(width - len(left), len(right) + 1)}}"]
    title = look.title or recording.command
    return "".join(f"{line}\n" for line in [title, *rows])


def is_installed() -> bool:
    """Whether there is matplotlib."""
    return find_spec("matplotlib") is not None


def draw(
    recordings: Sequence[Recording], look: Look, output: str | None, backend: str | None
) -> None:
    """Draw the samples, in a window or into a file. Raises UsageError where there is no
    matplotlib."""
    if not is_installed():
        raise UsageError("a picture needs matplotlib: pip install matplotlib, or give --text")
    try:
        if backend is not None:
            import_module("matplotlib").use(backend)
        pyplot: Any = import_module("matplotlib.pyplot")
    except (ImportError, ValueError) as error:
        raise UsageError(f"matplotlib cannot draw here: {error}; give --text") from None
    figure, axes = pyplot.subplots(figsize=(14, 6), dpi=90)
    for recording in recordings:
        draw_one(axes, recording, look, marks=look.calls and len(recordings) == 1)
    axes.set_xlabel("time (in seconds)")
    axes.set_ylabel("memory used (in MiB)")
    if look.window is not None:
        axes.set_xlim(*look.window)
    axes.set_title(look.title or recordings[0].command)
    axes.grid(visible=True)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.tight_layout()
    if output is None:
        pyplot.show()
    else:
        figure.savefig(output)
    pyplot.close(figure)


def draw_one(axes: Any, recording: Recording, look: Look, *, marks: bool) -> None:
    begin = recording.samples[0][0]
    samples = list(recording.samples)
    for call in (call for calls in recording.calls.values() for call in calls):
        samples += [(call.start, call.mib_before), (call.end, call.mib_after)]
    samples.sort()
    times = [at - begin for at, _ in samples]
    sizes = [mib for _, mib in samples]
    started = time.strftime("%d / %m / %Y - start at %H:%M:%S", time.localtime(begin))
    slope, base = trend(times, sizes)
    label = f"{started} slope {slope:.5f}" if look.slope else started
    axes.plot(times, sizes, "+-", label=label)
    if look.slope:
        axes.plot(times, [base + slope * at for at in times], "--", linewidth=0.5)
    for child, others in recording.children.items():
        moments, values = [at - begin for at, _ in others], [mib for _, mib in others]
        axes.plot(moments, values, "+-", label=f"child {child}")
    labels = function_labels(list(recording.calls)) if marks else {}
    for number, (name, label) in enumerate(labels.items()):
        for call in recording.calls[name]:
            seconds = f"{label} {call.end - call.start:.3f}s"
            ends = call.start - begin, call.end - begin
            color = f"C{number % 10}"
            if look.flame:
                axes.axvspan(*ends, alpha=0.15 + 0.1 * min(call.level, 5), color=color)
                axes.text(ends[0], call.mib_before, label)
            else:
                heights = [call.mib_before, call.mib_after]
                axes.plot(ends, heights, "|", color=color, markersize=14, label=seconds)
    if marks:
        most, at = max(zip(sizes, times, strict=True))
        axes.axhline(most, linestyle="--", color="r", linewidth=0.8)
        axes.axvline(at, linestyle="--", color="r", linewidth=0.8)


def trend(times: Sequence[float], sizes: Sequence[float]) -> tuple[float, float]:
    """MiB a second, and MiB at 0: the line with the least squares."""
    count = len(times)
    middle, mean = sum(times) / count, sum(sizes) / count
    spread = sum((at - middle) ** 2 for at in times)
    both = sum((at - middle) * (mib - mean) for at, mib in zip(times, sizes, strict=True))
    slope = both / spread if spread else 0.0
    return slope, mean - slope * middle
