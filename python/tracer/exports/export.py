"""Exports: profiles in the formats that other tools open. Each module of formats/ is one format.

This file finds the formats, applies a minimum, and writes. A format's module is loaded when it is
asked for. README.md says how to make a format; cli/commands/export.py reads the command line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from tracer.data.memory import NO_MEMORY
from tracer.data.profile_set import command_of
from tracer.data.samples import NO_NATIVE
from tracer.exports import formats, memory
from tracer.exports.format import Format, Options, nobody
from tracer.exports.names import shown
from tracer.exports.times import NoTimeline, Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import BinaryIO

    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet
    from tracer.exports.tracks import Tracks
    from tracer.runtime.atomic_files import AnyPath

__all__ = [
    "FORMATS",
    "Export",
    "Format",
    "NoMemory",
    "NoNative",
    "NoTimeline",
    "Options",
    "Window",
    "check_format",
    "check_memory",
    "check_minimum",
    "check_native",
    "check_window",
    "export",
]


class NoMemory(ValueError):
    """No profile has memory."""


class NoNative(ValueError):
    """No profile has native samples."""


class Formats(Mapping[str, Format]):
    """The Format of each name. Iterating over the names loads no format."""

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(module.name for module in iter_modules(formats.__path__)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Format:
        if name not in list(self):
            raise KeyError(name)
        format: Format = module_of(name).FORMAT
        return format


FORMATS: Mapping[str, Format] = Formats()
PERCENT = "paths", "functions"  # what a minimum in percent can leave out


def module_of(name: str) -> ModuleType:
    return import_module(f"{formats.__name__}.{name}")


def check_format(name: str) -> Format:
    """The format of this name. Raises ValueError, with the list of formats, for another name."""
    try:
        return FORMATS[name]
    except KeyError:
        raise ValueError(f"unknown format {name!r}; choose from {', '.join(FORMATS)}") from None


def check_minimum(name: str, minimum: float | None) -> float:
    """The percentage below which this format leaves things out; None: the format's own. Raises
    ValueError outside 0 to 100, and above 0 if the format has nothing to leave out."""
    format = check_format(name)
    if minimum is None:
        return format.minimum
    if not 0 <= minimum <= 100:
        raise ValueError(f"{minimum!r}: give a percentage, from 0 to 100")
    if minimum and format.prunes not in PERCENT:
        able = [name for name, format in FORMATS.items() if format.prunes in PERCENT]
        if format.prunes == "slices":
            raise ValueError(f"{name} leaves out short slices: give a duration, such as 200us")
        kinds = " or ".join(sorted({FORMATS[name].prunes for name in able}))
        names = f"{', '.join(able[:-1])} and {able[-1]}"
        raise ValueError(f"{name} has no {kinds} to leave out; {names} have")
    return minimum


def check_window(name: str, window: Window | None) -> None:
    """Raises ValueError if the format draws no timeline of which a part could be chosen, and for a
    part without time."""
    if window is None or window == Window():
        return
    if not check_format(name).draws:
        able = ", ".join(name for name, format in FORMATS.items() if format.draws)
        raise ValueError(f"{name} has no times and durations to choose from; these have: {able}")
    if window.start >= window.end:
        start, end = (moment / 1e9 for moment in (window.start, window.end))
        raise ValueError(f"{start:g} is not before {end:g}; give an earlier time")


def check_memory(name: str, measure: str | None, window: Window | None = None) -> None:
    """Raises ValueError if the format has no paths that could be weighed by memory, for a measure
    that there is not, and if a part of a timeline is asked for, too. None asks for nothing."""
    if measure is None:
        return
    if not check_format(name).weighs_memory:
        able = ", ".join(name for name, format in FORMATS.items() if format.weighs_memory)
        beside = "has it without being asked" if name in ("csv", "json") else "has no paths by it"
        raise ValueError(f"{name} {beside}; these can have memory in the place of time: {able}")
    if measure not in memory.MEASURES:
        names = ", ".join(memory.MEASURES)
        raise ValueError(f"unknown measure {measure!r}; choose from {names}")
    if window not in (None, Window()):
        raise ValueError("memory is by path, and has no part of a timeline; give one of them")


def check_native(name: str, *, native: bool, measure: str | None, window: Window | None) -> None:
    """Raises ValueError if the format has no paths that could have native functions, and if memory
    or a part of a timeline is asked for, too."""
    if not native:
        return
    if not check_format(name).weighs_native:
        able = ", ".join(name for name, format in FORMATS.items() if format.weighs_native)
        raise ValueError(f"{name} has no native functions; these can have them: {able}")
    if measure is not None:
        raise ValueError("native functions have CPU time, and no memory; give one of them")
    if window not in (None, Window()):
        raise ValueError("native samples have no part of a timeline; give one of them")


class Export:
    """A profile on its way into the format `name`, without what the format leaves out below
    `minimum` percent. `paths`: the profile's, if the caller has them. `window`: the part of the
    timeline. `merged`: show paths where the format could show the timeline, too. `measure`: the
    paths have memory in the place of time, by this measure (memory.MEASURES). `native`: they have
    CPU time by native samples, and native functions. Raises ValueError as check_format(),
    check_minimum(), check_window(), check_memory() and check_native() do, and NoTimeline, NoMemory
    or NoNative where there is none for the format, the window or the measure.

    tracks: the timeline, if that is written; then there are no paths.
    """

    def __init__(
        self,
        profiles: ProfileSet,
        name: str,
        minimum: float | None = None,
        *,
        paths: Paths | None = None,
        window: Window | None = None,
        merged: bool = False,
        measure: str | None = None,
        native: bool = False,
    ) -> None:
        self.name: str = name
        self.format: Format = check_format(name)
        self.minimum: float = check_minimum(name, minimum)
        check_window(name, window)
        check_memory(name, measure, window)
        check_native(name, native=native, measure=measure, window=window)
        native = native or self.format.needs == "native"
        if native and all(capture.native_data is None for capture in profiles.captures):
            raise NoNative(NO_NATIVE)
        is_without = all(capture.memory_data is None for capture in profiles.captures)
        if is_without and (self.format.needs == "memory" or measure is not None):
            raise NoMemory(NO_MEMORY)
        self.profiles: ProfileSet = profiles if measure is None else profiles.seen_by(measure)
        if native:
            self.profiles = profiles.seen_by_native(by_address=self.format.by_address)
        self.tracks: Tracks | None = None
        merged = merged or bool(minimum) or self.profiles is not profiles
        if not native and self._draws(window, merged=merged):
            from tracer.exports.timelines import tracks_of

            self.tracks = tracks_of(profiles, window or Window(), self.format.most_slices)
        self.paths: Paths = self._paths(native=native) if paths is None else paths
        if self.format.prunes == "paths" and self.tracks is None:
            from tracer.analysis.tree.pruning import pruned

            self.paths = pruned(self.paths, self.minimum)

    def _draws(self, window: Window | None, *, merged: bool) -> bool:
        """Whether the timeline is written."""
        if self.format.needs == "timeline" or window not in (None, Window()):
            return True
        captures = self.profiles.captures
        return self.format.may_draw and not merged and any(c.timeline for c in captures)

    def _paths(self, *, native: bool) -> Paths:
        """The profile's paths. A format that needs none gets none, and so cannot fail because of
        them."""
        from tracer.analysis.tree.call_tree import Paths, paths_of

        is_wanted = native or (self.format.needs == "paths" and self.tracks is None)
        return paths_of(self.profiles) if is_wanted else Paths((), ())

    @property
    def nodes(self) -> int:
        """The number of nodes or slices to write: the last that options.progress is told."""
        return sum(map(len, self.paths.trees)) if self.tracks is None else self.tracks.slice_count

    def size(self) -> int | None:
        """About how many bytes of text there will be; None if they do not grow with the depth of
        calls."""
        count: Callable[[Paths], int] | None = getattr(module_of(self.name), "size", None)
        return None if count is None else count(self.paths)

    def write(
        self,
        out: BinaryIO,
        *,
        title: str = "tracer",
        progress: Callable[[int], object] = nobody,
    ) -> None:
        """Write the profile to an open binary file. Raises OSError."""
        options = Options(title=shown(title), progress=progress, minimum=self.minimum)
        module = module_of(self.name)
        if self.tracks is None:
            module.write(self.paths, self.profiles, out, options)
        else:
            module.draw(self.tracks, self.profiles, out, options)
        progress(self.nodes)


def export(
    stats: ProfileSet,
    name: str,
    path: AnyPath,
    minimum: float | None = None,
    window: Window | None = None,
    *,
    merged: bool = False,
    measure: str | None = None,
    native: bool = False,
) -> None:
    """Write a file in the format `name`, whole or not at all. Raises ValueError, OSError."""
    from tracer.runtime.streamed_file import whole_file

    check_minimum(name, minimum)
    made = Export(
        stats, name, minimum, window=window, merged=merged, measure=measure, native=native
    )
    with whole_file(path) as out:
        made.write(out, title=title_of(stats, [os.fsdecode(path)]))


def title_of(stats: ProfileSet, files: list[str]) -> str:
    """The command that was profiled; the files' names if the command is not known."""
    names = ", ".join(os.path.basename(file) for file in files)
    return command_of(stats.captures) or names
