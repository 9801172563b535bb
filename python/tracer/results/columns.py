"""What columns of several tables are. A table's row stands above what makes it: the reference lists
its columns from there.

Times are seconds, sizes are bytes. None stands for what the profile does not know.
"""

from __future__ import annotations

from typing import Annotated

from tracer.data.figures import FIGURES
from tracer.results.table import About, Kind

Name = Annotated[str, About("text", "the qualified name, as far as the profile knows it")]
Module = Annotated[str, About("text", 'the module; "" of a builtin')]
File = Annotated[str, About("text", 'the file; "~" of a builtin')]
Line = Annotated[int, About("number", "the line where it is defined; 0 of a builtin")]
Origin = Annotated[str, About("text", "own, library (the standard one), site, builtin or native")]


def of_figure(name: str) -> About:
    """What data/figures.py says of a figure."""
    about, is_time, merge = FIGURES[name]
    times: tuple[Kind, Kind] = "seconds", "moment"
    return About(times[merge is None] if is_time else "count", about[0].lower() + about[1:])


Calls = Annotated[int | None, of_figure("ncalls")]
Primitive = Annotated[int | None, of_figure("primitive")]
Own = Annotated[float, of_figure("tottime")]
Cumulative = Annotated[float, of_figure("cumtime")]
Waited = Annotated[float | None, of_figure("waited")]
