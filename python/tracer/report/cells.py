"""Names and places in the width that there is for them."""

from __future__ import annotations

from tracer.analysis.tree.called_names import plain_name, without_outer
from tracer.report.styled import NAME, PLACE, function, named, styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.types import Label

CUT = "…"
SHORTEST = 16  # characters that are left of a cut name, while there is a place beside it


def fitted(name: str, place: str, room: int) -> str:
    """The name and its place in `room` characters: first the place loses its folders, then the name
    the functions that it is defined in, then its middle, and last the place is left out."""
    name, place = on_one_line(name), on_one_line(place)
    if len(name) + (len(place) + 2 if place else 0) <= room:
        return joined(name, place)
    place = place.rpartition("/")[2]
    left = room - (len(place) + 2 if place else 0)
    name = without_outer(name) if len(name) > left else name
    if left >= min(SHORTEST, len(name)):
        return joined(cut_middle(name, left), place)
    return cut_middle(name, room)


def fitted_row(label: Label, room: int) -> str:
    """A function as pstats prints it, in `room` characters: first its file loses its folders, then
    the name its middle."""
    file, line, name = label
    text = function(label)
    if len(text) <= room:
        return text
    if file in ("~", ""):
        return styled(cut_middle(text, room), NAME)
    place = f"{file.rpartition('/')[2]}:{line}"
    left = max(room - len(place) - len("()"), SHORTEST)
    return styled(place, PLACE) + "(" + styled(cut_middle(name, left), NAME) + ")"


def with_place(label: Label) -> str:
    """A function; one written in Python with its place."""
    file, line, name = label
    return plain_name(name) if file == "~" else f"{name}  {file.rpartition('/')[2]}:{line}"


def on_one_line(text: str) -> str:
    """The text with what would break its line escaped: a function may have any name."""
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    )


def joined(name: str, place: str) -> str:
    return named(name, place)


def cut_end(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - len(CUT), 0)] + CUT


def cut_middle(text: str, room: int) -> str:
    """The text in `room` characters, without its middle if it is longer: names of functions differ
    at their ends."""
    if len(text) <= room:
        return text
    left = max(room - len(CUT), 1)
    end = (2 * left) // 3
    return text[: left - end] + CUT + text[len(text) - end :]
