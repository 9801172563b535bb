"""Reads the FILEs that `view` and `html` show, added up or side by side. tracer/page makes the
page."""

from __future__ import annotations

import os
from typing import NamedTuple

from tracer.analysis.recordings import differences, mixtures
from tracer.analysis.steps.phase_rules import ConfigError
from tracer.api.stats import Stats
from tracer.cli.inputs import reading, use_phases
from tracer.launch.errors import UsageError
from tracer.page.document import Shown, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.cli.options.page import PageOptions


class Profiles(NamedTuple):
    """What the page shows; its title; how its profiles were recorded differently; the problems of
    damaged files that can still be read."""

    sides: list[Shown]
    title: str
    remarks: list[str]
    problems: list[str]


def profiles_of(files: Sequence[str], options: PageOptions, prog: str) -> Profiles:
    """The files as the page shows them. Raises UsageError."""
    if options.compare and len(files) != 2:
        named = f"{len(files)} {'is' if len(files) == 1 else 'are'} named"
        raise UsageError(f"--compare needs two files: before and after; {named}")
    groups = [[file] for file in files] if options.compare else [files]
    names = names_of(files)
    read, sides = [], []
    for group in groups:
        with reading(prog, group):
            read.append(Stats(*group, raw=options.raw))
        use_phases(read[-1], options.phases)
    pair = read if options.compare else ()
    for group, stats, name in zip(groups, read, names, strict=False):
        with reading(prog, group):
            try:
                sides.append(
                    shown(stats, name, pair=pair, read_sources=True, libraries=options.sources)
                )
            except ConfigError as error:
                raise UsageError(str(error)) from None
    return Profiles(
        sides,
        " → ".join(names) if options.compare else ", ".join(names),
        differences(*pair) if pair else mixtures(*read),
        [problem for stats in read for problem in stats.problems],
    )


def names_of(files: Sequence[str]) -> list[str]:
    """The names of the files, without folders where that tells them apart."""
    names = [os.path.basename(file) for file in files]
    return names if len(set(names)) == len(names) else list(files)
