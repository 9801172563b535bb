"""Text whose parts have styles: a str, for whoever wants no more, that remembers them.

Who draws a table says what a cell is: a name, a place, a hot share. Who writes the text chooses
colours, once it is known whether there is a terminal (cli/colors.py). As with markupsafe's Markup,
a sum of texts keeps what its parts have; an f-string, or a method of str, makes plain text of it.
"""

from __future__ import annotations

from io import StringIO
from pstats import func_std_string  # type: ignore[attr-defined]
from typing import NamedTuple, SupportsIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from tracer.data.types import Label

PLAIN, HEAD, LABEL, NAME, PLACE = "", "head", "label", "name", "place"
HOT, WARM = "hot", "warm"  # shares of the time
MORE, LESS, OTHER = "more", "less", "other"  # changes: grown, shrunk; new and gone
BUILTIN = "~", 0  # the file and the line of what pstats writes without them
HOT_FROM, WARM_FROM = 50.0, 10.0  # percent of the time


class Span(NamedTuple):
    text: str
    style: str


class Styled(str):
    """A text of parts, which may be such texts themselves; with a style, it is all in that. Its
    spans are made when somebody asks: most tables are printed without colours."""

    __slots__ = ("parts", "style")
    parts: Sequence[str]
    style: str

    def __new__(cls, parts: Sequence[str], style: str = PLAIN) -> Self:
        self = super().__new__(cls, "".join(parts))
        self.parts = parts
        self.style = style
        return self

    @property
    def spans(self) -> tuple[Span, ...]:
        if self.style:
            return spans_of("".join(self.parts), self.style)
        return tuple(span for part in self.parts for span in spans_of(part))

    def __str__(self) -> str:
        return self  # print() writes what this returns

    def __add__(self, other: str) -> Styled:
        return Styled((self, other))

    def __radd__(self, other: str) -> Styled:
        return Styled((other, self))

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        if not isinstance(key, slice):
            return super().__getitem__(key)
        first, last, step = key.indices(len(self))
        if step != 1:
            return super().__getitem__(key)
        cut, begin = [], 0
        for text, style in self.spans:
            cut.append(Styled((text[max(0, first - begin) : max(0, last - begin)],), style))
            begin += len(text)
        return Styled(cut)


class StyledStream(StringIO):
    """Keeps what is written, styles and all."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def write(self, text: str) -> int:
        self.parts.append(text)
        return len(text)

    def getvalue(self) -> Styled:
        return joined("", self.parts)


def styled(text: str, style: str) -> Styled:
    return Styled((text,), style)


def spans_of(text: str, style: str = PLAIN) -> tuple[Span, ...]:
    if isinstance(text, Styled):
        return text.spans
    return (Span(text, style),) if text else ()


def joined(between: str, texts: Iterable[str]) -> Styled:
    """As between.join(texts), with their styles."""
    parts = [part for text in texts for part in (between, text)] if between else [*texts]
    return Styled(parts[1:] if between else parts)


def in_lines(texts: Iterable[str]) -> Styled:
    """The texts, each as a line."""
    return joined("", (part for text in texts for part in (text, "\n")))


def rstripped(text: str) -> str:
    return text[: len(text.rstrip())]


def share(text: str, percent: float) -> str:
    """A share of the time, by how large it is: `text` is how it is written."""
    if percent < WARM_FROM:
        return text
    blanks = text[: len(text) - len(text.lstrip())]
    return blanks + styled(text.lstrip(), HOT if percent >= HOT_FROM else WARM)


def function(label: Label) -> Styled:
    """A function as pstats writes it."""
    file, line, name = label
    if (file, line) == BUILTIN:
        return styled(func_std_string(label), NAME)
    return Styled((styled(f"{file}:{line}", PLACE), "(", styled(name, NAME), ")"))


def short_function(shorter: Mapping[str, str]) -> Callable[[Label], Styled]:
    """function(), with short names of these files."""
    return lambda label: function((shorter.get(label[0], label[0]), *label[1:]))


def named(name: str, place: str) -> str:
    """A function and its place, as the first screen writes it."""
    return styled(name, NAME) + "  " + styled(place, PLACE) if place else name


def change(text: str) -> str:
    """A change, or a growth, by its direction: +1, -1, x12, new, gone. Blanks around it stay."""
    bare = text.strip()
    if not bare:
        return text
    style = MORE if bare[0] in "+x" else LESS if bare[0] in "-<" else OTHER
    left = text[: text.index(bare)]
    return left + styled(bare, style) + text[len(left) + len(bare) :]
