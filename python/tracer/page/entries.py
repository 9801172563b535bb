"""What the script of a page is made of: which parts a page has, and the entry that starts it.

A page has the views of views/index.js, and those of its parts. What a profile has not, its page
does not load: a timeline is a third of the script.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["PARTS", "entry_of", "styles_of"]


class Part(NamedTuple):
    """A part of the page. view: its module in views, and its name there; style: its sheet. card:
    what adds to the overview, and its module."""

    name: str
    view: str
    style: str
    card: tuple[str, str] | None = None


# In the order in which their views stand. Steps need a timeline, objects a program that runs.
PARTS = (
    Part("memory", "memory", "memory.css", ("withMemory", "./memory/overview_card.js")),
    Part("objects", "objects", "objects.css"),
    Part("steps", "steps", "steps.css", ("withSteps", "./steps/overview_card.js")),
    Part("timeline", "timeline", "timeline.css"),
)


def styles_of(names: Collection[str]) -> list[str]:
    """The style sheets of a page with these parts."""
    return ["style.css", *(part.style for part in PARTS if part.name in names)]


def entry_of(names: Collection[str]) -> str:
    """The module that starts a page with these parts."""
    parts = [part for part in PARTS if part.name in names]
    cards = [part.card for part in parts if part.card is not None]
    imports = [
        ("start", "./start.js"),
        *cards,
        *((part.view, f"./views/{part.view}.js") for part in parts),
        *([("excerptOf", "./timeline/excerpt.js")] if "timeline" in names else []),
    ]
    text = "".join(f'import {{ {name} }} from "{module}";\n' for name, module in imports)
    views, added = (", ".join(of) for of in ([it.view for it in parts], [it[0] for it in cards]))
    excerpt = "excerptOf" if "timeline" in names else "() => null"
    return f"{text}start([{views}], [{added}], {excerpt});\n"
